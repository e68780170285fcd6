package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// tasksExtension is the name of the tasks extension in the modern era.
const tasksExtension = metaPrefix + "tasks"

// pollDelay is the default delay between polls of a task; a server can set another one, between minPoll and maxPoll.
const (
	pollDelay = time.Second
	minPoll   = 10 * time.Millisecond
	maxPoll   = 10 * time.Second
)

// TaskOnly reports whether the listed tool runs only as a task, or can run as one with [Options.Tasks]. It lists the
// tools first unless they were listed before. It is always false in the modern era, where only the rejection of a call
// reveals this, and for servers that do not declare tasks for calls.
func (c *Client) TaskOnly(ctx context.Context, name string) (bool, error) {
	return c.asTask(ctx, name, c.opts.Tasks)
}

// asTask reports whether a call of the tool in the legacy era asks for a task: if the tool requires it, or supports it
// and wanted is set.
func (c *Client) asTask(ctx context.Context, name string, wanted bool) (bool, error) {
	if c.era == Modern {
		return false, nil
	}
	var can struct {
		Tasks struct {
			Requests struct {
				Tools struct {
					Call json.RawMessage `json:"call"`
				} `json:"tools"`
			} `json:"requests"`
		} `json:"tasks"`
	}
	_ = strictjson.Decode(c.server.Capabilities, &can) // undecodable capabilities declare nothing
	if can.Tasks.Requests.Tools.Call == nil {
		return false, nil
	}
	known, err := c.list(ctx)
	switch {
	case err == nil:
		support := known.taskSupport[name]
		return support == "required" || wanted && support == "optional", nil
	case asRefusal(err) != nil:
		return false, nil //nolint:nilerr // the server lists no tools; the call may still work
	default:
		return false, err
	}
}

// needsTask reports whether a modern server rejected a call because it must run as a task.
func (r *RPCError) needsTask() bool {
	var data struct {
		RequiredCapabilities struct {
			Extensions map[string]json.RawMessage `json:"extensions"`
		} `json:"requiredCapabilities"`
	}
	_ = strictjson.Decode(r.Data, &data) // undecodable data requires nothing
	return r.Code == codeMissingCapability && data.RequiredCapabilities.Extensions[tasksExtension] != nil
}

// A task is the state of a task in either era.
type task struct {
	TaskID         string          `json:"taskId"`
	Status         string          `json:"status"`
	StatusMessage  string          `json:"statusMessage"`
	PollInterval   *float64        `json:"pollInterval"` // milliseconds, in the legacy era
	PollIntervalMs *float64        `json:"pollIntervalMs"`
	inputRequired                  // in the modern era
	Result         json.RawMessage `json:"result"`
	Error          *RPCError       `json:"error"`
}

// delay returns the delay before the next poll of t.
func (t *task) delay() time.Duration {
	for _, ms := range []*float64{t.PollInterval, t.PollIntervalMs} {
		if ms != nil {
			most := float64(maxPoll / time.Millisecond) // a Duration cannot have every float64
			return max(minPoll, time.Duration(min(*ms, most)*float64(time.Millisecond)))
		}
	}
	return pollDelay
}

// decodeTask decodes the state of a task in the result of method, and passes it to Options.Task. id is the id of the task; ""
// if it is a new one.
func (c *Client) decodeTask(ctx context.Context, method string, raw json.RawMessage, id string) (task, error) {
	var t task
	if err := c.decode(method, raw, &t); err != nil {
		return t, err
	}
	switch {
	case t.TaskID == "":
		return t, c.conn.unreachable("its answer to "+method+" has a task without taskId", nil)
	case id != "" && t.TaskID != id:
		return t, c.conn.unreachable(fmt.Sprintf("its answer to %s is about the task %q, not %q", method, t.TaskID, id), nil)
	case t.Status == "":
		return t, c.conn.unreachable("its answer to "+method+" has a task without status", nil)
	case string(t.Result) == "null":
		t.Result = nil
	case t.Result != nil && t.Result[0] != '{':
		return t, c.conn.unreachable("its answer to "+method+" has a task whose result is not an object", nil)
	}
	if c.opts.Task != nil {
		c.opts.Task(ctx, t.TaskID, t.Status)
	}
	return t, nil
}

// over reports whether the state is final.
func (t *task) over() bool {
	return slices.Contains([]string{"completed", "failed", "cancelled"}, t.Status)
}

// legacyTask waits for a task of the legacy era and returns its result.
func (c *Client) legacyTask(ctx context.Context, t task) (json.RawMessage, error) {
	params := oneParam("taskId", t.TaskID)
	type outcome struct {
		raw json.RawMessage
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var asked chan outcome // outcome of tasks/result, sent once there is a result or an elicitation
	for {
		if asked == nil && (t.over() || t.Status == "input_required") {
			asked = make(chan outcome, 1)
			c.work.Go(func() {
				raw, err := c.Request(ctx, "tasks/result", params)
				asked <- outcome{raw, err}
			})
		}
		select {
		case o := <-asked:
			return o.raw, o.err
		case <-ctx.Done():
			c.cancelTask(t.TaskID, nil)
			return nil, ctx.Err()
		case <-time.After(t.delay()):
		}
		if t.over() {
			continue
		}
		raw, err := c.Request(ctx, "tasks/get", params)
		if err != nil {
			return nil, err
		}
		c.timeouts.activity()
		if t, err = c.decodeTask(ctx, "tasks/get", raw, t.TaskID); err != nil {
			return nil, err
		}
	}
}

// modernTask waits for a task of the modern era and returns its result.
func (c *Client) modernTask(ctx context.Context, t task) (json.RawMessage, error) {
	id, meta := t.TaskID, c.modernMeta(true)
	answered := map[string]json.RawMessage{}
	for {
		switch {
		case t.Status == "failed" && t.Error != nil:
			return nil, t.Error
		case t.over() && t.Result != nil:
			return t.Result, nil
		case t.over():
			return nil, fmt.Errorf("the task was %s, without a result: %s", t.Status, t.StatusMessage)
		}
		if err := c.answerTask(ctx, id, t.inputRequired, answered); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			c.cancelTask(id, meta)
			return nil, ctx.Err()
		case <-time.After(t.delay()):
		}
		raw, err := c.requestWith(ctx, "tasks/get", oneParam("taskId", id), meta)
		if err != nil {
			return nil, err
		}
		if t, err = c.decodeTask(ctx, "tasks/get", raw, id); err != nil {
			return nil, err
		}
	}
}

// answerTask answers the input requests of a task, each once.
func (c *Client) answerTask(ctx context.Context, id string, m inputRequired, answered map[string]json.RawMessage) error {
	for key := range m.InputRequests {
		if answered[key] != nil {
			delete(m.InputRequests, key)
		}
	}
	if len(m.InputRequests) == 0 {
		return nil
	}
	responses, err := c.respond(ctx, m)
	if err != nil {
		return err
	}
	params, err := json.Marshal(map[string]any{"taskId": id, "inputResponses": responses})
	if err != nil {
		return err
	}
	if _, err := c.requestWith(ctx, "tasks/update", params, c.modernMeta(true)); err != nil {
		return err
	}
	for key, response := range responses {
		answered[key] = response
	}
	return nil
}

// oneParam returns params with one member.
func oneParam(name, value string) json.RawMessage {
	params, _ := json.Marshal(map[string]string{name: value}) // strings can always be encoded
	return params
}

// cancelTask cancels a task in the background.
func (c *Client) cancelTask(id string, meta members) {
	c.work.Go(func() { _, _ = c.requestWith(c.ctx, "tasks/cancel", oneParam("taskId", id), meta) }) // it may have ended
}

// asRefusal returns the *RPCError in err, or nil.
func asRefusal(err error) *RPCError {
	var refused *RPCError
	errors.As(err, &refused)
	return refused
}
