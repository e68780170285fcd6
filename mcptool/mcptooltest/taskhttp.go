package mcptooltest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

const (
	// firstPoll is the pause after the first poll of a task over HTTP. The next ones are longer, up to the interval
	// that the server sets.
	firstPoll = 10 * time.Millisecond
	// cancelTime is how long the request may take that cancels a task when the test ends.
	cancelTime = 5 * time.Second
	// tasksExtension identifies the extension for tasks of revision 2026-07-28.
	tasksExtension = "io.modelcontextprotocol/tasks"
)

// httpTask is a call of a tool over HTTP that the server may run as a task.
type httpTask struct {
	client       httpCaller
	capabilities json.RawMessage // with the extension for tasks
	id           string
	answered     *wireResult // of a call that the server has answered without a task; otherwise nil

	mu sync.Mutex // held while requests of the tool are answered
}

// taskState is the state of a task in the extension for tasks.
type taskState struct {
	TaskID, Status, StatusMessage string
	PollIntervalMs                int64
	InputRequests                 map[string]json.RawMessage
	Result                        *wireResult
	Error                         json.RawMessage
}

// startHTTP calls the tool over HTTP.
func startHTTP(tb testing.TB, caller httpCaller, tool *mcptool.Tool, args []byte) (*httpTask, error) {
	tb.Helper()
	capabilities, err := withTasks(caller.declared())
	if err != nil {
		return nil, err
	}
	r := callRequest(tool, args)
	r.capabilities = capabilities
	var a struct {
		ResultType string
		TaskID     string
		wireResult
	}
	if err := caller.send(tb.Context(), r, &a); err != nil {
		return nil, err
	}
	t := &httpTask{client: caller, capabilities: capabilities, id: a.TaskID}
	if a.ResultType != "task" {
		t.answered = &a.wireResult
		return t, nil
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), cancelTime)
		defer cancel()
		t.cancel(ctx)
	})
	return t, nil
}

// withTasks adds the extension for tasks to the capabilities of a client.
func withTasks(capabilities json.RawMessage) (json.RawMessage, error) {
	var all, extensions map[string]json.RawMessage
	err := json.Unmarshal(capabilities, &all)
	if raw := all["extensions"]; err == nil && raw != nil {
		err = json.Unmarshal(raw, &extensions)
	}
	if err != nil {
		return nil, fmt.Errorf("decode Client.Capabilities: %w", err)
	}
	if extensions == nil {
		extensions = map[string]json.RawMessage{}
	}
	if _, ok := extensions[tasksExtension]; !ok {
		extensions[tasksExtension] = json.RawMessage("{}")
	}
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	if all["extensions"], err = json.Marshal(extensions); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// request sends a request about the task. More has further members of its params, "" if there are none.
func (t *httpTask) request(ctx context.Context, method, more string, result any) error {
	r := &httpRequest{method: method, name: t.id, params: `"taskId":` + quoted(t.id) + more, capabilities: t.capabilities}
	return t.client.send(ctx, r, result)
}

// get returns the current state. A call that the server has answered without a task is completed.
func (t *httpTask) get(ctx context.Context) (s taskState, err error) {
	if t.answered != nil {
		return taskState{Status: "completed", Result: t.answered}, nil
	}
	err = t.request(ctx, "tasks/get", "", &s)
	return s, err
}

// poll answers the open requests of the tool, and returns the state before that.
func (t *httpTask) poll(ctx context.Context) (taskState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.get(ctx)
	if err != nil || s.Status != "input_required" {
		return s, err
	}
	responses, err := t.client.user().answerAll(s.InputRequests)
	if err == nil {
		err = t.request(ctx, "tasks/update", `,"inputResponses":`+string(responses), &struct{}{})
	}
	return s, err
}

// wait waits until the task has ended, and returns its result.
func (t *httpTask) wait(ctx context.Context) (*mcptool.Result, error) {
	for pause := firstPoll; ; pause *= 2 {
		s, err := t.poll(ctx)
		switch {
		case err != nil:
			return nil, err
		case s.Error != nil:
			return nil, refusalOf(s.Error)
		case s.Result != nil:
			return s.Result.decoded(), nil
		case s.Status != "working" && s.Status != "input_required":
			return nil, errors.New(strings.TrimSuffix("the task is "+s.Status+": "+s.StatusMessage, ": "))
		}
		pause = min(pause, time.Duration(cmp.Or(s.PollIntervalMs, 1000))*time.Millisecond)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// cancel cancels the task.
func (t *httpTask) cancel(ctx context.Context) {
	if t.answered == nil {
		_ = t.request(ctx, "tasks/cancel", "", &struct{}{}) // an error means that the task has ended
	}
}
