package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// Limits of the history. Results and arguments above maxResult and maxArguments are not part of a Call, but have their
// own addresses.
const (
	maxRunning   = 32
	maxCalls     = 200
	maxHistory   = 128 << 20 // bytes of results and arguments; the newest call is kept in any case
	maxResult    = 1 << 20
	maxArguments = 64 << 10
	maxLogs      = 200
	maxName      = uritemplate.MaxURI
	maxText      = 4 << 10 // bytes of a log or of a message of progress
)

// A Call is a call of a tool, the request of a prompt, or the reading of a resource, as the API shows it.
type Call struct {
	ID             int             `json:"id"`
	Kind           string          `json:"kind"` // "tool", "prompt" or "resource"
	Name           string          `json:"name"` // for a resource, the URI or the template
	Arguments      json.RawMessage `json:"arguments"`
	ArgumentsBytes int             `json:"argumentsBytes"`
	AsTask         bool            `json:"asTask"` // a task was asked for
	Started        time.Time       `json:"started"`
	MS             int64           `json:"ms"`
	State          string          `json:"state"` // see the states
	Progress       *Progress       `json:"progress"`
	Logs           []Log           `json:"logs"`
	LogsDropped    int             `json:"logsDropped"` // older than Logs
	Question       *Question       `json:"question"`
	Result         json.RawMessage `json:"result"`
	ResultBytes    int             `json:"resultBytes"`
	Task           *Task           `json:"task"`
	Error          string          `json:"error"`
}

// The states of a Call. A tool that returns an error has failed, with a result.
const (
	running   = "running"
	asking    = "asking"
	done      = "done"
	failed    = "failed"
	cancelled = "cancelled"
)

// Progress is the newest report of a call.
type Progress struct {
	Progress float64  `json:"progress"`
	Total    *float64 `json:"total"`
	Message  string   `json:"message"`
}

// A Log is a log message that the server sent during a call.
type Log struct {
	Level  string    `json:"level"`
	Logger string    `json:"logger"`
	Text   string    `json:"text"`
	Time   time.Time `json:"time"`
	Shared bool      `json:"shared,omitempty"` // several calls were running, and the message does not identify its call
}

// A Task is the state of the task that a call runs as.
type Task struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// callKey is the key of the call in the context of its requests.
type callKey struct{}

// A call is a Call with what is needed to run it. Fields that change are guarded by the lock of the page.
type call struct {
	Call // without Arguments and Result

	page      *Page
	ctx       context.Context // ends with the call
	cancel    context.CancelFunc
	session   *session // nil until there is a connection
	arguments json.RawMessage
	texts     map[string]string // the arguments, if they are texts: of a prompt or a resource
	uri       string            // of a resource
	result    json.RawMessage
	turn      chan struct{} // holds a value while a question is asked, since a call asks one at a time
	reply     chan client.ElicitResult
	answers   []client.ElicitResult
	questions int
	stopped   bool // by cancel
}

// A callRequest is the body of a request for a call.
type callRequest struct {
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Task      bool            `json:"task"`
}

// prepare returns the call of a request. The error describes what is wrong with the request.
func (r *callRequest) prepare() (*call, error) {
	if r.Name == "" || len(r.Name) > maxName {
		return nil, fmt.Errorf("name has %d bytes; it has 1 to %d", len(r.Name), maxName)
	}
	if len(r.Arguments) == 0 || string(r.Arguments) == "null" {
		r.Arguments = json.RawMessage(`{}`)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(r.Arguments, &members); err != nil {
		return nil, errors.New("arguments is not an object")
	}
	texts := map[string]string{}
	if r.Kind != "tool" && json.Unmarshal(r.Arguments, &texts) != nil {
		return nil, fmt.Errorf("the arguments of a %s are strings", r.Kind)
	}
	c := &call{arguments: r.Arguments, texts: texts}
	c.Kind, c.Name, c.AsTask, c.ArgumentsBytes = r.Kind, r.Name, r.Task, len(r.Arguments)
	switch r.Kind {
	case "tool", "prompt":
		return c, nil
	case "resource":
		var err error
		c.uri, err = expand(r.Name, texts)
		return c, err
	}
	return nil, fmt.Errorf("kind is %q; it is tool, prompt or resource", r.Kind)
}

// request sends the request of the call. It returns the result, and whether it is the error of a tool.
func (c *call) request(to *client.Client) (json.RawMessage, bool, error) {
	switch c.Kind {
	case "tool":
		do := to.Call
		if c.AsTask {
			do = to.CallTask
		}
		result, err := do(c.ctx, c.Name, c.arguments)
		if err != nil {
			return nil, false, err
		}
		return result.Raw, result.IsError, nil
	case "prompt":
		result, err := to.GetPrompt(c.ctx, c.Name, c.texts)
		if err != nil {
			return nil, false, err
		}
		return result.Raw, false, nil
	default:
		result, err := to.ReadResource(c.ctx, c.uri)
		if err != nil {
			return nil, false, err
		}
		return result.Raw, false, nil
	}
}

// expand expands a template, or returns a URI unchanged.
func expand(text string, variables map[string]string) (string, error) {
	if !strings.ContainsAny(text, "{}") {
		return text, nil
	}
	template, err := uritemplate.Parse(text)
	if err != nil {
		return "", fmt.Errorf("this template cannot be expanded here; write the URI that it makes: %w", err)
	}
	return template.Expand(variables)
}

// errBusy is returned if too many calls run.
var errBusy error = &statusError{http.StatusTooManyRequests, fmt.Sprintf("%d calls are running; wait until one ends, or cancel one", maxRunning)}

// start runs a call in the background.
func (p *Page) start(c *call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	n := 0
	for _, other := range p.calls {
		if other.running() {
			n++
		}
	}
	if n >= maxRunning {
		return errBusy
	}
	p.lastCall++
	c.ID, c.page, c.State, c.Started, c.turn = p.lastCall, p, running, time.Now(), make(chan struct{}, 1)
	c.ctx, c.cancel = context.WithCancel(context.WithValue(p.ctx, callKey{}, c))
	p.calls = append(p.calls, c)
	p.trimLocked()
	p.publishLocked(c.dirty)
	p.work.Go(func() {
		defer c.cancel()
		result, isError, err := c.perform()
		c.end(result, isError, err)
	})
	return nil
}

// perform sends the request and waits for its result.
func (c *call) perform() (json.RawMessage, bool, error) {
	if err := c.page.awaitBuild(c.ctx); err != nil {
		return nil, false, err
	}
	s, err := c.page.acquire(c.ctx)
	if err != nil {
		return nil, false, err
	}
	defer s.users.Done()
	c.page.mu.Lock()
	c.session = s
	c.page.mu.Unlock()
	result, isError, err := c.request(s.client)
	if err != nil {
		s.failed(err)
	}
	return result, isError, err
}

// end records the result of the call.
func (c *call) end(result json.RawMessage, isError bool, err error) {
	p := c.page
	text := p.explain(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	c.MS = time.Since(c.Started).Milliseconds()
	c.result, c.ResultBytes, c.Question = result, len(result), nil
	switch {
	case err != nil && c.stopped:
		c.State = cancelled
	case err != nil:
		c.State, c.Error = failed, cut(text)
	case isError:
		c.State = failed
	default:
		c.State = done
	}
	if s := c.session; s != nil {
		for token, of := range s.tokens {
			if of == c {
				delete(s.tokens, token)
			}
		}
	}
	p.trimLocked()
	p.publishLocked(c.dirty)
}

func (c *call) running() bool { return c.State == running || c.State == asking }

// trimLocked drops the oldest calls that have ended, above the limits of the history.
func (p *Page) trimLocked() {
	size := 0
	for _, c := range p.calls {
		size += len(c.result) + len(c.arguments)
	}
	count := len(p.calls)
	p.calls = slices.DeleteFunc(p.calls, func(c *call) bool {
		drop := (count > maxCalls || size > maxHistory) && !c.running() && c.ID != p.lastCall
		if drop {
			count--
			size -= len(c.result) + len(c.arguments)
		}
		return drop
	})
}

// find returns a call of the history, or nil.
func (p *Page) find(id int) *call {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// dirty marks the call as changed.
func (c *call) dirty(s *stream) { s.calls[c.ID] = struct{}{} }

// viewLocked returns the call as the API shows it. Results of more than room bytes are left out.
func (c *call) viewLocked(room int) Call {
	v := c.Call
	v.Logs = append([]Log{}, c.Logs...)
	if c.running() {
		v.MS = time.Since(c.Started).Milliseconds()
	}
	if len(c.result) <= min(room, maxResult) {
		v.Result = c.result
	}
	if len(c.arguments) <= min(room, maxArguments) {
		v.Arguments = c.arguments
	}
	return v
}

func (c *call) view() Call {
	c.page.mu.Lock()
	defer c.page.mu.Unlock()
	return c.viewLocked(maxResult)
}

func (c *call) logLocked(l Log) {
	if len(c.Logs) == maxLogs {
		c.Logs = slices.Delete(c.Logs, 0, 1)
		c.LogsDropped++
	}
	c.Logs = append(c.Logs, l)
}

// cut shortens a text of the server to maxText bytes.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// stop cancels the call.
func (c *call) stop() error {
	c.page.mu.Lock()
	defer c.page.mu.Unlock()
	if !c.running() {
		return &statusError{http.StatusConflict, "the call has ended"}
	}
	c.stopped = true
	c.cancel()
	return nil
}

// readResult returns the result as it was received.
func (c *call) readResult() (json.RawMessage, error) {
	c.page.mu.Lock()
	defer c.page.mu.Unlock()
	if c.result == nil {
		return nil, &statusError{http.StatusNotFound, "the call has no result"}
	}
	return c.result, nil
}
