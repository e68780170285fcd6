package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// copying is a queue that copies the arguments of each record read, as a database does.
type copying struct{ task.Queue }

func (s copying) Get(ctx context.Context, id string) (task.Record, error) {
	r, err := s.Queue.Get(ctx, id)
	if r.Durable != nil {
		d := *r.Durable
		d.Arguments = bytes.Clone(d.Arguments)
		r.Durable = &d
	}
	return r, err
}

// TestWaitingResultsHoldNoRecord: requests that wait for the result of a task do not keep its record in memory, where it
// would not be counted.
func TestWaitingResultsHoldNoRecord(t *testing.T) { //nolint:paralleltest // measures memory
	srv := taskServer(t, tool(t, "wait", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, durably()...))
	srv.Tasks = tasks.New(copying{taskqueue.NewMemory(task.MemoryLimits{}, 0)})
	w := open(t, srv)
	w.handshake("2025-11-25")
	w.send(legacy("1", "tools/call", `"name":"wait","task":{},"arguments":{"a":"`+strings.Repeat("x", 1<<20)+`"}`))
	id, _ := taskOf(t, w.next())
	before := heapInUse()
	for i := range 50 {
		w.send(legacy(fmt.Sprint(i+10), "tasks/result", `"taskId":"`+id+`"`))
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.InFlight(srv) < 50; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests wait, want 50", runtime.InFlight(srv))
		}
	}
	const most = 10 << 20
	held := heapInUse() - before
	for deadline := time.Now().Add(10 * time.Second); held > most && time.Now().Before(deadline); held = heapInUse() - before {
		time.Sleep(10 * time.Millisecond) // until the first look-ups have ended
	}
	if held > most {
		t.Errorf("50 requests for a task of 1 MiB use %d MiB, want at most %d", held>>20, most>>20)
	}
	goruntime.KeepAlive(srv)
}

// updates is a queue that counts updates.
type updates struct {
	task.Queue
	n *atomic.Int64
}

func (q updates) Update(ctx context.Context, r task.Record) (task.Record, error) {
	q.n.Add(1)
	return q.Queue.Update(ctx, r)
}

// TestRerunReportsAtItsInterval: a later run of a task stores progress at the PollInterval of its own tool, not at that of
// the first run.
func TestRerunReportsAtItsInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := updates{taskqueue.NewMemory(task.MemoryLimits{}, 0), new(atomic.Int64)}
		all := runners(t, 2, q, func(i int) *mcptool.Tool {
			return tool(t, "book", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				if i == 0 {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				for n := range 60 {
					mcptool.Progress(ctx, float64(n), 60, fmt.Sprint("step ", n))
					time.Sleep(time.Second)
				}
				return says("done"), nil
			}, append(durably(), mcptool.PollInterval([]time.Duration{time.Hour, time.Second}[i]))...)
		})
		all[0].begin("book")
		all[0].link.cut()
		time.Sleep(2*longLease + 2*time.Minute)
		if n := q.n.Load(); n < 30 {
			t.Errorf("got %d updates of 60 reports in a minute, want at least 30", n)
		}
	})
}
