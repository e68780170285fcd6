package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// change changes the record of the task, and tells who is to be told. It returns the record as
// it is then, and reports whether it was changed: a task that has ended is not. An error of the store that may pass is
// tried again if surely is set.
func (j *job) change(surely bool, change func(*task.Record) error) (r task.Record, ok bool) {
	c := j.call
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), storeTime)
	defer cancel()
	var before task.Status
	once := func() (task.Record, error) {
		return task.Change(ctx, j.tasks.store, j.id, func(r *task.Record) error {
			before = r.Status
			return change(r)
		})
	}
	var err error
	if surely {
		r, err = retry(ctx, once)
	} else {
		r, err = once()
	}
	switch {
	case err == nil:
		if before != r.Status {
			j.announce(&r)
		}
	case errors.Is(err, task.ErrEnded), errors.Is(err, task.ErrNotFound): // the client's doing, or time's
	default:
		j.tasks.log.LogAttrs(ctx, slog.LevelError, "task cannot be stored", c.attr(), slog.Any("error", err))
	}
	return r, err == nil
}

// announce tells a client of the handshake era, and the log, of a new status. That the task has
// ended is told once.
func (j *job) announce(r *task.Record) {
	if !r.Status.Ended() {
		j.send(r)
		return
	}
	j.ended.Do(func() {
		j.log("task ends", r)
		j.send(r)
	})
}

// send sends the status, to clients that are sent it unasked.
func (j *job) send(r *task.Record) {
	c := j.call
	if c.version.has(perRequest) || c.session.ctx.Err() != nil {
		return
	}
	compose(c.session.send, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{`...)
		return append(appendTask(dst, r, c.version), `}}`...)
	})
}

// watch ends the task when others have: the client has cancelled it, here or elsewhere, or its
// time is up. A store that fails for longer than [storeTime] costs the task: nobody could cancel it.
func (j *job) watch() {
	c := j.call
	defer c.contain()
	for seen := uint64(0); ; {
		trying, cancel := context.WithTimeout(c, storeTime)
		r, err := retry(trying, func() (task.Record, error) { return j.tasks.store.Wait(c, j.id, seen) })
		cancel()
		seen = r.Version
		switch {
		case c.Err() != nil && err != nil: // it has ended by itself
			return
		case errors.Is(err, task.ErrNotFound):
			c.end(ErrExpired)
			return
		case err != nil:
			j.tasks.log.LogAttrs(c, slog.LevelError, "task cannot be watched", c.attr(), slog.Any("error", err))
			c.end(fmt.Errorf("the task is no longer kept: %w", err))
			return
		case r.Status.Ended():
			j.cancelled(&r)
			return
		}
	}
}

// report takes a message of the tool about its progress.
func (j *job) report(done, total float64, message string) {
	switch {
	case message != "":
	case total > 0:
		message = fmt.Sprintf("%g of %g", done, total)
	default:
		message = fmt.Sprintf("%g", done)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		return
	}
	j.message = cut(oneLine(message, j.call.session.limits.Text), j.call.session.limits.Text)
	wait := time.Until(j.told.Add(j.interval()))
	if j.id != "" && j.timer == nil {
		j.timer = time.AfterFunc(wait, j.tell) // the tool does not wait for the store
	}
}

// tell stores the message of the tool.
func (j *job) tell() {
	defer j.call.contain()
	j.mu.Lock()
	message := j.message
	known := j.over || message == j.stored
	j.timer, j.stored, j.told = nil, message, time.Now()
	j.mu.Unlock()
	if known {
		return
	}
	j.change(false, func(r *task.Record) error {
		r.Message = message
		return nil
	})
}

// cancelled ends the task because its record has ended: it says nothing any more.
func (j *job) cancelled(r *task.Record) {
	c := j.call
	c.mu.Lock()
	c.over = true
	c.has().progress.stop()
	c.mu.Unlock()
	c.end(ErrCancelled)
	if r.Status == task.Cancelled {
		c.audit(outcomeCancelled, 0)
		j.announce(r)
	}
}
