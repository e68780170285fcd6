package tasks

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// Conclude calls end, which stores the end of the task. If the tool and its timeout end the task at the same time, the
// first one counts, and the other one waits until the end is stored.
func (r *Run) Conclude(end func()) {
	if !r.claimed.CompareAndSwap(false, true) {
		<-r.concluded
		return
	}
	defer close(r.concluded)
	end()
}

// HandOver reports whether the run leaves a durable task to another process, because the server stops or the lease is
// lost. If the server stops, the task is released, so that it continues at once. It is for Conclude.
func (r *Run) HandOver() bool {
	ctx := r.call.Context()
	cause := context.Cause(ctx)
	switch {
	case r.created.Durable == nil || !isLeft(cause):
		return false
	case errors.Is(cause, taskengine.ErrLeaseLost):
		return true
	}
	if err := r.tasks.store.release(ctx, &r.created, stopping); err != nil && !hasMoved(err) {
		r.logError(slog.LevelWarn, "task cannot be released; it resumes when its lease has expired", err)
	}
	r.log("task released to other processes", &r.created)
	return true
}

// isLeft reports whether a durable task continues in another run if its run has ended with this cause.
func isLeft(cause error) bool {
	return errors.Is(cause, taskengine.ErrShutdown) || errors.Is(cause, taskengine.ErrLeaseLost)
}

// End stores the end of the task, for Conclude. The package documentation describes what happens if the store fails. End
// returns the resulting record, and reports whether this call has ended the task, and whether the given end was stored.
func (r *Run) End(end *task.Record) (last task.Record, isThis, stored bool) {
	last, err := r.tryEnd(end)
	switch {
	case err == nil:
		isThis, stored = true, true
	case hasMoved(err):
	case end.Durable != nil && !isFinal(err): // another run tries again
		r.logError(slog.LevelError, "end of a task cannot be stored", err)
	default:
		r.logError(slog.LevelError, "end of a task cannot be stored", err)
		last, err = r.loseResult(*end, err)
		isThis = err == nil
	}
	if isThis {
		r.Announce(&last)
	}
	return last, isThis, stored
}

// tryEnd stores an end of the task.
func (r *Run) tryEnd(end *task.Record) (task.Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.call.Context()), taskengine.StoreTime)
	defer cancel()
	pausing, hurry := context.WithCancel(ctx)
	defer hurry()
	defer context.AfterFunc(r.tasks.stopping, hurry)()
	return retry(pausing, func() (task.Record, error) { return r.tasks.store.endTask(ctx, end) })
}

// loseResult makes a task fail because its result could not be stored, for this cause.
func (r *Run) loseResult(end task.Record, cause error) (task.Record, error) {
	if end.Result != nil {
		text := "the result of the task could not be stored"
		if errors.Is(cause, task.ErrFull) {
			text += ": " + task.ErrFull.Error()
		}
		fail(&end, text)
		most := taskengine.StoreTime
		if r.tasks.stopping.Err() != nil {
			most = r.tasks.config.Grace
		}
		last, err := r.endOnce(&end, most)
		if err == nil || errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound) {
			return last, err
		}
	}
	if end.Durable != nil {
		return end, cause // another run tries again
	}
	end.Updated, end.Inputs = time.Now().UTC(), nil
	r.tasks.store.show(&end)
	if r.tasks.enterAgain(r) != nil {
		r.lose(cause)
	} else {
		go r.endLater(&end, r.call.Hold())
	}
	return end, nil
}

// endOnce tries to store an end of the task.
func (r *Run) endOnce(end *task.Record, most time.Duration) (task.Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.call.Context()), most)
	defer cancel()
	return r.tasks.store.endTask(ctx, end)
}

// endLater tries to store an end that is in memory until it is stored or has expired, or the server is shut down; then
// it tries once more. Then it drops the memory of the call. It is the body of a goroutine.
func (r *Run) endLater(end *task.Record, drop func()) {
	defer r.tasks.leave(r)
	defer drop()
	const longest = time.Minute
	waiting, cancel := context.WithDeadline(r.tasks.shutting, end.Expires())
	defer cancel()
	for pause := time.Second; ; pause = min(2*pause, longest) {
		most := taskengine.StoreTime
		again := sleep(waiting, pause)
		if !again {
			most = r.tasks.config.Grace
		}
		_, err := r.endOnce(end, most)
		switch {
		case err == nil:
			r.log("end of a task stored after retries", end)
		case hasMoved(err), !time.Now().Before(end.Expires()): // cancelled elsewhere, or expired
		case again:
			continue
		default:
			r.lose(err)
			return
		}
		r.tasks.store.hide(end.ID)
		return
	}
}

// lose logs and counts an end that is lost with the process.
func (r *Run) lose(cause error) {
	r.tasks.mu.Lock()
	r.tasks.lost++
	r.tasks.mu.Unlock()
	r.logError(slog.LevelError, "end of a task lost: clients saw it, but it could not be stored", cause)
}

// fail makes r the record of a task that has failed for this reason.
func fail(r *task.Record, why string) {
	e := wire.Error{Code: wire.CodeInternal, Message: why}
	r.Status, r.Message, r.Result, r.Error = task.StatusFailed, why, nil, e.Append(nil)
}

// abandon stores that the task has failed because its tool does not return.
func (r *Run) abandon() {
	defer contain.Panic(r.call.Context(), r.tasks.log, "task not abandoned")
	if !r.begun.Load() {
		return
	}
	r.Conclude(func() {
		if r.created.Durable != nil { // its lease must expire first, because its func may still be active
			r.call.Stopped()
			return
		}
		end := r.created
		end.Abandon()
		if _, isThis, _ := r.End(&end); isThis {
			r.call.Stopped()
		}
	})
}
