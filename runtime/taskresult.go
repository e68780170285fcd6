package runtime

import (
	"context"
	"slices"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// awaitEnd waits until the task in the request has ended, for tasks/result. Until then, the messages of the task are
// sent where the answer will be sent. It reports false if the request has ended before, or with an error.
func (r *request) awaitEnd() (ended bool, _ *wireError) {
	x, _ := r.to.(*storeRequest)
	ctx, stop := context.WithCancel(r.from.ctx)
	id := r.task.ID
	if waits, err := x.beginWait(id, stop); !waits {
		stop()
		return false, err
	}
	defer x.endWait()
	r.store.Release()
	r.store = r.from.newStoreContext(ctx, r.access) // the store may still use the other one
	r.store.waits = true
	r.task = &r.store.record
	for seen := uint64(0); ; seen = r.task.Version {
		*r.task = task.Record{} // releases the record while the request waits
		r.store.Release()
		var err error
		*r.task, err = r.from.tasks.Store.Wait(r.store, id, seen)
		switch {
		case ctx.Err() != nil:
			return false, nil
		case err != nil:
			return false, taskTrouble(r.from, err)
		case r.task.Status.Ended():
			return true, nil
		}
	}
}

// getTaskResult answers tasks/result, a request of revision 2025-11-25, after the task has ended.
func getTaskResult(r *request, dst []byte) ([]byte, *wireError) {
	size := len(r.task.Result)
	leave, err := r.from.enter(r.store, r.access, size)
	if err != nil { // the request has been cancelled, or the session has ended
		return dst, internalError(stopReason(r.from.ctx))
	}
	defer leave()
	defer r.from.tasks.WasRead(r.task.ID)
	if r.task.Error != nil {
		return dst, storedError(r.task.Error)
	}
	result, err := wire.ReadResult(r.task.Result, r.version)
	if err != nil || r.task.Result == nil {
		return dst, internalError("the task was cancelled")
	}
	result.Meta = append(rawjson.AppendComma(result.Meta), wire.RelatedTask(r.task.ID)...)
	return r.from.appendMethodResult(slices.Grow(dst, size+restOfPage), result, nil, r.version), nil
}

// taskStream is the [replier] of a task of a legacy revision. Its notifications and requests are sent with the answer
// of the tasks/result that waits for the task; without one, they are sent as messages that belong to no request. It has
// no response.
type taskStream struct{ run *taskRun }

// waiting returns the tasks/result that waits for the task in the session that began the task, because that session
// receives the client's answers; nil if there is none.
func (t taskStream) waiting() *exchange {
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

func (t taskStream) send(msg []byte) (lost bool) {
	if w := t.waiting(); w != nil {
		if sent, lost := w.tried(msg); sent {
			return lost
		}
	}
	return t.run.call.from.peer.send(msg)
}

func (t taskStream) reply([]byte, engine.Disposition) {}
func (t taskStream) skip(engine.Disposition)          {}
func (t taskStream) later() replier                   { return t }

// tried sends a message, unless the exchange is over. It reports whether it was sent, and if so whether the client can
// never get it.
func (x *exchange) tried(msg []byte) (sent, lost bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mute() {
		return false, false
	}
	return true, x.to.send(msg)
}
