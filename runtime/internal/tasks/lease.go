package tasks

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/task"
)

// renewLease renews the lease of the task until its end is stored or its context has ended. It ends the context if
// renewing fails, before another process can claim the task. It is the body of a goroutine.
func (r *Run) renewLease() {
	ctx := r.call.Context()
	defer contain.Panic(ctx, r.tasks.log, "lease of a task not renewed")
	whole := r.tasks.store.queue.LeaseTime()
	margin := whole / 6
	pause := min(whole/3, max(time.Until(r.until)-margin, 0)) // storing the record may have taken long
	failing := false
	for {
		select {
		case <-r.concluded:
			return
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := r.renew(ctx, margin)
		switch {
		case err == nil:
			pause, failing = whole/3, false
		case errors.Is(err, task.ErrEnded):
			if !r.claimed.Load() { // otherwise this run has ended the task
				r.call.End(taskengine.ErrCancelled) // watch may be slow to notice, or unable to
			}
			return
		case errors.Is(err, task.ErrNotFound):
			r.call.End(taskengine.ErrExpired)
			return
		case errors.Is(err, task.ErrStale), time.Until(r.until) <= margin:
			r.logError(slog.LevelError, "task abandoned: its lease cannot be renewed", err)
			r.call.End(taskengine.ErrLeaseLost)
			return
		default:
			if !failing {
				r.logError(slog.LevelWarn, "lease of a task cannot be renewed", err)
			}
			pause, failing = min(whole/20, max(time.Until(r.until)-margin, 0)), true
		}
	}
}

// renew tries to renew the lease, once and until a margin before it expires.
func (r *Run) renew(ctx context.Context, margin time.Duration) error {
	ctx, cancel := context.WithDeadline(ctx, r.until.Add(-margin))
	defer cancel()
	began := time.Now()
	err := r.tasks.store.renew(ctx, r.created.ID, r.created.Durable.Epoch)
	if err == nil {
		r.until = began.Add(r.tasks.store.queue.LeaseTime())
	}
	return err
}

// epochOf returns the number of the run in a record; 0 if its task is not durable.
func epochOf(r *task.Record) uint64 {
	if r.Durable == nil {
		return 0
	}
	return r.Durable.Epoch
}
