package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
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
		{name: "tasks/get", session: true, mayWait: stored, subject: named, find: findTask, span: both, answer: taskAnswer(taskengine.Engine.Get).appendLong, offered: l.offersTasks},
		{name: "tasks/cancel", session: true, mayWait: stored, subject: named, find: findTask, span: both, answer: taskAnswer(taskengine.Engine.Cancel).append, offered: l.offersTasks},
		{name: "tasks/update", mayWait: stored, subject: named, find: findTask, span: wire.ModernVersions, answer: taskAnswer(taskengine.Engine.Update).append, offered: l.offersTasks},
		{name: "tasks/list", session: true, mayWait: stored, span: legacy, answer: taskAnswer(taskengine.Engine.List).append, offered: l.offersTasks},
		{name: "tasks/result", session: true, mayWait: stored, waits: true, subject: named, find: findTask, span: legacy, answer: taskAnswer(taskengine.Engine.Result).appendLong, offered: l.offersTasks},
	}
}

// taskRequest implements [taskengine.Request].
type taskRequest struct{ *request }

func (r taskRequest) Context() context.Context { return r.store }
func (r taskRequest) Version() wire.Version    { return r.version }
func (r taskRequest) Params() *envelope.Params { return r.params }
func (r taskRequest) Owner() task.Owner        { return r.access.owner() }
func (r taskRequest) Record() *task.Record     { return &r.store.record }

// Owns is ownsTask.
func (r taskRequest) Owns(rec *task.Record) bool { return ownsTask(r.request, rec) }

// AppendTail ends the result object.
func (r taskRequest) AppendTail(dst, meta []byte) []byte {
	return r.from.serverInfo.AppendTail(dst, wire.Complete, r.version, meta)
}

// taskAnswer is the method of the engine that answers the requests of a row.
type taskAnswer func(taskengine.Engine, taskengine.Request, []byte) ([]byte, error)

// append appends the result of the request.
func (answer taskAnswer) append(r *request, dst []byte) ([]byte, *wireError) {
	dst, err := answer(r.from.tasks, taskRequest{r}, dst)
	if err != nil {
		return dst, taskRefusal(r.from, err)
	}
	return dst, nil
}

// appendLong is append for a result that may contain the result of the task.
func (answer taskAnswer) appendLong(r *request, dst []byte) ([]byte, *wireError) {
	leave, err := r.from.slots.enter(r.store, r.access, len(r.store.record.Result))
	switch {
	case err != nil && r.method.waits: // the request has been cancelled, or the session has ended
		return dst, internalError(stopReason(r.from.ctx))
	case err != nil:
		return dst, internalError("the connection or the server has ended")
	}
	defer leave()
	return answer.append(r, dst)
}

// ownsTask reports whether the caller of a request may see the task. A task is visible only in its own revision, because each
// revision represents tasks in another form.
func ownsTask(r *request, rec *task.Record) bool {
	if rec.Owner != r.access.owner() || rec.Revision != r.version.String() {
		return false
	}
	tool, ok := r.from.tools.Lookup(rec.Tool)
	return !ok || r.access.allows(tool) && r.from.selects(tool) && (internals.Settings(tool).VisibleIf == nil || r.exists(tool))
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
	if !ownsTask(r, &r.store.record) {
		return errNoSuchTask
	}
	return nil
}

// taskRefusal returns the answer for an error of the engine.
func taskRefusal(o *origin, err error) *wireError {
	refusal, ok := errors.AsType[*taskengine.RequestError](err)
	switch {
	case ok:
		return refusedByTasks(refusal)
	case errors.Is(err, taskengine.ErrBadCursor):
		return errBadCursor
	default:
		return taskTrouble(o, err)
	}
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
