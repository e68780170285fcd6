package taskserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// room is the room for the parts of a response besides the result of a task, in bytes, so that the response need not be
// copied to grow.
const room = 1 << 10

// refuse returns an error that answers a request.
func refuse(code wire.Code, text string) *taskengine.RequestError {
	return &taskengine.RequestError{Answer: wire.Error{Code: code, Message: text}}
}

// invalid refuses invalid params.
func invalid(text string) *taskengine.RequestError { return refuse(wire.CodeInvalidParams, text) }

// change changes the task in the request. The change of a task that has ended is not an error.
func (e *Engine) change(r taskengine.Request, change func(*task.Record) error) (task.Record, error) {
	ctx, cancel := context.WithTimeout(r.Context(), taskengine.StoreTime)
	defer cancel()
	rec, err := task.Change(ctx, e.Store(), r.Record().ID, change)
	if errors.Is(err, task.ErrEnded) {
		err = nil
	}
	return rec, err
}

// Get implements [taskengine.Engine].
func (e *Engine) Get(r taskengine.Request, dst []byte) ([]byte, error) {
	rec, v := r.Record(), r.Version()
	if v.Has(wire.PerRequest) {
		if rec.Status.Ended() { // the answer has the result; earlier revisions get it with tasks/result
			defer e.WasRead(rec.ID)
		}
		dst = wire.AppendTaskDetails(append(slices.Grow(dst, len(rec.Result)+room), '{'), rec, v)
	} else {
		dst = wire.AppendTask(append(dst, '{'), rec, v)
	}
	return r.AppendTail(dst, nil), nil
}

// Cancel implements [taskengine.Engine]. The task is cancelled at once, even if the tool continues.
func (e *Engine) Cancel(r taskengine.Request, dst []byte) ([]byte, error) {
	modern := r.Version().Has(wire.PerRequest)
	cancelled := false
	rec, err := e.change(r, func(rec *task.Record) error {
		rec.Status, rec.Message, rec.Inputs, cancelled = task.StatusCancelled, "cancelled by the client", nil, true
		return nil
	})
	switch {
	case err != nil:
		return dst, err
	case rec.Status != task.StatusCancelled || !cancelled:
		if !modern {
			return dst, invalid("the task has ended; it is " + string(rec.Status))
		}
	default:
		if running := e.Find(rec.ID); running != nil {
			running.RecordEnded(rec)
		}
		e.config.Changed(rec.ID)
	}
	e.WasRead(rec.ID)
	dst = append(dst, '{')
	if !modern {
		dst = wire.AppendTask(dst, &rec, r.Version())
	}
	return r.AppendTail(dst, nil), nil
}

// Update implements [taskengine.Engine]. The request has answers to requests of the task. Answers to other requests, and
// repeated answers, are ignored. If one answer is malformed, all are refused.
func (e *Engine) Update(r taskengine.Request, dst []byte) ([]byte, error) {
	raw, open := r.Params().Responses, r.Record().Inputs
	if rawjson.KindOf(raw) != rawjson.Object {
		return dst, invalid("params.inputResponses must be an object")
	}
	isOpen := func(name string) bool {
		return slices.ContainsFunc(open, func(in task.Input) bool { return in.Key == name })
	}
	answers, err := wire.ReadResponses(raw, len(open), isOpen)
	if err != nil {
		return dst, invalid(err.Error())
	}
	for _, in := range open {
		if answer := answers[in.Key]; answer != nil && in.Answer == nil && !wire.FitsRequest(in.Request, answer) {
			return dst, invalid(wire.WrongAnswer(in.Key, in.Request))
		}
	}
	answered := false
	_, err = e.change(r, func(rec *task.Record) error {
		rec.Inputs, answered = slices.Clone(rec.Inputs), false
		for i := range rec.Inputs {
			if in := &rec.Inputs[i]; in.Answer == nil && answers[in.Key] != nil && wire.FitsRequest(in.Request, answers[in.Key]) {
				in.Answer, answered = answers[in.Key], true
			}
		}
		if answered && !taskengine.HasUnanswered(rec) {
			rec.Status = task.StatusWorking
		}
		return nil
	})
	if err != nil {
		return dst, err
	}
	if answered {
		e.config.Changed(r.Record().ID)
	}
	return r.AppendTail(append(dst, '{'), nil), nil
}

// List implements [taskengine.Engine], for authenticated callers: other callers do not own tasks.
func (e *Engine) List(r taskengine.Request, dst []byte) ([]byte, error) {
	owner := r.Owner()
	if owner.Principal == "" {
		refusal := refuse(wire.CodeMethodNotFound, "tasks are listed for verified callers only")
		refusal.Disposition = engine.UnknownMethod
		return dst, refusal
	}
	after := ""
	if cursor := r.Params().Cursor; cursor != nil {
		var ok bool
		if after, ok = wire.ReadCursor(cursor); !ok {
			return dst, taskengine.ErrBadCursor
		}
	}
	page := e.config.PageSize
	list, err := e.Store().List(r.Context(), owner, after, page+1)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return dst, taskengine.ErrBadCursor
	case err != nil:
		return dst, err
	}
	dst = append(dst, `{"tasks":[`...)
	for i := range list[:min(page, len(list))] {
		if r.Owns(&list[i]) {
			dst = append(wire.AppendTask(append(rawjson.AppendComma(dst), '{'), &list[i], r.Version()), '}')
		}
	}
	dst = append(dst, ']')
	if len(list) > page {
		dst = wire.AppendText(dst, "nextCursor", wire.WriteCursor(list[page-1].ID))
	}
	return r.AppendTail(dst, nil), nil
}

// Result implements [taskengine.Engine]. Only revision 2025-11-25 has this request.
func (e *Engine) Result(r taskengine.Request, dst []byte) ([]byte, error) {
	rec := r.Record()
	defer e.WasRead(rec.ID)
	if rec.Error != nil {
		return dst, storedError(rec.Error)
	}
	result, err := wire.ReadResult(rec.Result, r.Version())
	if err != nil || rec.Result == nil {
		return dst, refuse(wire.CodeInternal, "the task was cancelled")
	}
	dst = append(append(slices.Grow(dst, len(rec.Result)+room), '{'), result.Members...)
	return r.AppendTail(dst, append(rawjson.AppendComma(result.Meta), wire.RelatedTask(rec.ID)...)), nil
}

// storedError returns the error of a task, which is stored as JSON.
func storedError(raw []byte) *taskengine.RequestError {
	var e struct {
		Code    wire.Code
		Message string
		Data    json.RawMessage
	}
	_ = json.Unmarshal(raw, &e) // cannot fail
	refusal := refuse(e.Code, e.Message)
	refusal.Answer.Data, refusal.Outcome = e.Data, observe.OutcomeOK
	return refusal
}
