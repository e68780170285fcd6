package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// inquisitive returns a tool that sleeps, asks two questions together and then a third, and sleeps
// again.
func inquisitive(t *testing.T, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	type name struct {
		Name string `json:"name"`
	}
	return tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		time.Sleep(time.Second)
		var first, second name
		if err := mcptool.AskAll(ctx, mcptool.ElicitPart(&first, "First?"), mcptool.ElicitPart(&second, "Second?")); err != nil {
			return nil, err
		}
		answer, err := mcptool.ElicitSchema(ctx, "Third?", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`), mcptool.Key("last"))
		if err != nil {
			return nil, err
		}
		var third name
		err = json.Unmarshal(answer, &third)
		time.Sleep(time.Second)
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: first.Name + second.Name + third.Name}}}, err
	}, opts...)
}

// inputs returns the keys of the open questions of a task by message.
func (w *wire) inputs(id string) map[string]string {
	w.t.Helper()
	w.send(tasked(`"get"`, "tasks/get", `,"taskId":"`+id+`"`))
	var m struct {
		Result struct {
			Status        string
			InputRequests map[string]struct{ Params struct{ Message string } }
		}
	}
	msg := w.next()
	if err := json.Unmarshal([]byte(msg), &m); err != nil {
		w.t.Fatal(err)
	}
	if (m.Result.Status == "input_required") != (len(m.Result.InputRequests) > 0) || strings.Contains(msg, "requestState") {
		w.t.Errorf("the status does not match the input requests: %s", msg)
	}
	keys := map[string]string{}
	for key, request := range m.Result.InputRequests {
		keys[request.Params.Message] = key
	}
	return keys
}

// update answers a question of a task with a name.
func (w *wire) update(id, key, name string) {
	w.t.Helper()
	w.send(tasked(`"u"`, "tasks/update", `,"taskId":"`+id+`","inputResponses":{"`+key+`":{"action":"accept","content":{"name":"`+name+`"}}}`))
	w.want(`{"jsonrpc":"2.0","id":"u","result":{"resultType":"complete","_meta":`)
}

func TestTaskRequirements(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"T-TASKX-10 T-TASKX-11 keys and partial answers", taskAsks},
		{"T-TASKX-07 rounds before the task", taskAfterRounds},
		{"T-TASKL-11 legacy questions", taskAsksLegacy},
		{"T-TASKL-11 questions before the answer", taskIsNamed},
		{"T-TASKL-05 statuses", taskStates},
		{"T-TASKL-14 T-TASKL-17 T-SEC-08 lists of own tasks", taskList},
		{"T-TASKL-24 limits and log", taskLimits},
		{"T-TASKL-04 T-TASKX-20 ids", taskIDs},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

// taskAsks: answers may arrive one by one, late or repeated, and keys are not reused.
func taskAsks(t *testing.T) {
	t.Helper()
	synctest.Test(t, taskAsksAll)
}

func taskAsksAll(t *testing.T) {
	t.Helper()
	w := open(t, taskServer(t, inquisitive(t, mcptool.Task(mcptool.TaskSupportRequired))))
	w.send(tasked("1", "tools/call", `,"name":"ask"`))
	id, _ := taskOf(t, w.next())
	w.update(id, "q1", "early")
	time.Sleep(2 * time.Second)

	open := w.inputs(id)
	first, second := open["First?"], open["Second?"]
	if len(open) != 2 || first == second {
		t.Fatalf("open questions = %v, want First? and Second?", open)
	}
	w.update(id, first, "a")
	w.update(id, "nope", "x")
	w.update(id, first, "changed")
	synctest.Wait()
	if open = w.inputs(id); len(open) != 1 || open["Second?"] != second {
		t.Errorf("open questions after one answer = %v, want Second?", open)
	}
	w.update(id, second, "b")
	synctest.Wait()
	open = w.inputs(id)
	if key := open["Third?"]; len(open) != 1 || key == first || key == second || !strings.HasPrefix(key, "last") {
		t.Errorf("open questions after both answers = %v, want Third?", open)
	}
	w.update(id, first, "old")
	w.update(id, open["Third?"], "c")
	synctest.Wait()
	if got := w.status(id); got != "working" {
		t.Errorf("status after all answers %s, want working", got)
	}
	time.Sleep(2 * time.Second)
	w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
	w.want(`"status":"completed"`, `"text":"abc"`)
}

// taskAfterRounds: questions at the start of a call are asked before it becomes a task.
func taskAfterRounds(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, taskServer(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			if err := mcptool.Confirm(ctx, "Begin?"); err != nil {
				time.Sleep(5 * time.Second) // cleaning up does not make it a task
				return nil, err
			}
			time.Sleep(time.Second)
			return &mcptool.Result{}, mcptool.Confirm(ctx, "End?")
		}, mcptool.Task(mcptool.TaskSupportOptional))))
		w.send(tasked("1", "tools/call", `,"name":"ask"`))
		state := stateOf(t, w.next())
		w.send(tasked("2", "tools/call", `,"name":"ask","requestState":"`+state+`",`+agree))
		id, status := taskOf(t, w.next())
		if status != "working" {
			t.Errorf("status %s, want working", status)
		}
		time.Sleep(2 * time.Second)
		open := w.inputs(id)
		if len(open) != 1 || open["End?"] == "" {
			t.Fatalf("open questions = %v, want End?", open)
		}
		w.send(tasked("3", "tasks/update", `,"taskId":"`+id+`","inputResponses":{"`+open["End?"]+`":{"action":"accept","content":{"confirm":true}}}`))
		w.next()
		synctest.Wait()
		if got := w.status(id); got != "completed" {
			t.Errorf("status %s, want completed", got)
		}
	})
}

// taskAsksLegacy: a legacy client is asked by requests with the id of the task, in the
// stream of tasks/result if it waits there.
func taskAsksLegacy(t *testing.T) {
	t.Helper()
	for _, waits := range []bool{false, true} {
		t.Run(fmt.Sprint("waits=", waits), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := open(t, taskServer(t, inquisitive(t, mcptool.Task(mcptool.TaskSupportOptional))))
				stream := &wire{t: t, out: make(chan string, 99)}
				w.handshakeAble("2025-11-25")
				w.send(legacy("1", "tools/call", `"name":"ask","task":{}`))
				id, _ := taskOf(t, w.next())
				asked := w
				if waits {
					w.session.Serve(taskServerRead(t, legacy(`"r"`, "tasks/result", `"taskId":"`+id+`"`)), writerOf(stream))
					asked = stream
				}
				for i, name := range []string{"a", "b", "c"} {
					if i == 0 || i == 2 { // the second is asked together with the first
						w.want(`"method":"notifications/tasks/status"`, `"status":"input_required"`)
					}
					request := asked.want(`"method":"elicitation/create"`, `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}}`)
					w.send(legacy("2", "tasks/get", `"taskId":"`+id+`"`))
					w.want(`"status":"input_required"`)
					var m struct{ ID int }
					if err := json.Unmarshal([]byte(request), &m); err != nil {
						t.Fatal(err)
					}
					w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept","content":{"name":%q}}}`, m.ID, name))
					if i > 0 {
						w.want(`"method":"notifications/tasks/status"`, `"status":"working"`)
					}
				}
				time.Sleep(2 * time.Second)
				w.want(`"method":"notifications/tasks/status"`, `"status":"completed"`)
				if !waits {
					w.send(legacy(`"r"`, "tasks/result", `"taskId":"`+id+`"`))
				}
				asked.want(`"id":"r"`, `"text":"abc"`)
				w.quiet()
			})
		})
	}
}

// late is a [runtime.Writer] whose response has been written when the test calls wrote.
type late struct {
	*recorder
	wrote func()
}

func (l *late) Respond(msg []byte, end runtime.End) error {
	l.wrote = end.Wrote
	return l.recorder.Respond(msg, runtime.End{Disposition: end.Disposition})
}

// taskIsNamed: a client is neither asked nor notified by a task before it has the id of the task.
func taskIsNamed(t *testing.T) {
	t.Helper()
	for _, test := range []struct {
		name, reason string
		then         func(w *wire, id string, x *late)
		want         []string
	}{
		{"written", "the task asks now", func(_ *wire, _ string, x *late) { x.wrote() }, []string{`"status":"input_required"`, `"method":"elicitation/create"`}},
		{"cancelled", "the task does not ask", func(w *wire, id string, _ *late) {
			w.send(legacy("2", "tasks/cancel", `"taskId":"`+id+`"`))
		}, []string{`"id":2,"result"`, `"status":"cancelled"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := taskServer(t, confirming(t, "ask", nil, mcptool.Task(mcptool.TaskSupportRequired)))
				w := open(t, srv)
				w.handshakeAble("2025-11-25")
				x := &late{recorder: newRecorder()}
				w.session.Serve(srv.Read([]byte(legacy("1", "tools/call", `"name":"ask","task":{}`))), x)
				time.Sleep(time.Minute)
				w.quiet()
				<-x.done
				id, _ := taskOf(t, x.last)
				test.then(w, id, x)
				synctest.Wait()
				if len(w.out) != len(test.want) {
					t.Errorf("%s: got %d messages, want %d", test.reason, len(w.out), len(test.want))
				}
				sent := w.next() + w.next() // in any order
				for _, part := range test.want {
					if !strings.Contains(sent, part) {
						t.Errorf("%s: got %s, want %s", test.reason, sent, part)
					}
				}
			})
		})
	}
}

// taskServerRead parses a message.
func taskServerRead(t *testing.T, text string) *runtime.Message {
	t.Helper()
	return serve(t).Read([]byte(text))
}

// taskStates: the status of a task changes only as the specification allows.
func taskStates(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := &recording{Store: task.NewMemory(task.MemoryLimits{})}
		srv := taskServer(t, inquisitive(t, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = tasks.New(store)
		w := open(t, srv)
		for _, cancelled := range []bool{false, true} {
			w.send(tasked("1", "tools/call", `,"name":"ask"`))
			id, _ := taskOf(t, w.next())
			for range 3 {
				time.Sleep(time.Second)
				for _, key := range w.inputs(id) {
					w.update(id, key, "x")
				}
			}
			if cancelled {
				w.send(tasked("2", "tasks/cancel", `,"taskId":"`+id+`"`))
				w.next()
			}
			time.Sleep(time.Hour)
			synctest.Wait()
		}
		allowed := map[task.Status][]task.Status{
			"":                       {task.StatusWorking},
			task.StatusWorking:       {task.StatusInputRequired, task.StatusCompleted, task.StatusFailed, task.StatusCancelled},
			task.StatusInputRequired: {task.StatusWorking, task.StatusCompleted, task.StatusFailed, task.StatusCancelled},
		}
		seen := map[string]task.Status{}
		store.mu.Lock()
		defer store.mu.Unlock()
		for _, r := range store.changes {
			before := seen[r.ID]
			if before != r.Status && !strings.Contains(fmt.Sprint(allowed[before]), string(r.Status)) {
				t.Errorf("invalid transition from %q to %q", before, r.Status)
			}
			seen[r.ID] = r.Status
		}
		if len(seen) != 2 {
			t.Errorf("got %d tasks, want 2", len(seen))
		}
	})
}

// recording is a store that records every change.
type recording struct {
	task.Store
	mu      sync.Mutex // held during a change, to record changes in order
	changes []task.Record
}

func (s *recording) Create(ctx context.Context, r task.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, r)
	return s.Store.Create(ctx, r)
}

func (s *recording) Update(ctx context.Context, r task.Record) (task.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := s.Store.Update(ctx, r)
	if err == nil {
		s.changes = append(s.changes, stored)
	}
	return stored, err
}

// failing is a store whose methods always fail.
type failing struct{ task.Store }

var errDisk = errors.New("no disk")

func (failing) Create(context.Context, task.Record) error { return errDisk }
func (failing) Get(context.Context, string) (task.Record, error) {
	return task.Record{}, errDisk
}

func (failing) List(context.Context, task.Owner, string, int) ([]task.Record, error) {
	return nil, errDisk
}

// TestTaskStoreFails: if a task cannot be stored, a call with an optional task is answered normally, and one with a
// required task fails with an internal error (T-TASKL-16).
func TestTaskStoreFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Minute)
			return &mcptool.Result{}, nil
		}
		srv := serve(t, tool(t, "may", slow, mcptool.Task(mcptool.TaskSupportOptional)), tool(t, "must", slow, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = tasks.New(failing{})
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"must"`))
		w.want(`"error":{"code":-32603,"message":"the task cannot be stored (reference `)
		w.send(tasked("2", "tools/call", `,"name":"may"`))
		time.Sleep(2 * time.Minute)
		w.want(`"id":2,"result":{"content":[],"resultType":"complete"`)
		w.send(tasked("3", "tasks/get", `,"taskId":"x"`))
		w.want(`"error":{"code":-32603,"message":"the task cannot be looked up; try again later"}`)
	})
}

// taskList: an authenticated caller can list its own tasks, and no others.
func taskList(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, tool(t, "quick", echo, mcptool.Task(mcptool.TaskSupportOptional)))
		srv.Limits.ToolsPerPage = 2
		w := open(t, srv)
		say := func(principal, msg string) string {
			w.session.Serve(access(srv, msg, principal), writerOf(w))
			return w.next()
		}
		if hello := say("ann", legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)); !strings.Contains(hello,
			`"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`) {
			t.Errorf("capabilities lack tasks: %s", hello)
		}
		var made []string
		for range 5 {
			id, _ := taskOf(t, say("ann", legacy("1", "tools/call", `"name":"quick","task":{}`)))
			made = append(made, id)
			time.Sleep(time.Second)
			w.want(`notifications/tasks/status`)
		}
		var listed []string
		for cursor := ""; ; {
			var m struct {
				Result struct {
					Tasks      []struct{ TaskID string }
					NextCursor string
				}
			}
			if err := json.Unmarshal([]byte(say("ann", legacy("2", "tasks/list", cursor))), &m); err != nil || len(m.Result.Tasks) > 2 {
				t.Fatalf("got a page of %d tasks (%v), want at most 2", len(m.Result.Tasks), err)
			}
			for _, one := range m.Result.Tasks {
				listed = append(listed, one.TaskID)
			}
			if m.Result.NextCursor == "" {
				break
			}
			cursor = `"cursor":"` + m.Result.NextCursor + `"`
		}
		if fmt.Sprint(listed) != fmt.Sprint(made) {
			t.Errorf("listed %v, want %v", listed, made)
		}
		for _, cursor := range []string{`"x"`, `7`, `"YWZ0ZXIgbm9wZQ"`} {
			if answer := say("ann", legacy("3", "tasks/list", `"cursor":`+cursor)); !strings.Contains(answer, `"code":-32602`) {
				t.Errorf("cursor %s: got %s, want invalid params", cursor, answer)
			}
		}
		if answer := say("bob", legacy("4", "tasks/list", "")); !strings.Contains(answer, `"tasks":[]`) {
			t.Errorf("another caller got %s, want no tasks", answer)
		}
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			if answer := say("bob", legacy("5", method, `"taskId":"`+made[0]+`"`)); !strings.Contains(answer, `"code":-32602,"message":"unknown or expired task`) {
				t.Errorf("%s by another caller: got %s, want unknown", method, answer)
			}
		}
	})
}
