package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

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
	maxTogether  = 4 << 20 // bytes of all results in the list of calls
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
	asking    = "asking" // running, and there is a question
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

// callOf returns the call in the context of a request; nil if there is none, or if the transport does not identify it.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// A call is a Call with what is needed to run it. Fields that change are guarded by the lock of the page.
type call struct {
	Call // with all Arguments and Result; State is never asking

	page      *Page
	ctx       context.Context // ends with the call
	cancel    context.CancelFunc
	change    int               // the number of the newest change
	session   *session          // nil until there is a connection
	token     string            // the progress token of the newest request; "" if there is none
	texts     map[string]string // the arguments, if they are texts: of a prompt or a resource
	subject   string            // the name, or the URI of a resource
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

// begin runs a call in the background, and returns it.
func (p *Page) begin(_ *http.Request, r *callRequest) (any, error) {
	c, err := p.newCall(r)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, errClosed
	}
	if len(p.runningLocked(nil)) >= maxRunning {
		return nil, &statusError{http.StatusTooManyRequests, fmt.Sprintf("%d calls are running; wait until one ends, or cancel one", maxRunning)}
	}
	p.lastCall++
	c.ID, c.Started, c.change = p.lastCall, time.Now(), p.changeLocked()
	c.ctx, c.cancel = context.WithCancel(context.WithValue(p.ctx, callKey{}, c))
	p.calls = append(p.calls, c)
	p.trimLocked()
	p.work.Go(func() {
		defer c.cancel()
		c.end(c.perform())
	})
	return c.viewLocked(maxResult), nil
}

// newCall returns the call of a request. The error describes what is wrong with the request.
func (p *Page) newCall(r *callRequest) (*call, error) {
	if !slices.Contains([]string{"tool", "prompt", "resource"}, r.Kind) {
		return nil, fmt.Errorf("kind is %q; it is tool, prompt or resource", r.Kind)
	}
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
	c := &call{page: p, texts: texts, subject: r.Name}
	c.Kind, c.Name, c.Arguments, c.ArgumentsBytes, c.AsTask, c.State = r.Kind, r.Name, r.Arguments, len(r.Arguments), r.Task, running
	if r.Kind != "resource" || !strings.ContainsAny(r.Name, "{}") {
		return c, nil
	}
	template, err := uritemplate.Parse(r.Name)
	if err != nil {
		return nil, fmt.Errorf("this template cannot be expanded here; write the URI that it makes: %w", err)
	}
	c.subject, err = template.Expand(texts)
	return c, err
}

// perform sends the request and waits for its result. It reports whether that is the error of a tool.
func (c *call) perform() (result json.RawMessage, isError bool, err error) {
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
	result, isError, err = c.request(s.client)
	if err != nil {
		s.failed(err)
	}
	return result, isError, err
}

// request sends the request to a server.
func (c *call) request(to *client.Client) (result json.RawMessage, isError bool, err error) {
	switch c.Kind {
	case "tool":
		do := to.Call
		if c.AsTask {
			do = to.CallTask
		}
		r, err := do(c.ctx, c.Name, c.Arguments)
		if err != nil {
			return nil, false, err
		}
		return r.Raw, r.IsError, nil
	case "prompt":
		r, err := to.GetPrompt(c.ctx, c.Name, c.texts)
		if err != nil {
			return nil, false, err
		}
		return r.Raw, false, nil
	default:
		r, err := to.ReadResource(c.ctx, c.subject)
		if err != nil {
			return nil, false, err
		}
		return r.Raw, false, nil
	}
}

// end records the result of the call.
func (c *call) end(result json.RawMessage, isError bool, err error) {
	p := c.page
	text := p.explain(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	c.MS = time.Since(c.Started).Milliseconds()
	c.Result, c.ResultBytes, c.Question = result, len(result), nil
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
	c.change = p.changeLocked()
	p.trimLocked()
}

// runningLocked returns the calls that run on a session, oldest first; nil means all that run.
func (p *Page) runningLocked(s *session) []*call {
	var calls []*call
	for _, c := range p.calls {
		if c.State == running && (s == nil || c.session == s) {
			calls = append(calls, c)
		}
	}
	return calls
}

// trimLocked drops the oldest calls that have ended, above the limits of the history.
func (p *Page) trimLocked() {
	size := 0
	for _, c := range p.calls {
		size += c.ResultBytes + c.ArgumentsBytes
	}
	count := len(p.calls)
	p.calls = slices.DeleteFunc(p.calls, func(c *call) bool {
		drop := (count > maxCalls || size > maxHistory) && c.State != running && c.ID != p.lastCall
		if drop {
			count--
			size -= c.ResultBytes + c.ArgumentsBytes
		}
		return drop
	})
}

// findLocked returns the call with an id.
func (p *Page) findLocked(id string) (*call, error) {
	for _, c := range p.calls {
		if strconv.Itoa(c.ID) == id {
			return c, nil
		}
	}
	return nil, &statusError{http.StatusNotFound, "the call is unknown, or no longer kept"}
}

// historyLocked returns all calls, oldest first, and the large results only of the newest ones.
func (p *Page) historyLocked() []Call {
	views, room := make([]Call, len(p.calls)), maxTogether
	for i, c := range slices.Backward(p.calls) {
		views[i] = c.viewLocked(room)
		room -= len(views[i].Result)
	}
	return views
}

// viewLocked returns the call as the API shows it. Results of more than room bytes are left out.
func (c *call) viewLocked(room int) Call {
	v := c.Call
	v.Logs = append([]Log{}, c.Logs...)
	if c.State == running {
		v.MS = time.Since(c.Started).Milliseconds()
	}
	if c.Question != nil {
		v.State = asking
	}
	if c.ResultBytes > min(room, maxResult) {
		v.Result = nil
	}
	if c.ArgumentsBytes > min(room, maxArguments) {
		v.Arguments = nil
	}
	return v
}

// resultLocked returns the result as it was received.
func (c *call) resultLocked(*http.Request) (any, error) {
	if c.Result == nil {
		return nil, &statusError{http.StatusNotFound, "the call has no result"}
	}
	return c.Result, nil
}

func (c *call) cancelLocked(*http.Request) (any, error) {
	if c.State != running {
		return nil, &statusError{http.StatusConflict, "the call has ended"}
	}
	c.stopped = true
	c.cancel()
	return c.viewLocked(maxResult), nil
}

func (c *call) logLocked(l Log) {
	if len(c.Logs) == maxLogs {
		c.Logs = slices.Delete(c.Logs, 0, 1)
		c.LogsDropped++
	}
	c.Logs, c.change = append(c.Logs, l), c.page.changeLocked()
}

// cut shortens a text of the server to maxText bytes.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…" // the last character may be incomplete
}
