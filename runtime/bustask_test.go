package runtime_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// polling is a store whose Wait polls every ten minutes.
type polling struct {
	task.Store
	gets atomic.Int64
}

func (s *polling) Get(ctx context.Context, id string) (task.Record, error) {
	s.gets.Add(1)
	return s.Store.Get(ctx, id)
}

func (s *polling) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	for {
		if r, err := s.Get(ctx, id); err != nil || r.Version > seen {
			return r, err
		}
		select {
		case <-ctx.Done():
			return task.Record{}, ctx.Err()
		case <-time.After(10 * time.Minute):
		}
	}
}

// sharing returns two instances that share a polling store and a Bus, which may be nil.
func sharing(t *testing.T, broker bus.Bus, tools ...*mcptool.Tool) (a, b *runtime.Server, store *polling) {
	t.Helper()
	store = &polling{Store: task.NewMemory(task.MemoryLimits{})}
	a, b = taskServer(t, tools...), taskServer(t, tools...)
	for _, srv := range []*runtime.Server{a, b} {
		srv.Tasks, srv.Bus = tasks.New(store), bus.New(broker)
	}
	return a, b, store
}

// TestBusCancelsTask: a task that is cancelled at another instance ends at once with a Bus, and at the next poll of the
// store without one or if the Bus loses the notice.
func TestBusCancelsTask(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		broker bus.Bus
		took   time.Duration
	}{
		{"bus", &bus.Local{}, 0},
		{"no bus", nil, 10 * time.Minute},
		{"losing bus", losing{}, 10 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 2)
				a, b, _ := sharing(t, test.broker, waiting(t, "wait", ended))
				w, other := open(t, a), open(t, b)
				w.send(tasked("1", "tools/call", `,"name":"wait"`))
				id, _ := taskOf(t, w.next())
				w.send(tasked("2", "subscriptions/listen", `,"notifications":{"taskIds":["`+id+`"]}`))
				w.want("acknowledged")
				w.want(`"status":"working"`)
				synctest.Wait()
				begin := time.Now()
				other.send(tasked("3", "tasks/cancel", `,"taskId":"`+id+`"`))
				other.want(`"id":3,"result":{`)
				<-ended
				if took := time.Since(begin); took != test.took {
					t.Errorf("the task ended after %v, want %v", took, test.took)
				}
				w.want(`"status":"cancelled"`)
				if took := time.Since(begin); took != test.took {
					t.Errorf("the subscriber was notified after %v, want %v", took, test.took)
				}
			})
		})
	}
}

// losing is a Bus that drops all notices.
type losing struct{}

func (losing) Publish(context.Context, bus.Notice) error           { return nil }
func (losing) Subscribe(func(bus.Notice)) (stop func(), err error) { return func() {}, nil }

// TestBusAnswersTask: a task that waits for answers continues at once when another instance receives them.
func TestBusAnswersTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b, _ := sharing(t, &bus.Local{}, inquisitive(t, mcptool.Task(mcptool.TaskSupportRequired)))
		w, other := open(t, a), open(t, b)
		begin := time.Now()
		w.send(tasked("1", "tools/call", `,"name":"ask"`))
		id, _ := taskOf(t, w.next())
		time.Sleep(2 * time.Second) // the tool asks after one second
		for _, question := range []string{"First?", "Second?", "Third?"} {
			other.update(id, w.inputs(id)[question], question)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Second)
		w.send(tasked("4", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"completed"`, "First?Second?Third?")
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("the task took %v, want at most 10s", took)
		}
	})
}

// TestBusTaskFlood: notices of an unchanged task cause at most one look-up in 50 ms, and a change is still noticed at
// once.
func TestBusTaskFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &bus.Local{}
		ended := make(chan error, 2)
		a, b, store := sharing(t, broker, waiting(t, "wait", ended))
		w, other := open(t, a), open(t, b)
		w.send(tasked("1", "tools/call", `,"name":"wait"`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		before := store.gets.Load()
		for range 10_000 {
			if err := broker.Publish(t.Context(), bus.Notice{From: "x", Kind: "task", Subject: id}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Microsecond)
		}
		if got := store.gets.Load() - before; got < 10 || got > 21 {
			t.Errorf("the record was looked up %d times in a second, want 10 to 21", got)
		}
		begin := time.Now()
		other.send(tasked("2", "tasks/cancel", `,"taskId":"`+id+`"`))
		other.want(`"id":2,"result":{`)
		<-ended
		if took := time.Since(begin); took > 50*time.Millisecond {
			t.Errorf("the cancellation took %v, want at most 50ms", took)
		}
	})
}

// TestBusTaskNotices: a notice is published only when a task is cancelled or answered.
func TestBusTaskNotices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &faultyBus{}
		a, _, _ := sharing(t, broker, inquisitive(t, mcptool.Task(mcptool.TaskSupportRequired)))
		w := open(t, a)
		w.send(tasked("1", "tools/call", `,"name":"ask"`))
		id, _ := taskOf(t, w.next())
		time.Sleep(2 * time.Second)
		key := w.inputs(id)["First?"]
		want := func(what string, notices int) {
			t.Helper()
			time.Sleep(time.Second)
			if got := broker.attempts(); got != notices {
				t.Errorf("after %s: %d notices, want %d", what, got, notices)
			}
		}
		want("a question", 0)
		w.update(id, "other", "x")
		want("an unknown answer", 0)
		w.update(id, key, "x")
		want("an answer", 1)
		w.update(id, key, "x")
		want("a second answer", 1)
		for i := range 2 {
			w.send(tasked(fmt.Sprint(i), "tasks/cancel", `,"taskId":"`+id+`"`))
			w.want(`"result":{`)
		}
		want("the cancellation", 2)
		broker.mu.Lock()
		defer broker.mu.Unlock()
		for _, n := range broker.tried {
			if n.Kind != "task" || n.Subject != id || n.From == "" {
				t.Errorf("unexpected notice %+v", n)
			}
		}
	})
}
