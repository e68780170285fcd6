package runtime

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// taskMethods returns the rows of the methods about tasks.
func taskMethods(l *lists) []method {
	stored := func() bool { return true }
	legacy, both := wire.Span{First: wire.V20251125, Last: wire.V20251125}, wire.Span{First: wire.V20251125, Last: wire.Latest}
	named := subject{"taskId", taskSubject}
	return []method{
		{name: "tasks/get", session: true, mayWait: stored, subject: named, find: findTask, span: both, answer: getTask, offered: l.offersTasks},
		{name: "tasks/cancel", session: true, mayWait: stored, subject: named, find: findTask, span: both, answer: cancelTask, offered: l.offersTasks},
		{name: "tasks/update", mayWait: stored, subject: named, find: findTask, span: wire.ModernVersions, answer: updateTask, offered: l.offersTasks},
		{name: "tasks/list", session: true, mayWait: stored, span: legacy, answer: listTasks, offered: l.offersTasks},
		{name: "tasks/result", session: true, mayWait: stored, waits: true, subject: named, find: findTask, span: legacy, answer: getTaskResult, offered: l.offersTasks},
	}
}

// owns reports whether the caller of r may see the task. A task is visible only in its own revision, because each
// revision represents tasks in another form.
func (r *request) owns(rec *task.Record) bool {
	if rec.Owner != r.access.owner() || rec.Revision != r.version.String() {
		return false
	}
	tool, ok := r.from.tools.Lookup(rec.Tool)
	return !ok || r.access.allows(tool) && (internals.Settings(tool).VisibleIf == nil || r.exists(tool))
}

// findTask finds the task in the request, which must be one of the caller.
func findTask(r *request) *wireError {
	if r.version.Has(wire.PerRequest) {
		if err := r.requireExtension(tasksExtension); err != nil {
			return err
		}
	}
	id := wire.TextOf(rawjson.Lookup(r.params.Raw, r.method.subject.param))
	if id == "" {
		return invalidParams("params." + r.method.subject.param + " must be a string")
	}
	var err error
	if r.store.record, err = r.from.tasks.Store().Get(r.store, id); err != nil {
		return taskTrouble(r.from, err)
	}
	if !r.owns(&r.store.record) {
		return errNoSuchTask
	}
	return nil
}

// taskTrouble returns the answer for an error of the store. The error may also be a memory limit, or the end of the
// session.
func taskTrouble(o *origin, err error) *wireError {
	if errors.Is(err, task.ErrNotFound) {
		return errNoSuchTask
	}
	if o.ctx.Err() != nil {
		return internalError(stopReason(o.ctx))
	}
	if busy, ok := errors.AsType[*engine.BusyError](err); ok {
		return internalError(busy.Error())
	}
	o.log.LogAttrs(o.ctx, slog.LevelError, "task store failed", slog.Any("error", err))
	return internalError("the task cannot be looked up; try again later")
}

// changeTask changes the task in the request.
func changeTask(r *request, change func(*task.Record) error) (task.Record, *wireError) {
	ctx, cancel := context.WithTimeout(r.store, taskengine.StoreTime)
	defer cancel()
	rec, err := task.Change(ctx, r.from.tasks.Store(), r.store.record.ID, change)
	if err != nil && !errors.Is(err, task.ErrEnded) {
		return rec, taskTrouble(r.from, err)
	}
	return rec, nil
}

// getTask answers tasks/get.
func getTask(r *request, dst []byte) ([]byte, *wireError) {
	size := len(r.store.record.Result)
	leave, err := r.from.enterSlot(r.access, size)
	if err != nil {
		return dst, err
	}
	defer leave()
	if r.version.Has(wire.PerRequest) {
		if r.store.record.Status.Ended() { // the answer has the result; earlier revisions get it with tasks/result
			defer r.from.tasks.WasRead(r.store.record.ID)
		}
		dst = wire.AppendTaskDetails(append(slices.Grow(dst, size+restOfPage), '{'), &r.store.record, r.version)
	} else {
		dst = wire.AppendTask(append(dst, '{'), &r.store.record, r.version)
	}
	return r.from.appendResultTail(dst, r.version, nil), nil
}

// cancelTask answers tasks/cancel. The task is cancelled at once, even if the tool continues.
func cancelTask(r *request, dst []byte) ([]byte, *wireError) {
	modern := r.version.Has(wire.PerRequest)
	cancelled := false
	rec, err := changeTask(r, func(rec *task.Record) error {
		rec.Status, rec.Message, rec.Inputs, cancelled = task.StatusCancelled, "cancelled by the client", nil, true
		return nil
	})
	switch {
	case err != nil:
		return dst, err
	case rec.Status != task.StatusCancelled || !cancelled:
		if !modern {
			return dst, invalidParams("the task has ended; it is " + string(rec.Status))
		}
	default:
		if run := r.from.tasks.Find(rec.ID); run != nil {
			run.Cancelled(rec)
		}
		r.from.notices.TaskChanged(rec.ID)
	}
	r.from.tasks.WasRead(rec.ID)
	dst = append(dst, '{')
	if !modern {
		dst = wire.AppendTask(dst, &rec, r.version)
	}
	return r.from.appendResultTail(dst, r.version, nil), nil
}

// updateTask answers tasks/update, which has answers to requests of the task. Answers to other requests, and repeated
// answers, are ignored. If one answer is malformed, all are refused.
func updateTask(r *request, dst []byte) ([]byte, *wireError) {
	if rawjson.KindOf(r.params.Responses) != rawjson.Object {
		return dst, invalidParams("params.inputResponses must be an object")
	}
	isOpen := func(name string) bool {
		return slices.ContainsFunc(r.store.record.Inputs, func(in task.Input) bool { return in.Key == name })
	}
	answers, bad := wire.ReadResponses(r.params.Responses, len(r.store.record.Inputs), isOpen)
	if bad != nil {
		return dst, invalidParams(bad.Error())
	}
	for _, in := range r.store.record.Inputs {
		if answer := answers[in.Key]; answer != nil && in.Answer == nil && !wire.FitsRequest(in.Request, answer) {
			return dst, invalidParams(wire.WrongAnswer(in.Key, in.Request))
		}
	}
	answered := false
	_, err := changeTask(r, func(rec *task.Record) error {
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
		r.from.notices.TaskChanged(r.store.record.ID)
	}
	return r.from.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// listTasks answers tasks/list, for authenticated callers: other callers do not own tasks.
func listTasks(r *request, dst []byte) ([]byte, *wireError) {
	owner := r.access.owner()
	if owner.Principal == "" {
		return dst, methodNotOffered("tasks are listed for verified callers only")
	}
	after := ""
	if cursor := r.params.Cursor; cursor != nil {
		var ok bool
		if after, ok = wire.ReadCursor(cursor); !ok {
			return dst, errBadCursor
		}
	}
	page := r.from.limits.ToolsPerPage
	list, err := r.from.tasks.Store().List(r.store, owner, after, page+1)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return dst, errBadCursor
	case err != nil:
		return dst, taskTrouble(r.from, err)
	}
	dst = append(dst, `{"tasks":[`...)
	for i := range list[:min(page, len(list))] {
		if r.owns(&list[i]) {
			dst = append(wire.AppendTask(append(rawjson.AppendComma(dst), '{'), &list[i], r.version), '}')
		}
	}
	dst = append(dst, ']')
	if len(list) > page {
		dst = wire.AppendText(dst, "nextCursor", wire.WriteCursor(list[page-1].ID))
	}
	return r.from.appendResultTail(dst, r.version, nil), nil
}
