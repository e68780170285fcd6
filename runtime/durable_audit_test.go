package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// TestDurableAudit: the instance that ends a task of another instance writes the audit record of the call, even if the task
// cannot run again.
func TestDurableAudit(t *testing.T) {
	t.Parallel()
	waits := tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return untilEnd(ctx) }, durably()...)
	ends := tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, durably()...)
	plain := tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	for outcome, next := range map[string]*mcptool.Tool{"ok": ends, "failed": plain} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var logs []*journal
				all := runners(t, 2, taskqueue.NewMemory(task.MemoryLimits{}, 0), func(i int) *mcptool.Tool { return []*mcptool.Tool{waits, next}[i] }, func(srv *runtime.Server) {
					logs = append(logs, logged(srv, slog.LevelInfo))
					srv.Observer = audit.New(srv.Logger)
				})
				id := all[0].begin("x")
				all[0].link.cut()
				time.Sleep(6 * time.Minute)
				all[1].wantEnd(id, `"taskId":"`+id)
				records := auditOf(t, logs[1])
				if len(records) != 1 || records[0]["outcome"] != outcome || records[0]["tool"] != "x" || records[0]["bytes_in"] != 7.0 {
					t.Errorf("audit records = %v, want one with outcome %s", records, outcome)
				}
			})
		})
	}
}
