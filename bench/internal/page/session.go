package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A session is one connection to the server. All calls share it, because a server over stdio may have state, which
// another process would not have.
type session struct {
	page  *Page
	ready chan struct{} // closed when the connection is established or has failed
	// current ends when another session takes the place of this one. The connection is closed when its users have ended.
	current context.Context
	retire  context.CancelFunc
	client  *client.Client // set before ready is closed; nil if connecting failed
	users   sync.WaitGroup // added to under the lock, and only while current
	changed chan struct{}  // receives a value after changes of lists

	// Guarded by the lock of the page.
	err     error             // set when connecting has failed or the connection is lost
	tokens  map[string]*call  // by progress token
	methods map[string]string // of requests without a response, by direction and id
}

// maxPending is the maximum number of entries of session.methods.
const maxPending = 1000

// connectLocked begins a new session in place of the current one.
func (p *Page) connectLocked() *session {
	if p.session != nil {
		p.session.retire()
	}
	s := &session{page: p, ready: make(chan struct{}), changed: make(chan struct{}, 1), tokens: map[string]*call{}, methods: map[string]string{}}
	s.current, s.retire = context.WithCancel(p.ctx)
	p.session = s
	p.work.Go(s.run)
	return s
}

// reconnect begins a new session. It returns an empty object.
func (p *Page) reconnect() struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connectLocked()
	return struct{}{}
}

// acquire returns a session with a connection, and begins one if there is none. The caller calls Done of its users.
func (p *Page) acquire(ctx context.Context) (*session, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, errClosed
		}
		s := p.session
		if s == nil || s.err != nil {
			s = p.connectLocked()
		}
		s.users.Add(1)
		p.mu.Unlock()
		select {
		case <-s.ready:
		case <-ctx.Done():
			s.users.Done()
			return nil, ctx.Err()
		}
		p.mu.Lock()
		err, replaced := s.err, p.session != s
		p.mu.Unlock()
		if err == nil {
			return s, nil
		}
		s.users.Done()
		if !replaced {
			return nil, err
		}
	}
}

// run connects, keeps the lists current, and closes the connection when it is no longer used.
func (s *session) run() {
	p := s.page
	c, err := p.options.Dial(s.current, client.Options{Notify: s.notify, Elicit: s.elicit, Trace: s.trace})
	p.mu.Lock()
	s.client, s.err = c, err
	p.mu.Unlock()
	close(s.ready)
	p.publish(func(s *stream) { s.state = true })
	if err != nil {
		s.retire()
		return
	}
	s.watch()
	s.users.Wait()
	_ = c.Close() // errors on close do not matter
}

// watch keeps the lists current until the session is retired or the connection is lost.
func (s *session) watch() {
	defer s.retire()
	var dead <-chan struct{} // never, over HTTP
	stream, isCommand := s.client.Stream()
	if isCommand {
		dead = stream.Dead()
	}
	s.page.work.Go(s.follow)
	s.refresh()
	for {
		select {
		case <-s.changed:
			s.refresh()
			select { // a server may announce changes all the time
			case <-time.After(refreshDelay):
			case <-s.current.Done():
			}
		case <-dead:
			s.lost(stream.Err())
			return
		case <-s.current.Done():
			return
		}
	}
}

// follow awaits changes of the list of tools, which modern servers announce only to subscribers.
func (s *session) follow() {
	subscription, err := s.client.Subscribe(s.current, "")
	if err != nil {
		return // not all servers have changes
	}
	defer func() { _ = subscription.Close() }() // the end of the connection, if there is one, is noticed elsewhere
	for {
		select {
		case _, ok := <-subscription.Changed():
			if !ok {
				return
			}
			s.listChanged()
		case <-s.current.Done():
			return
		}
	}
}

// refreshDelay is the minimum time between two requests of all lists.
const refreshDelay = 200 * time.Millisecond

// listChanged asks for a new request of all lists.
func (s *session) listChanged() {
	select {
	case s.changed <- struct{}{}:
	default: // asked already
	}
}

// lost records that the connection is lost, so that the next use connects again.
func (s *session) lost(err error) {
	p := s.page
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.err == nil {
		s.err = err
		p.publishLocked(func(s *stream) { s.state = true })
	}
}

// failed handles the error of a request: over HTTP, only requests reveal that the server is gone.
func (s *session) failed(err error) {
	lost, late := (*client.UnreachableError)(nil), (*client.NoAnswerError)(nil)
	if errors.As(err, &lost) && !errors.As(err, &late) && s.client.PID() == 0 {
		s.lost(err)
	}
}

// notify handles a notification of the server. Those about calls are handled by trace, which gets the context of the
// request that they belong to.
func (s *session) notify(method string, _ json.RawMessage) {
	switch method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		s.listChanged()
	}
}

// A note has the parts of a notification about a call.
type note struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	Progress      float64         `json:"progress"`
	Total         *float64        `json:"total"`
	Message       string          `json:"message"`
	Level         string          `json:"level"`
	Logger        string          `json:"logger"`
	Data          json.RawMessage `json:"data"`
	TaskID        string          `json:"taskId"`
	Status        string          `json:"status"`
}

// trace records a message, and what it reveals about calls.
func (s *session) trace(ctx context.Context, sent bool, text []byte) {
	c, _ := ctx.Value(callKey{}).(*call)
	var m envelope.Message
	_ = m.Read(text, strictjson.MaxDepth) // otherwise it is shown as text without a method
	p := s.page
	shown := Message{Direction: direction(sent), Time: time.Now(), Method: string(m.Method), Bytes: len(text)}
	if len(text) <= maxMessage {
		shown.Text = p.options.Redact(string(text))
	}
	if m.Kind != envelope.Malformed {
		shown.session = s
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.Kind == envelope.Request:
		if len(s.methods) >= maxPending {
			clear(s.methods) // of a server that does not answer
		}
		s.methods[shown.Direction+string(m.ID)] = shown.Method
		if c != nil && sent && m.Params.Meta.ProgressToken != nil {
			s.tokens[envelope.Key(m.Params.Meta.ProgressToken)] = c
		}
	case m.Kind == envelope.Response:
		id := direction(!sent) + string(m.ID)
		shown.Method = s.methods[id]
		delete(s.methods, id)
		if c != nil && !sent {
			c.readTaskLocked(m.Result)
		}
	case m.Kind == envelope.Notification && !sent:
		var n note
		if strictjson.Decode(m.Params.Raw, &n) == nil {
			c = s.noteLocked(c, shown.Method, &n)
		}
	}
	if c != nil {
		shown.Call = c.ID
	}
	p.messages.add(shown)
	p.publishLocked(func(s *stream) { s.messages = true })
}

// noteLocked adds a notification to its calls, and returns the call if there is exactly one. c is the call whose response
// stream carried the notification, or nil.
func (s *session) noteLocked(c *call, method string, n *note) *call {
	switch method {
	case "notifications/progress":
		if c = s.tokens[envelope.Key(n.ProgressToken)]; c != nil {
			c.Progress = &Progress{n.Progress, n.Total, cut(n.Message)}
		}
	case "notifications/message":
		calls := []*call{c}
		if c == nil {
			calls = s.runningLocked()
		}
		data := string(n.Data)
		_ = json.Unmarshal(n.Data, &data) // other than a string is shown as JSON
		for _, one := range calls {
			one.logLocked(Log{n.Level, cut(n.Logger), cut(data), time.Now(), len(calls) > 1})
			s.page.publishLocked(one.dirty)
		}
		if c == nil && len(calls) == 1 {
			return calls[0]
		}
		return c
	case "notifications/tasks/status":
		for _, one := range s.runningLocked() {
			if one.Task != nil && one.Task.ID == n.TaskID {
				one.Task, c = &Task{one.Task.ID, cut(n.Status)}, one
			}
		}
	}
	if c != nil {
		s.page.publishLocked(c.dirty)
	}
	return c
}

// runningLocked returns the calls that run on the session, oldest first.
func (s *session) runningLocked() []*call {
	var running []*call
	for _, c := range s.page.calls {
		if c.session == s && c.running() {
			running = append(running, c)
		}
	}
	return running
}

// readTaskLocked reads the state of a task from the result of a request.
func (c *call) readTaskLocked(result []byte) {
	if len(result) > maxMessage || !bytes.Contains(result, []byte(`"taskId"`)) {
		return
	}
	type state struct {
		TaskID string `json:"taskId"`
		Status string `json:"status"`
	}
	var r struct {
		state
		Task state `json:"task"`
	}
	if strictjson.Decode(result, &r) != nil {
		return
	}
	if r.TaskID == "" {
		r.state = r.Task
	}
	if r.TaskID != "" && r.Status != "" && len(r.TaskID) <= maxText {
		c.Task = &Task{r.TaskID, cut(r.Status)}
		c.page.publishLocked(c.dirty)
	}
}

// explain returns the text of an error, with the end of the stderr of a command.
func (p *Page) explain(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if lost := (*client.UnreachableError)(nil); errors.As(err, &lost) && lost.Stderr != "" {
		text = fmt.Sprintf("%s\n%s", text, lost.Stderr)
	}
	return p.options.Redact(text)
}
