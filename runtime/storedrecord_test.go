package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// spoiling is a store that changes the records which some of its methods return.
type spoiling struct {
	task.Store
	spoil  func(*task.Record) // called for what Get, List and Wait return, once it is on
	on     atomic.Bool
	atOnce bool         // Wait returns what there is, without waiting
	waits  atomic.Int64 // calls of Wait
}

func newSpoiling(spoil func(*task.Record)) *spoiling {
	return &spoiling{Store: task.NewMemory(task.MemoryLimits{}), spoil: spoil}
}

func (s *spoiling) spoiled(r task.Record, err error) (task.Record, error) {
	if err == nil && s.on.Load() && s.spoil != nil {
		s.spoil(&r)
	}
	return r, err
}

func (s *spoiling) Get(ctx context.Context, id string) (task.Record, error) {
	return s.spoiled(s.Store.Get(ctx, id))
}

func (s *spoiling) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	s.waits.Add(1)
	if s.atOnce && s.on.Load() {
		return s.spoiled(s.Store.Get(ctx, id))
	}
	return s.spoiled(s.Store.Wait(ctx, id, seen))
}

func (s *spoiling) List(ctx context.Context, principal, after string, limit int) ([]task.Record, error) {
	list, err := s.Store.List(ctx, principal, after, limit)
	for i := range list {
		list[i], _ = s.spoiled(list[i], nil)
	}
	return list, err
}

// indent makes r what a store returns that keeps indented JSON.
func indent(r *task.Record) {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		panic(err)
	}
	*r = task.Record{}
	if err := json.Unmarshal(text, r); err != nil {
		panic(err)
	}
}

// TestTaskStoreIndents: messages stay on one line, which is what [wire.Send] checks, if the store keeps indented JSON.
func TestTaskStoreIndents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newSpoiling(indent)
		store.on.Store(true)
		srv := taskServer(t, brief(t), inquisitive(t, mcptool.Task(mcptool.TaskRequired)))
		srv.Tasks = store
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"brief"`))
		id, _ := taskOf(t, w.next())
		w.send(tasked("2", "subscriptions/listen", `,"notifications":{"taskIds":["`+id+`"]}`))
		w.want("notifications/subscriptions/acknowledged")
		w.want(`"status":"working"`)
		time.Sleep(time.Minute)
		w.want(`"status":"completed"`, `"result":{`, `"text":"done"`)
		w.send(tasked("3", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"completed"`, `"result":{`, `"text":"done"`)

		w.send(tasked("4", "tools/call", `,"name":"ask"`))
		id, _ = taskOf(t, w.next())
		time.Sleep(2 * time.Second) // the tool asks after one
		w.send(tasked("5", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"input_required"`, `"method":"elicitation/create"`)
	})
}

// TestTaskStoreInvalid: nothing of a record that is not valid is sent. It is an error of the store, which is logged, and the
// session goes on.
func TestTaskStoreInvalid(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*task.Record){
		"nothing":                func(r *task.Record) { *r = task.Record{} },
		"unknown status":         func(r *task.Record) { r.Status = "banana" },
		"another task":           func(r *task.Record) { r.ID = "other" },
		"no outcome":             func(r *task.Record) { r.Result = nil },
		"failed without outcome": func(r *task.Record) { r.Status, r.Result = task.Failed, nil },
		"result while working":   func(r *task.Record) { r.Status = task.Working },
		"result is cut off":      func(r *task.Record) { r.Result = json.RawMessage(`{"banana":`) },
		"two results":            func(r *task.Record) { r.Result = json.RawMessage(`{},"banana":{}`) },
		"input without request": func(r *task.Record) {
			r.Status, r.Result, r.Inputs = task.InputRequired, nil, []task.Input{{Key: "banana"}}
		},
		"input that is no JSON": func(r *task.Record) {
			r.Status, r.Result, r.Inputs = task.InputRequired, nil, []task.Input{{Key: "k", Request: json.RawMessage("banana")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newSpoiling(func(r *task.Record) {
					if r.Status.Ended() {
						spoil(r)
					}
				})
				store.on.Store(true)
				srv := taskServer(t, brief(t))
				srv.Tasks = store
				log := logged(srv, slog.LevelError)
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"brief"`))
				id, _ := taskOf(t, w.next())
				w.send(tasked("2", "subscriptions/listen", `,"notifications":{"taskIds":["`+id+`"]}`))
				w.want("notifications/subscriptions/acknowledged")
				w.want(`"status":"working"`)
				time.Sleep(30 * time.Second)
				w.quiet() // who listens is told nothing
				w.send(tasked("3", "tasks/get", `,"taskId":"`+id+`"`))
				if got := w.want("the task cannot be looked up"); strings.Contains(got, "banana") {
					t.Errorf("sent %s", got)
				}
				if !strings.Contains(log.String(), "the store of tasks has returned a record that is not valid") || strings.Contains(log.String(), id) {
					t.Errorf("logged %s", log)
				}
				store.on.Store(false)
				w.send(tasked("4", "tasks/get", `,"taskId":"`+id+`"`))
				w.want(`"id":4`, `"status":"completed"`)
			})
		})
	}
}

// TestTaskStoreLongTexts: a text that the store returns is cut like others, and empty JSON is none.
func TestTaskStoreLongTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("-", 1<<20)
		failed, err := json.MarshalIndent(map[string]any{"code": -7, "message": "no", "data": []int{1}}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		store := newSpoiling(func(r *task.Record) {
			r.Status, r.Result, r.Error, r.Message = task.Failed, json.RawMessage{}, failed, long+"\xff"
		})
		srv := taskServer(t, brief(t))
		srv.Tasks = store
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"brief"`))
		id, _ := taskOf(t, w.next())
		store.on.Store(true)
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		if got := w.want(`"status":"failed"`, `"code":-7`, `"data":[1]`, `"message":"no"`, `-…"`); len(got) > 10<<10 {
			t.Errorf("sent %d bytes", len(got))
		}
	})
}

// TestTaskStoreWakesAlways: a Wait that does not wait costs few calls, whether the record has changed or only its version,
// and the client is told nothing twice.
func TestTaskStoreWakesAlways(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*atomic.Uint64) func(*task.Record){
		"unchanged":    func(*atomic.Uint64) func(*task.Record) { return nil },
		"new versions": func(n *atomic.Uint64) func(*task.Record) { return func(r *task.Record) { r.Version = n.Add(1) } },
		"new messages": func(n *atomic.Uint64) func(*task.Record) {
			return func(r *task.Record) { r.Version = n.Add(1); r.Message += strings.Repeat("-", int(r.Version%4000)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var version atomic.Uint64
				store := newSpoiling(spoil(&version))
				store.atOnce = true
				ended := make(chan error, 1)
				srv := taskServer(t, waiting(t, "wait", ended))
				srv.Tasks = store
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"wait"`))
				id, _ := taskOf(t, w.next())
				store.on.Store(true)
				w.send(tasked("2", "subscriptions/listen", `,"notifications":{"taskIds":["`+id+`"]}`))
				w.want("notifications/subscriptions/acknowledged")
				w.want(`"status":"working"`)
				time.Sleep(time.Minute)
				const most = 2 * (60*20 + 50) // the one that listens, and the task run itself
				if got := store.waits.Load(); got > most {
					t.Errorf("Wait was called %d times in a minute", got)
				}
				last, sent := "", 0
				for len(w.out) > 0 {
					next := w.next()
					if sent++; next == last {
						t.Fatalf("sent twice: %s", next)
					}
					last = next
				}
				if name != "new messages" && sent > 0 || sent > most {
					t.Errorf("%d notifications, the last is %s", sent, last)
				}
				store.on.Store(false)
				if _, err := task.Change(t.Context(), store.Store, id, func(r *task.Record) error { r.Status = task.Cancelled; return nil }); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour) // its TTL
			})
		})
	}
}

// forgetful is a store whose Update returns nothing of what it has stored.
type forgetful struct{ task.Store }

func (s forgetful) Update(ctx context.Context, r task.Record) (task.Record, error) {
	_, err := s.Store.Update(ctx, r)
	return task.Record{}, err
}

// TestTaskStoreUpdateReturnsNothing: a change that the store has not confirmed has failed, and a task that has ended has.
func TestTaskStoreUpdateReturnsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, brief(t))
		srv.Tasks = forgetful{task.NewMemory(task.MemoryLimits{})}
		log := logged(srv, slog.LevelError)
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"brief"`))
		id, _ := taskOf(t, w.next())
		time.Sleep(time.Minute)
		if got := w.status(id); got != "completed" {
			t.Errorf("it is %s", got)
		}
		w.send(tasked("2", "tools/call", `,"name":"brief"`))
		id, _ = taskOf(t, w.next())
		w.send(tasked("3", "tasks/cancel", `,"taskId":"`+id+`"`))
		w.want("the task cannot be looked up")
		if !strings.Contains(log.String(), "it is not what was to be stored") {
			t.Errorf("logged %s", log)
		}
		time.Sleep(time.Minute)
	})
}

// TestTaskStoreLists: what a list shows is checked, too, and no more of it than was asked for is shown.
func TestTaskStoreLists(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newSpoiling(func(r *task.Record) { r.Status = "banana" })
		w, say := openAsAnn(t, store)
		say(legacy("1", "tools/call", `"name":"brief","task":{}`))
		w.next()
		say(legacy("2", "tasks/list", ""))
		w.want(`"status":"working"`)
		store.on.Store(true)
		say(legacy("3", "tasks/list", ""))
		w.want("the task cannot be looked up")
	})
}
