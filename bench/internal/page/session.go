package page

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A session is one connection to the server. All calls share it, because a server over stdio may have state, which
// another process would not have.
type session struct {
	page *Page
	// current ends when another session takes the place of this one. The connection is closed when its users have ended.
	current context.Context
	retire  context.CancelFunc
	users   sync.WaitGroup // added to under the lock, and only while current
	relist  chan struct{}  // receives a value after changes of lists

	// Guarded by the lock of the page.
	client  *client.Client    // nil until there is a connection
	err     error             // set when connecting has failed or the connection is lost
	methods map[string]string // of requests without a response, by direction and id
}

// maxPending is the maximum number of entries of session.methods.
const maxPending = 1000

// connectLocked begins a new session in place of the current one.
func (p *Page) connectLocked() {
	if p.session != nil {
		p.session.retire()
	}
	s := &session{page: p, relist: make(chan struct{}, 1), methods: map[string]string{}}
	s.current, s.retire = context.WithCancel(p.ctx)
	p.session = s
	p.work.Go(s.run)
}

// isReady reports whether the connection is established or has failed.
func (s *session) isReady() bool { return s.client != nil || s.err != nil }

// acquire returns the newest session when it has a connection, and begins one if there is none. The caller calls Done of its
// users.
func (p *Page) acquire(ctx context.Context) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() == nil && (p.session == nil || p.session.err != nil) {
		p.connectLocked()
	}
	err := p.awaitLocked(ctx, func() bool { return p.ctx.Err() != nil || p.session.isReady() })
	switch {
	case p.ctx.Err() != nil:
		return nil, errClosed
	case err != nil:
		return nil, err
	case p.session.err != nil:
		return nil, p.session.err
	}
	p.session.users.Add(1)
	return p.session, nil
}

// run connects, keeps the lists current, and closes the connection when it is no longer used.
func (s *session) run() {
	p := s.page
	c, err := p.options.Dial(s.current, client.Options{Notify: s.notify, Elicit: s.elicit, Task: s.task, Trace: s.trace})
	p.mu.Lock()
	s.client, s.err, p.stateChange = c, err, p.changeLocked()
	p.mu.Unlock()
	if err != nil {
		s.retire()
		return
	}
	s.watch()
	s.users.Wait()
	_ = c.Close() // errors on close do not matter
}

// refreshDelay is the minimum time between two requests of all lists.
const refreshDelay = 200 * time.Millisecond

// watch keeps the lists current until the session is retired or the connection is lost.
func (s *session) watch() {
	defer s.retire()
	var dead <-chan struct{} // never, over HTTP
	stream, isCommand := s.client.Stream()
	if isCommand {
		dead = stream.Dead()
	}
	// Modern servers announce changes of tools only to subscribers; not all have changes. Notify receives them.
	s.page.work.Go(func() { _, _ = s.client.Subscribe(s.current, "") })
	s.refresh()
	for {
		select {
		case <-s.relist:
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

// lost records that the connection is lost, so that the next use connects again.
func (s *session) lost(err error) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	if s.err == nil {
		s.err, s.page.stateChange = err, s.page.changeLocked()
	}
}

// failed handles the error of a request: over HTTP, only requests reveal that the server is gone.
func (s *session) failed(err error) {
	_, isLost := errors.AsType[*client.UnreachableError](err)
	_, isLate := errors.AsType[*client.NoAnswerError](err)
	if isLost && !isLate && s.client.PID() == 0 {
		s.lost(err)
	}
}

// notify requests the lists again after a change. Notifications about calls are handled by trace, which gets the context of
// the request that they belong to.
func (s *session) notify(method string, _ json.RawMessage) {
	if strings.HasSuffix(method, "/list_changed") {
		select {
		case s.relist <- struct{}{}:
		default: // requested already
		}
	}
}

// trace records a message, and what it reveals about calls.
func (s *session) trace(ctx context.Context, sent bool, text []byte) {
	c := callOf(ctx)
	var m envelope.Message
	_ = m.Read(text, strictjson.MaxDepth) // otherwise it is shown as text without a method
	p := s.page
	to, from := "toServer", "toClient"
	if !sent {
		to, from = from, to
	}
	shown := Message{Direction: to, Time: time.Now(), Method: string(m.Method), Bytes: len(text)}
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
		s.methods[to+string(m.ID)] = shown.Method
		if c != nil && sent && m.Params.Meta.ProgressToken != nil {
			c.token = string(m.Params.Meta.ProgressToken)
		}
	case m.Kind == envelope.Response:
		id := from + string(m.ID)
		shown.Method = s.methods[id]
		delete(s.methods, id)
	case m.Kind == envelope.Notification && !sent:
		c = s.noteLocked(c, shown.Method, m.Params.Raw)
	}
	if c != nil {
		shown.Call = c.ID
	}
	p.messages.add(shown)
	p.messageChange = p.changeLocked()
}

// noteLocked adds a notification to its calls, and returns the call if there is exactly one. c is the call whose response
// stream carried the notification, or nil.
func (s *session) noteLocked(c *call, method string, params []byte) *call {
	var n struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		Progress                      // has the names of the protocol
		Level         string          `json:"level"`
		Logger        string          `json:"logger"`
		Data          json.RawMessage `json:"data"`
		TaskID        string          `json:"taskId"`
		Status        string          `json:"status"`
	}
	if strictjson.Decode(params, &n) != nil {
		return c
	}
	calls := s.page.runningLocked(s)
	switch method {
	case "notifications/progress":
		c = nil
		for _, one := range calls {
			if one.token != "" && one.token == string(n.ProgressToken) {
				c = one
				c.Progress, c.change = &Progress{n.Progress.Progress, n.Total, cut(n.Message)}, s.page.changeLocked()
			}
		}
	case "notifications/message":
		if c != nil {
			calls = []*call{c}
		}
		data := string(n.Data)
		_ = json.Unmarshal(n.Data, &data) // other than a string is shown as JSON
		for _, one := range calls {
			one.logLocked(Log{cut(n.Level), cut(n.Logger), cut(data), time.Now(), len(calls) > 1})
		}
		if len(calls) == 1 {
			return calls[0]
		}
	case "notifications/tasks/status":
		for _, one := range calls {
			if one.Task != nil && one.Task.ID == n.TaskID {
				c = one
				c.Task, c.change = &Task{n.TaskID, cut(n.Status)}, s.page.changeLocked()
			}
		}
	}
	return c
}

// task records the state of the task that a call runs as.
func (s *session) task(ctx context.Context, id, status string) {
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	if c := callOf(ctx); c != nil && len(id) <= maxText {
		c.Task, c.change = &Task{id, cut(status)}, s.page.changeLocked()
	}
}

// explain returns the text of an error, with the end of the stderr of a command.
func (p *Page) explain(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if lost, ok := errors.AsType[*client.UnreachableError](err); ok && lost.Stderr != "" {
		text += "\n" + lost.Stderr
	}
	return p.options.Redact(text)
}
