package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// store stores how the task has ended. It says nothing any more.
func (j *job) store(result []byte, err error) {
	c := j.call
	c.mu.Lock()
	c.sendHeld()
	c.has().progress.stop()
	c.over = true
	c.mu.Unlock()
	how, size := c.succeeded(), len(result)
	if err != nil {
		how, size = c.failed(err), 0
	}
	stopped := err != nil && errors.Is(context.Cause(c), ErrShutdown)
	j.storing.Lock()
	defer j.storing.Unlock()
	r, ok := j.change(func(r *task.Record) error {
		if stopped {
			r.Abandon()
		} else {
			c.conclude(r, result, err)
		}
		return nil
	})
	switch { // whatever the tool has to say, nobody gets it if the task had ended before
	case ok:
	case r.Status == task.Cancelled:
		how, size = outcomeCancelled, 0
	default:
		how, size = outcomeStopped, 0
	}
	c.audit(how, size)
}

// conclude writes into r how the call has ended, as its revision defines it. The message of the last
// progress report described a task that was working: a completed task has none, a failed one has the
// reason.
func (c *call) conclude(r *task.Record, result []byte, err error) {
	r.Status, r.Message, r.Inputs = task.Completed, "", nil
	if err != nil {
		f := c.session.explain(c, err)
		if f.protocol != nil {
			r.Status, r.Message, r.Error = task.Failed, f.protocol.message, f.protocol.append(nil)
			return
		}
		result = c.session.appendFailure(nil, f.text, c.version)
	}
	r.Result = bytes.Clone(result)
	if c.version.has(perRequest) {
		return
	}
	if reason, failed := resultError(result); failed {
		r.Status, r.Message = task.Failed, cmp.Or(oneLine(reason, c.session.limits.Text), "the tool answered with an error")
	}
}

// resultError reports whether a result is marked as an error, and returns its first text, "" if it
// has none.
func resultError(result []byte) (reason string, failed bool) {
	var content []byte
	members(result, func(name string, value []byte) {
		switch name {
		case "isError":
			failed = string(value) == "true"
		case "content":
			content = value
		}
	})
	if !failed {
		return "", false
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(content, &blocks) // it is ours: an array of objects
	for _, block := range blocks {
		if block.Text != "" {
			return block.Text, true
		}
	}
	return "", true
}

// abandon stores that the task of a tool that does not end has failed.
func (j *job) abandon() {
	_, ok := j.change(func(r *task.Record) error {
		r.Abandon()
		return nil
	})
	if ok {
		j.call.audit(outcomeStopped, 0)
	}
}

// change changes the record of the task, and tells who is to be told. It returns the record as
// it is then, and reports whether it was changed: a task that has ended is not.
func (j *job) change(change func(*task.Record) error) (r task.Record, ok bool) {
	c := j.call
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), storeTime)
	defer cancel()
	var before task.Status
	r, err := task.Change(ctx, j.tasks.store, j.id, func(r *task.Record) error {
		before = r.Status
		return change(r)
	})
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
// time is up.
func (j *job) watch() {
	c := j.call
	defer c.contain()
	for seen := uint64(0); ; {
		r, err := j.tasks.store.Wait(c, j.id, seen)
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
	j.change(func(r *task.Record) error {
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
