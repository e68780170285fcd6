package tasks

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/task"
)

// claims is the state of claiming durable tasks that no process runs. Claiming continues while there is a session or an
// endpoint. Tasks.mu guards it.
type claims struct {
	users  int // number of sessions and endpoints
	stop   context.CancelFunc
	active sync.WaitGroup // of the goroutine that claims
}

// ClaimWhile makes a server claim durable tasks of processes that have died, until ctx ends. Without a queue it does
// nothing.
func (ts *Tasks) ClaimWhile(ctx context.Context, server Server) {
	if !ts.HasQueue() {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.claims.users++; ts.claims.users == 1 && ts.shutting.Err() == nil {
		claiming, stop := context.WithCancel(context.WithoutCancel(ctx))
		ts.claims.stop = stop
		ts.claims.active.Go(func() { ts.claimAll(claiming, server) })
	}
	context.AfterFunc(ctx, func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		if ts.claims.users--; ts.claims.users == 0 && ts.claims.stop != nil {
			ts.claims.stop()
		}
	})
}

// endClaiming stops claiming, and waits until that has ended: a claimed task may be handed back.
func (ts *Tasks) endClaiming() {
	ts.mu.Lock()
	if ts.claims.stop != nil {
		ts.claims.stop()
	}
	ts.mu.Unlock()
	sleep(whenDone(&ts.claims.active), ts.config.Grace)
}

// claimAll claims tasks and runs them, until ctx ends.
func (ts *Tasks) claimAll(ctx context.Context, server Server) {
	const pause = time.Second
	for failing := false; ctx.Err() == nil; {
		if !ts.hasRoom() {
			sleep(ctx, pause)
			continue
		}
		r, err := ts.store.claim(ctx, ts.owner)
		switch {
		case err == nil && ctx.Err() != nil: // claimed just before the end of ctx
			ts.handBack(ctx, &r, stopping)
			return
		case err == nil && ts.runAgain(ctx, server, &r):
			failing = false
			continue
		case err != nil && ctx.Err() == nil && !failing:
			failing = true
			ts.log.LogAttrs(ctx, slog.LevelError, "tasks cannot be claimed", slog.Any("error", err))
		}
		sleep(ctx, pause)
	}
}

// hasRoom reports whether another task may run.
func (ts *Tasks) hasRoom() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return len(ts.running) < ts.config.MaxRunning
}

// stopping is the reason for releasing a task in a regular shutdown.
const stopping = "the server stopped before the task was done"

// runAgain runs a claimed task from the top. It reports false if the task is left to other servers. Claim may have
// taken any time, so the lease is renewed first to know when it expires.
//
//nolint:contextcheck // the run outlives the claiming
func (ts *Tasks) runAgain(ctx context.Context, server Server, r *task.Record) bool {
	defer contain.Panic(ctx, ts.log, "task not run again")
	run := ts.newRun(nil, r, time.Now())
	if err := run.renew(context.WithoutCancel(ctx), 0); err != nil {
		ts.handBack(ctx, r, "its lease could not be renewed")
		return false
	}
	call, why, lacksTool := server.Rerun(run)
	if why != "" {
		if !lacksTool || !ts.WaitForTool(ctx, r, why) {
			ts.giveUp(ctx, server, r, why)
		}
		return true
	}
	run.call = call
	if err := ts.enterAgain(run); err != nil {
		if errors.Is(err, taskengine.ErrClosed) {
			ts.handBack(ctx, r, stopping)
		}
		return false
	}
	run.begin("task goes on")
	run.call.Begin()
	return true
}

// handBack releases a claimed task that is not run here.
func (ts *Tasks) handBack(ctx context.Context, r *task.Record, why string) {
	err := ts.store.release(ctx, r, why)
	if err != nil && !hasMoved(err) {
		ts.log.LogAttrs(ctx, slog.LevelWarn, "claimed task is not run here; others can claim it when its lease has expired", slog.String("tool", r.Tool), slog.Any("error", err))
	}
}

// giveUp ends a task that cannot be run again.
func (ts *Tasks) giveUp(ctx context.Context, server Server, r *task.Record, why string) {
	end := *r
	fail(&end, why)
	if _, err := ts.store.endTask(ctx, &end); err != nil {
		ts.log.LogAttrs(ctx, slog.LevelError, "end of a task cannot be stored", slog.String("tool", r.Tool), slog.Any("error", err))
	} else {
		server.GivenUp(&end)
	}
	ts.log.LogAttrs(ctx, slog.LevelError, "task cannot be run again", slog.String("tool", r.Tool), taskengine.OwnerAttr(r.Owner),
		slog.Uint64("run", r.Durable.Epoch), slog.String("reason", why))
}

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
	ts.log.LogAttrs(ctx, slog.LevelWarn, "task is waiting for its tool", slog.String("tool", r.Tool), slog.String("reason", why))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), taskengine.StoreTime)
	defer cancel()
	_, err := changeRun(ctx, ts.store, r, func(stored *task.Record) error {
		d := *stored.Durable
		d.Attempts = max(d.Attempts-1, 0)
		stored.Durable = &d
		return nil
	})
	if err != nil && !hasMoved(err) {
		ts.log.LogAttrs(ctx, slog.LevelWarn, "task that is waiting for its tool cannot be stored; this counts as an attempt", slog.String("tool", r.Tool), slog.Any("error", err))
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
