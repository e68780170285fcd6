package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// store stores the end of the task, which sends no more messages. If the tool and its timeout end the task at the same
// time, the first one counts, and the other one waits until the end is stored.
func (t *taskRun) store(result []byte, err error) {
	c := t.call
	c.mu.Lock()
	c.extras().progress().sendHeld()
	c.extras().progress().stop()
	c.over = true
	c.mu.Unlock()
	if !t.claim() {
		<-t.concluded
		return
	}
	defer close(t.concluded)
	if err != nil && (t.leaves() || t.waitsForTool(err)) {
		c.audit(outcomeStopped, 0)
		return
	}
	how, size := outcomeOf(c, err), len(result)
	if err != nil {
		size = 0
	}
	end := t.created
	if err != nil && errors.Is(context.Cause(c), ErrShutdown) {
		end.Abandon()
	} else {
		c.conclude(&end, result, err)
	}
	switch r, isThis, stored := t.persist(&end); { // if the task had ended before, no client gets the result
	case isThis && stored:
	case isThis:
		how, size = outcomeFailed, 0
	case r.Status == task.Cancelled:
		how, size = outcomeCancelled, 0
	default:
		how, size = outcomeStopped, 0
	}
	c.audit(how, size)
}

// claim reports whether the caller may end the task: it is the first.
func (t *taskRun) claim() bool { return t.claimed.CompareAndSwap(false, true) }

// conclude sets the end of the call in r, in the form of its revision. It replaces the message of the last progress
// report: a completed task has no message, and a failed one has the reason.
func (c *call) conclude(r *task.Record, result []byte, err error) {
	r.Status, r.Message, r.Inputs = task.Completed, "", nil
	if err != nil {
		f := explain(c, err)
		if f.protocol != nil {
			r.Status, r.Message, r.Error = task.Failed, f.protocol.Message, f.protocol.Append(nil)
			return
		}
		result = c.from.appendFailure(nil, f.text, c.version)
	}
	r.Result = bytes.Clone(result)
	if c.version.Has(wire.PerRequest) {
		return
	}
	if reason, failed := resultError(result); failed {
		r.Status, r.Message = task.Failed, cmp.Or(wire.OneLine(reason, c.from.limits.MaxTextBytes), "the tool answered with an error")
	}
}

// resultError reports whether a result is marked as an error, and returns its first text; "" if it has none.
func resultError(result []byte) (reason string, failed bool) {
	var content []byte
	wire.Members(result, func(name string, value []byte) {
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
	_ = json.Unmarshal(content, &blocks) // cannot fail: this module has written it
	for _, block := range blocks {
		if block.Text != "" {
			return block.Text, true
		}
	}
	return "", true
}

// abandon stores that the task has failed because its tool does not return.
func (t *taskRun) abandon() {
	defer t.call.contain()
	switch {
	case !t.isTask():
		return
	case !t.claim():
		<-t.concluded
		return
	}
	defer close(t.concluded)
	if t.created.Durable != nil { // its lease must expire first, because its func may still be active
		t.call.audit(outcomeStopped, 0)
		return
	}
	end := t.created
	end.Abandon()
	if _, isThis, _ := t.persist(&end); isThis {
		t.call.audit(outcomeStopped, 0)
	}
}

// persist stores the end of the task. If the store fails, persist tries again for [storeTime]. If that is in vain, the
// task fails: a small record without the result is stored, or if that also fails, kept in memory, see [endStore]. It
// returns the resulting record, and reports whether this call has ended the task, and whether the given end was stored.
func (t *taskRun) persist(end *task.Record) (r task.Record, isThis, stored bool) {
	r, err := t.tryEnd(end)
	switch {
	case err == nil:
		isThis, stored = true, true
	case hasMoved(err):
	case end.Durable != nil && !isFinal(err): // another run tries again
		t.tasks.log.LogAttrs(t.call, slog.LevelError, "end of a task cannot be stored", t.call.attr(), slog.Any("error", err))
	default:
		t.tasks.log.LogAttrs(t.call, slog.LevelError, "end of a task cannot be stored", t.call.attr(), slog.Any("error", err))
		r, err = t.loseResult(*end, err)
		isThis = err == nil
	}
	if isThis {
		t.announce(&r)
	}
	return r, isThis, stored
}

// hasMoved reports whether the task continues, or has ended, without this run.
func hasMoved(err error) bool {
	return errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound) || errors.Is(err, task.ErrStale)
}

// leaves reports whether the run leaves a durable task to another process, because the server stops or the lease is
// lost. If the server stops, the task is released, so that it continues at once.
func (t *taskRun) leaves() bool {
	c := t.call
	cause := context.Cause(c)
	switch {
	case t.created.Durable == nil || !isLeft(cause):
		return false
	case errors.Is(cause, ErrLeaseLost):
		return true
	}
	if err := t.tasks.queue.Release(context.WithoutCancel(c), t.id, epochOf(&t.created), stopping); err != nil && !hasMoved(err) {
		t.tasks.log.LogAttrs(c, slog.LevelWarn, "task cannot be released, so it goes on when its lease has run out", c.attr(), slog.Any("error", err))
	}
	t.log("task is left to another process", &t.created)
	return true
}

// waitsForTool reports whether the run leaves a durable task to another process because the arguments of the task no
// longer fit the tool. The func has not run.
func (t *taskRun) waitsForTool(err error) bool {
	c := t.call
	wrong, ok := errors.AsType[*mcptool.ArgumentError](err)
	if !ok || !t.again || wrong.Tool != c.tool.Name() {
		return false
	}
	const why = "the tool takes other arguments by now than those of the task"
	if c.from.waitForTool(c, &t.created, why) {
		return true
	}
	t.tasks.log.LogAttrs(c, slog.LevelError, "task cannot be run again", c.attr(), slog.String("reason", why))
	return false
}

// isLeft reports whether a durable task continues in another run if its run has ended with this cause.
func isLeft(cause error) bool { return errors.Is(cause, ErrShutdown) || errors.Is(cause, ErrLeaseLost) }

// tryEnd stores an end of the task.
func (t *taskRun) tryEnd(end *task.Record) (task.Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.call), storeTime)
	defer cancel()
	pausing, hurry := context.WithCancel(ctx)
	defer hurry()
	defer context.AfterFunc(t.tasks.store.stopping, hurry)()
	return retry(pausing, func() (task.Record, error) { return t.tasks.store.endTask(ctx, end) })
}

// loseResult makes a task fail because its result could not be stored, for this cause.
func (t *taskRun) loseResult(end task.Record, cause error) (task.Record, error) {
	if end.Result != nil {
		text := "the result of the task could not be stored"
		if errors.Is(cause, task.ErrFull) {
			text += ": " + task.ErrFull.Error()
		}
		e := internalError(text)
		end.Status, end.Message, end.Result, end.Error = task.Failed, text, nil, e.Append(nil)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.call), storeTime)
		defer cancel()
		if r, err := t.tasks.store.endTask(ctx, &end); err == nil || errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound) {
			return r, err
		}
	}
	if end.Durable != nil {
		return end, cause // another run tries again
	}
	t.tasks.store.show(&end, cause)
	return end, nil
}
