package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// TestTaskWatchFails: a short failure of the store's Wait does not end a running task.
func TestTaskWatchFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		broken := time.Now().Add(time.Second)
		store.wait = func(context.Context) error {
			if time.Now().Before(broken) {
				return errDisk
			}
			return nil
		}
		srv := taskServer(t, brief(t))
		srv.Tasks = tasks.New(store)
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"brief"`))
		id, _ := taskOf(t, w.next())
		time.Sleep(time.Minute)
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"completed"`, `"done"`)
	})
}

// TestTaskWatchFailsLater: the time that a store may fail is measured from its first failure, not from the start of the
// task.
func TestTaskWatchFailsLater(t *testing.T) {
	t.Parallel()
	for outage, ends := range map[time.Duration]bool{5 * time.Second: false, 20 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			store := newFaulty()
			var ended atomic.Bool
			long := tool(t, "long", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				select {
				case <-time.After(2 * time.Minute):
				case <-ctx.Done():
					ended.Store(true)
				}
				return &mcptool.Result{}, nil
			}, mcptool.Task(mcptool.TaskSupportRequired))
			begins := time.Now().Add(time.Minute)
			store.get = func(context.Context) error {
				if now := time.Now(); now.After(begins) && now.Before(begins.Add(outage)) {
					return errDisk
				}
				return nil
			}
			store.wait = func(ctx context.Context) error {
				now := time.Now()
				if now.Before(begins) {
					select {
					case <-time.After(begins.Sub(now)):
					case <-ctx.Done():
					}
					return errDisk
				}
				return store.get(ctx)
			}
			srv := taskServer(t, long)
			srv.Tasks = tasks.New(store)
			w := open(t, srv)
			w.send(tasked("1", "tools/call", `,"name":"long"`))
			taskOf(t, w.next())
			time.Sleep(3 * time.Minute)
			if got := ended.Load(); got != ends {
				t.Errorf("after an outage of %v: context ended = %t, want %t", outage, got, ends)
			}
		})
	}
}

// TestTaskResultTooLarge: if the store has no space for a result, the task fails with that reason.
func TestTaskResultTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, tool(t, "large", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: strings.Repeat("-", 5000)}}}, nil
		}, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = tasks.New(task.NewMemory(task.MemoryLimits{Bytes: 4000}))
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"large"`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(notStored + ": the task store is full")
	})
}
