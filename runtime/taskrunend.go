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
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// store stores the end of the task, which sends no more messages.
func (t *taskRun) store(result []byte, err error) {
	c := t.call
	c.out.Finish()
	t.task.Conclude(func() {
		if err != nil && (t.task.HandOver() || t.waitsForTool(err)) {
			c.op.Load().end(observe.OutcomeStopped, nil, 0)
			return
		}
		how, size := outcomeOf(c, err), len(result)
		if err != nil {
			size = 0
		}
		end := *t.task.Record()
		if err != nil && errors.Is(context.Cause(c), ErrShutdown) {
			end.Abandon()
		} else {
			c.conclude(&end, result, err)
		}
		switch r, isThis, stored := t.task.End(&end); { // if the task had ended before, no client gets the result
		case isThis && stored:
		case isThis:
			how, size = observe.OutcomeFailed, 0
		case r.Status == task.StatusCancelled:
			how, size = observe.OutcomeCancelled, 0
		default:
			how, size = observe.OutcomeStopped, 0
		}
		c.op.Load().end(how, nil, size)
	})
}

// conclude sets the end of the call in r, in the form of its revision. It replaces the message of the last progress
// report: a completed task has no message, and a failed one has the reason.
func (c *call) conclude(r *task.Record, result []byte, err error) {
	r.Status, r.Message, r.Inputs = task.StatusCompleted, "", nil
	if err != nil {
		e := explain(c, err)
		if !e.forModel {
			r.Status, r.Message, r.Error = task.StatusFailed, e.Message, e.Append(nil)
			return
		}
		result = c.from.appendFailure(nil, e.Message, c.version)
	}
	r.Result = bytes.Clone(result)
	if !c.version.Has(wire.PerRequest) && (err != nil || c.extras().isError) {
		r.Status, r.Message = task.StatusFailed, cmp.Or(wire.OneLine(firstText(result), c.from.limits.MaxTextBytes), "the tool answered with an error")
	}
}

// firstText returns the first text in the content of a result; "" if it has none.
func firstText(result []byte) string {
	var r struct{ Content []struct{ Text string } }
	_ = json.Unmarshal(result, &r) // cannot fail: this module has written it
	for _, block := range r.Content {
		if block.Text != "" {
			return block.Text
		}
	}
	return ""
}

// waitsForTool reports whether the run leaves a durable task to another process because the arguments of the task no
// longer fit the tool. The func has not run.
func (t *taskRun) waitsForTool(err error) bool {
	c := t.call
	wrong, ok := errors.AsType[*mcptool.ArgumentError](err)
	if !ok || !t.again || wrong.Tool != c.name() {
		return false
	}
	const why = "the tool no longer accepts the arguments of the task"
	if c.from.tasks.WaitForTool(c, t.task.Record(), why) {
		return true
	}
	c.from.log.LogAttrs(c, slog.LevelError, "task cannot be run again", c.attr(), slog.String("reason", why))
	return false
}
