package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// TestTaskResultCancelledAtSlot: a tasks/result that waits for a slot to send a long result ends when it is cancelled, and
// Close does not wait for it.
func TestTaskResultCancelledAtSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, tool(t, "task", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: strings.Repeat("x", 100<<10)}}}, nil
		}, mcptool.Task(mcptool.TaskSupportOptional)))
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.session.Serve(access(srv, legacy("1", "tools/call", `"name":"task","task":{}`), "ann"), nil)
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		for range slots() {
			end, err := srv.Slot(t.Context(), &runtime.Access{Principal: "bob"}, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			defer end()
		}
		w.session.Serve(access(srv, legacy("2", "tasks/result", `"taskId":"`+id+`"`), "ann"), nil)
		synctest.Wait()
		if n := runtime.InFlight(srv); n != 1 {
			t.Fatalf("%d requests in flight, want 1", n)
		}
		w.session.Serve(access(srv, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "ann"), nil)
		synctest.Wait()
		if n := runtime.InFlight(srv); n != 0 {
			t.Errorf("%d requests in flight after the cancellation, want 0", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if begun, err := time.Now(), w.session.Close(ctx); err != nil || time.Since(begun) > 0 {
			t.Errorf("Close = %v after %v, want nil at once", err, time.Since(begun))
		}
	})
}

// TestTaskResultOldest: of several tasks/result for one task, the first gets all messages, so that progress increases in
// every stream.
func TestTaskResultOldest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const steps = 20
		srv := taskServer(t, tool(t, "task", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			for i := range steps {
				time.Sleep(time.Second)
				mcptool.Progress(ctx, float64(i+1), steps, "")
			}
			return &mcptool.Result{}, nil
		}, mcptool.Task(mcptool.TaskSupportOptional)))
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"task","task":{}}}`)
		id, _ := taskOf(t, w.next())
		first, second := newRecorder(), newRecorder()
		w.session.Serve(srv.Read([]byte(legacy("2", "tasks/result", `"taskId":"`+id+`"`))), first)
		synctest.Wait()
		w.session.Serve(srv.Read([]byte(legacy("3", "tasks/result", `"taskId":"`+id+`"`))), second)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(first.notes) != steps || len(second.notes) != 0 {
			t.Errorf("first got %d messages and second %d, want %d and 0", len(first.notes), len(second.notes), steps)
		}
	})
}

// tracedStore is a store that uses the context of Get after it has returned, for example for tracing.
type tracedStore struct{ task.Store }

func (s tracedStore) Get(ctx context.Context, id string) (task.Record, error) {
	go func() {
		for range 100 {
			ctx.Value(s)
			time.Sleep(time.Millisecond)
		}
	}()
	return s.Store.Get(ctx, id)
}

// TestTaskResultStoreContext: the server does not modify the context passed to a store; for the race detector.
func TestTaskResultStoreContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, tool(t, "task", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Second)
			return &mcptool.Result{}, nil
		}, mcptool.Task(mcptool.TaskSupportOptional)))
		srv.Tasks = tasks.New(tracedStore{task.NewMemory(task.MemoryLimits{})})
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"task","task":{}`))
		id, _ := taskOf(t, w.next())
		w.send(legacy("2", "tasks/result", `"taskId":"`+id+`"`))
		time.Sleep(2 * time.Second)
	})
}
