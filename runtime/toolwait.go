package runtime

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// toolWait is how long a server leaves a durable task to others because its own tool does not fit it, before it ends the task.
const toolWait = 5 * time.Minute

// unfit is a task that a server has left to others because of its tool.
type unfit struct{ since, last time.Time }

// waitForTool leaves a task that was claimed to others, because the tool of this server is not there or does not fit it. While
// instances are replaced one by one, others may have the tool as it was, or this one later: the task is free when its lease has
// run out. That is no attempt, because no process has ended. It reports false if the task has waited for long enough.
func (c *core) waitForTool(ctx context.Context, r *task.Record, why string) bool {
	if !c.tasks.mayWait(r.ID, time.Now()) {
		return false
	}
	c.log.LogAttrs(ctx, slog.LevelWarn, "task waits for its tool", slog.String("tool", r.Tool), slog.String("reason", why))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	_, err := task.Change(ctx, c.tasks.queue, r.ID, func(stored *task.Record) error {
		if epochOf(stored) != epochOf(r) {
			return task.ErrStale
		}
		d := *stored.Durable
		d.Attempts = max(d.Attempts-1, 0)
		stored.Durable = &d
		return nil
	})
	if err != nil && !hasMoved(err) {
		c.log.LogAttrs(ctx, slog.LevelWarn, "task that waits for its tool cannot be stored, so that this counts as an attempt", slog.String("tool", r.Tool), slog.Any("error", err))
	}
	return true
}

// mayWait notes that a task is left to others, and reports whether it has not been for long enough. One that this server has not
// seen for a while was run elsewhere, and waits anew.
func (ts *tasks) mayWait(id string, now time.Time) bool {
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
