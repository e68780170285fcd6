package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// change changes the record of the task, and notifies the client. It logs an error of the store, unless the task
// continues or has ended without this run. If surely is set, it tries again after errors that may be temporary.
func (t *taskRun) change(surely bool, change func(*task.Record) error) error {
	c := t.call
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), storeTime)
	defer cancel()
	var before task.Status
	once := func() (task.Record, error) {
		return task.Change(ctx, t.tasks.store, t.id, func(r *task.Record) error {
			if before = r.Status; epochOf(r) != epochOf(&t.created) {
				return task.ErrStale
			}
			return change(r)
		})
	}
	var r task.Record
	var err error
	if surely {
		r, err = retry(ctx, once)
	} else {
		r, err = once()
	}
	switch {
	case err == nil:
		if before != r.Status {
			t.announce(&r)
		}
	case hasMoved(err): // usually because the client has cancelled it, or it has expired
	default:
		t.tasks.log.LogAttrs(ctx, slog.LevelError, "task cannot be stored", c.attr(), slog.Any("error", err))
	}
	return err
}

// announce sends a new status to a legacy client, and logs it. The end of the task is announced once.
func (t *taskRun) announce(r *task.Record) {
	if !r.Status.Ended() {
		t.send(r)
		return
	}
	t.ended.Do(func() {
		t.log("task ends", r)
		t.send(r)
	})
}

// send sends the status to a legacy client.
func (t *taskRun) send(r *task.Record) {
	c := t.call
	if c.version.Has(wire.PerRequest) || c.from.ctx.Err() != nil {
		return
	}
	wire.Compose(c.from.peer.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{`...)
		return append(wire.AppendTask(dst, r, c.version), `}}`...)
	})
}

// watch ends the task when its record has ended or no longer exists: the client has cancelled the task, here or at
// another instance, or its TTL has passed. If the store fails for longer than [storeTime], the task could not be
// cancelled, so watch ends it; a durable task loses its lease instead.
func (t *taskRun) watch() {
	c := t.call
	defer c.contain()
	changes := recordChanges{store: t.tasks.store}
	for seen := uint64(0); ; {
		r, err := t.nextChange(c, &changes, seen)
		seen = r.Version
		switch {
		case c.Err() != nil && err != nil: // it has ended by itself
			return
		case errors.Is(err, task.ErrNotFound):
			c.end(ErrExpired)
			return
		case err != nil:
			t.tasks.log.LogAttrs(c, slog.LevelError, "task cannot be watched", c.attr(), slog.Any("error", err))
			c.end(fmt.Errorf("the task is no longer kept: %w", err))
			return
		case epochOf(&r) != epochOf(&t.created):
			c.end(ErrLeaseLost)
			return
		case r.Status.Ended():
			t.cancelled(&r)
			return
		}
	}
}

// report records a progress report of the tool as the message of the task.
func (t *taskRun) report(done, total float64, message string) {
	switch {
	case message != "":
	case total > 0:
		message = fmt.Sprintf("%g of %g", done, total)
	default:
		message = fmt.Sprintf("%g", done)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.message = wire.Cut(wire.OneLine(message, t.call.from.limits.MaxTextBytes), t.call.from.limits.MaxTextBytes)
	wait := time.Until(t.told.Add(t.interval()))
	if t.id != "" && t.timer == nil {
		t.timer = time.AfterFunc(wait, t.tell) // the tool must not wait for the store
	}
}

// tell stores the message of the task in its record.
func (t *taskRun) tell() {
	defer t.call.contain()
	t.mu.Lock()
	message := t.message
	known := t.over || message == t.stored
	t.timer, t.stored, t.told = nil, message, time.Now()
	t.mu.Unlock()
	if known {
		return
	}
	_ = t.change(false, func(r *task.Record) error { // the next report has newer progress
		r.Message = message
		return nil
	})
}

// cancelled ends the task because its record has ended. It sends no more messages.
func (t *taskRun) cancelled(r *task.Record) {
	c := t.call
	c.mu.Lock()
	c.over = true
	c.extras().progress().stop()
	c.mu.Unlock()
	c.end(ErrCancelled)
	if r.Status == task.Cancelled {
		c.audit(outcomeCancelled, 0)
		t.announce(r)
	}
}
