package tasks

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// toolWait is how long a server leaves a durable task to other servers because its own tool does not fit, before it
// ends the task.
const toolWait = 5 * time.Minute

// unfit is a task that a server has left to other servers because of its tool.
type unfit struct{ since, last time.Time }

// WaitForTool leaves a claimed task to other servers, because the tool of this server does not exist or does not fit.
// While instances are replaced one by one, another instance may still have the earlier tool, or this one may get the
// new one later. The task can be claimed again when its lease has expired. The run does not count as an attempt,
// because no process has died. It reports false if the task has waited long enough.
func (ts *Tasks) WaitForTool(ctx context.Context, r *task.Record, why string) bool {
	if !ts.mayWait(r.ID, time.Now()) {
		return false
	}
	ts.log.LogAttrs(ctx, slog.LevelWarn, "task waits for its tool", slog.String("tool", r.Tool), slog.String("reason", why))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTime)
	defer cancel()
	_, err := task.Change(ctx, ts.queue, r.ID, func(stored *task.Record) error {
		if epochOf(stored) != epochOf(r) {
			return task.ErrStale
		}
		d := *stored.Durable
		d.Attempts = max(d.Attempts-1, 0)
		stored.Durable = &d
		return nil
	})
	if err != nil && !hasMoved(err) {
		ts.log.LogAttrs(ctx, slog.LevelWarn, "task that waits for its tool cannot be stored, so that this counts as an attempt", slog.String("tool", r.Tool), slog.Any("error", err))
	}
	return true
}

// mayWait records that a task is left to other servers, and reports whether it may still wait. If this server has not
// seen the task for some time, another one has run it, and the waiting begins again.
func (ts *Tasks) mayWait(id string, now time.Time) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	maps.DeleteFunc(ts.unfit, func(_ string, u unfit) bool { return now.Sub(u.last) > toolWait/2 })
	u, ok := ts.unfit[id]
	if !ok {
		u.since = now
	}
	u.last = now
	if now.Sub(u.since) >= toolWait {
		delete(ts.unfit, id)
		return false
	}
	ts.unfit[id] = u
	return true
}
