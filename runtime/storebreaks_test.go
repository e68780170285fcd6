package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// obstructed is a store whose methods first call the func set by a test.
type obstructed struct {
	task.Store
	mu    sync.Mutex
	first map[string]func(ctx context.Context) // by method
	calls atomic.Int64                         // number of calls of these funcs
}

func newObstructed() *obstructed {
	return &obstructed{Store: task.NewMemory(task.MemoryLimits{}), first: map[string]func(context.Context){}}
}

// set makes method call f first; nil removes the func.
func (s *obstructed) set(method string, f func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first[method] = f
}

func (s *obstructed) enter(ctx context.Context, method string) error {
	s.mu.Lock()
	f := s.first[method]
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	s.calls.Add(1)
	f(ctx)
	return ctx.Err()
}

func (s *obstructed) Create(ctx context.Context, r task.Record) error {
	if err := s.enter(ctx, "Create"); err != nil {
		return err
	}
	return s.Store.Create(ctx, r)
}

func (s *obstructed) Get(ctx context.Context, id string) (task.Record, error) {
	if err := s.enter(ctx, "Get"); err != nil {
		return task.Record{}, err
	}
	return s.Store.Get(ctx, id)
}

func (s *obstructed) Update(ctx context.Context, r task.Record) (task.Record, error) {
	if err := s.enter(ctx, "Update"); err != nil {
		return task.Record{}, err
	}
	return s.Store.Update(ctx, r)
}

func (s *obstructed) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	if err := s.enter(ctx, "Wait"); err != nil {
		return task.Record{}, err
	}
	return s.Store.Wait(ctx, id, seen)
}

func (s *obstructed) List(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	if err := s.enter(ctx, "List"); err != nil {
		return nil, err
	}
	return s.Store.List(ctx, owner, after, limit)
}

func (s *obstructed) Delete(ctx context.Context, id string) error {
	if err := s.enter(ctx, "Delete"); err != nil {
		return err
	}
	return s.Store.Delete(ctx, id)
}

// untilDone blocks until the context ends.
func untilDone(ctx context.Context) { <-ctx.Done() }

// twoTasks starts a modern and a legacy task in a session that reads from a feed.
func twoTasks(t *testing.T, store task.Store) (w *wire, f *feed, srv *runtime.Server, modernID, legacyID string) {
	t.Helper()
	asking := tool(t, "asking", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return nil, mcptool.Confirm(ctx, "Sure?")
	}, mcptool.Task(mcptool.TaskSupportRequired))
	srv = taskServer(t, asking, waiting(t, "waiting", make(chan error, 1)), tool(t, "echo", echo))
	srv.Tasks = tasks.New(store)
	w, f = stream(t, srv)
	f.messages <- tasked("1", "tools/call", `,"name":"asking"`)
	modernID, _ = taskOf(t, w.next())
	f.messages <- legacy("2", "tools/call", `"name":"waiting","task":{}`)
	legacyID, _ = taskOf(t, w.next())
	synctest.Wait()
	for len(w.out) > 0 {
		<-w.out
	}
	return w, f, srv, modernID, legacyID
}

// TestStoreBreaks: a panic of the store fails only the request that uses it.
func TestStoreBreaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, _, id, legacyID := twoTasks(t, store)
		panics := func(context.Context) { panic("broken") }
		store.set("Get", panics)
		begun := time.Now()
		for range 200 {
			f.messages <- tasked("7", "tasks/get", `,"taskId":"`+id+`"`)
			w.want(`"id":7,"error"`, "the task cannot be looked up")
		}
		store.set("Get", nil)
		store.set("Wait", panics)
		f.messages <- legacy("8", "tasks/result", `"taskId":"`+legacyID+`"`)
		w.want(`"id":8,"error"`, "the task cannot be looked up")
		store.set("Wait", nil)
		f.messages <- tasked("9", "tasks/get", `,"taskId":"`+id+`"`)
		w.want(`"id":9,"result"`)
		if took := time.Since(begun); took != 0 {
			t.Errorf("the requests took %v, want 0", took)
		}
	})
}

// TestStorePanicLogged: a panic of the store is logged with its stack trace.
func TestStorePanicLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", func(context.Context) { panic("broken") })
		srv := taskServer(t, brief(t))
		srv.Tasks = tasks.New(store)
		log := logged(srv, slog.LevelError)
		w := open(t, srv)
		w.send(tasked("1", "tasks/get", `,"taskId":"x"`))
		w.want("the task cannot be looked up")
		if text := log.String(); !strings.Contains(text, "panic: broken") || !strings.Contains(text, "obstructed") {
			t.Errorf("log lacks the panic or its stack: %s", text)
		}
	})
}
