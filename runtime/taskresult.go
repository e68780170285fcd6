package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// awaitEnd waits until the task in the request has ended, for tasks/result. Until then, the messages of the task are
// sent where the answer will be sent. It reports false if the request has ended before, or with an error.
func (x *storeRequest) awaitEnd(r *request) (ended bool, _ *wireError) {
	ctx, stop := context.WithCancel(r.from.ctx)
	id := r.store.record.ID
	if waits, err := x.beginWait(id, stop); !waits {
		stop()
		return false, err
	}
	defer x.endWait()
	r.store.Release()
	r.store = r.from.newStoreContext(ctx, r.access) // the store may still use the other one
	r.store.waits = true
	for seen := uint64(0); ; seen = r.store.record.Version {
		r.store.record = task.Record{} // releases the record while the request waits
		r.store.Release()
		var err error
		r.store.record, err = r.from.tasks.Store().Wait(r.store, id, seen)
		switch {
		case ctx.Err() != nil:
			return false, nil
		case err != nil:
			return false, taskTrouble(r.from, err)
		case r.store.record.Status.Ended():
			return true, nil
		}
	}
}

// getTaskResult answers tasks/result, a request of revision 2025-11-25, after the task has ended.
func getTaskResult(r *request, dst []byte) ([]byte, *wireError) {
	size := len(r.store.record.Result)
	leave, err := r.from.enter(r.store, r.access, size)
	if err != nil { // the request has been cancelled, or the session has ended
		return dst, internalError(stopReason(r.from.ctx))
	}
	defer leave()
	defer r.from.tasks.WasRead(r.store.record.ID)
	if r.store.record.Error != nil {
		return dst, storedError(r.store.record.Error)
	}
	result, err := wire.ReadResult(r.store.record.Result, r.version)
	if err != nil || r.store.record.Result == nil {
		return dst, internalError("the task was cancelled")
	}
	result.Meta = append(rawjson.AppendComma(result.Meta), wire.RelatedTask(r.store.record.ID)...)
	return r.from.appendMethodResult(slices.Grow(dst, size+restOfPage), result, nil, r.version), nil
}

// taskWriter is the [engine.Writer] of a task of a legacy revision. Its notifications and requests are sent with the answer
// of the tasks/result that waits for the task; without one, they are sent as messages that belong to no request. It has
// no response.
type taskWriter struct {
	engine.NoAsk
	run *taskRun
}

// waiting returns the tasks/result that waits for the task in the session that began the task, because that session
// receives the client's answers; nil if there is none.
func (t taskWriter) waiting() *respond.Out {
	s := sessionOf(t.run.call.from)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, waiting := range s.results {
		if x := waiting.waitsFor(t.run.id()); x != nil {
			return x
		}
	}
	return nil
}

// Notify implements [engine.Writer].
func (t taskWriter) Notify(msg []byte) error {
	if w := t.waiting(); w != nil {
		if err := w.Notify(msg); !errors.Is(err, respond.ErrOver) {
			return err
		}
	}
	if t.run.call.from.peer.send(msg) {
		return engine.ErrUndelivered
	}
	return nil
}

// Respond implements [engine.Writer].
func (taskWriter) Respond(_ []byte, end engine.End) error {
	end.Wrote()
	return nil
}
