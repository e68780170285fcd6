package taskserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// finish ends the task, which sends no more messages: it stores the end and notes the outcome for observers. A durable task
// that must run again is left to another process instead.
func (r *runner) finish(result []byte, err error) {
	c := r.call
	c.Output().Finish()
	r.task.Conclude(func() {
		if err != nil && (r.task.HandOver() || r.waitsForTool(err)) {
			c.EndTask(observe.OutcomeStopped, 0)
			return
		}
		how, size := c.Outcome(err), len(result)
		if err != nil {
			size = 0
		}
		end := *r.task.Record()
		if err != nil && errors.Is(context.Cause(c), taskengine.ErrShutdown) {
			end.Abandon()
		} else {
			r.conclude(&end, result, err)
		}
		switch last, isThis, stored := r.task.End(&end); { // if the task had ended before, no client gets the result
		case isThis && stored:
		case isThis:
			how, size = observe.OutcomeFailed, 0
		case last.Status == task.StatusCancelled:
			how, size = observe.OutcomeCancelled, 0
		default:
			how, size = observe.OutcomeStopped, 0
		}
		c.EndTask(how, size)
	})
}

// conclude sets the end of the call in rec, in the form of its revision. It replaces the message of the last progress
// report: a completed task has no message, and a failed one has the reason.
func (r *runner) conclude(rec *task.Record, result []byte, err error) {
	rec.Status, rec.Message, rec.Inputs = task.StatusCompleted, "", nil
	result, refusal, failed := r.call.Explain(result, err)
	if refusal != nil {
		rec.Status, rec.Message, rec.Error = task.StatusFailed, refusal.Message, refusal.Append(nil)
		return
	}
	rec.Result = bytes.Clone(result)
	if failed && !r.isModern() {
		rec.Status, rec.Message = task.StatusFailed, cmp.Or(wire.OneLine(firstText(result), r.engine.config.MaxText), "the tool answered with an error")
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
func (r *runner) waitsForTool(err error) bool {
	wrong, ok := errors.AsType[*mcptool.ArgumentError](err)
	if !ok || !r.again || wrong.Tool != internals.Settings(r.tool).Name {
		return false
	}
	const why = "the tool no longer accepts the arguments of the task"
	if r.engine.WaitForTool(r.call, r.task.Record(), why) {
		return true
	}
	r.log(slog.LevelError, "task cannot be run again", slog.String("reason", why))
	return false
}
