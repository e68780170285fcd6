package runtime

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// taskResult is a tasks/result, a request of revision 2025-11-25 that is answered when the task has ended. Until then,
// the messages of the task are sent where the answer will be sent.
type taskResult struct {
	exchange
	session *session
	key     string // key of id, see envelope.Key
	id      []byte
	task    string           // id of the task
	who     admission.Caller // whose share it counts against
	stop    context.CancelFunc
	gone    atomic.Bool // no longer counts
}

// awaitTaskResult begins a tasks/result.
func awaitTaskResult(r *request) *wireError {
	if !r.leaveStore() {
		return nil
	}
	id, s, access := r.task.ID, r.from.session, r.access // r has the record, and must not be kept
	w := &taskResult{
		exchange: exchange{from: r.from, to: r.later(), version: r.version}, session: s,
		key: envelope.Key(r.id), id: bytes.Clone(r.id), task: id, who: r.access.caller(),
	}
	w.op.Store(r.op)
	if err := s.inFlight.await(w.who, 1); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(s.ctx)
	w.stop = stop
	if err := s.subscribe(w, w.key); err != nil {
		stop()
		s.inFlight.Give(w.who, 1)
		return err
	}
	run := s.findTask(id)
	if run != nil {
		run.attach(w)
	}
	store := s.newStoreContext(ctx, access)
	store.waits = true
	go func() {
		defer stop()
		defer store.Release()
		defer contain.Panic(s.ctx, s.log, "result of a task not delivered") //nolint:contextcheck // the log is the session's
		last, err := w.wait(store)                                          //nolint:contextcheck // store derives from ctx
		if run != nil {
			run.detach(w)
		}
		leave, gone := s.enter(store, access, len(last.Result)) //nolint:contextcheck // store derives from ctx
		defer leave()
		if gone == nil && ctx.Err() == nil {
			w.deliver(store, &last, err, leave)
		}
	}()
	return nil
}

// wait returns the record of the task after the task has ended.
func (w *taskResult) wait(store *storeContext) (last task.Record, err error) {
	for {
		last, err = w.from.tasks.Store.Wait(store, w.task, last.Version)
		if err != nil || last.Status.Ended() {
			return last, err
		}
		store.Release()
	}
}

// deliver answers the request with the result of the task, and calls leave when the answer is complete. From then on
// the record no longer counts, since the answer counts itself.
func (w *taskResult) deliver(store *storeContext, r *task.Record, err error, leave func()) {
	s := w.session
	w.left()
	s.remove(w.key, w)
	var e *wireError
	var result wire.Result
	switch {
	case err != nil:
		e = taskTrouble(w.from, err)
	case r.Result != nil:
		result, err = wire.ReadResult(r.Result, w.version)
	}
	if err != nil || r.Result == nil && r.Error == nil {
		e = cmp.Or(e, internalError("the task was cancelled"))
	}
	wire.Compose(func(msg []byte) {
		leave()
		*r, result = task.Record{}, wire.Result{}
		store.Release()
		w.finish(msg, engine.Served)
		w.op.Load().end(outcomeOK, e, len(msg))
	}, func(dst []byte) []byte {
		switch {
		case e != nil:
			return e.AppendResponse(dst, w.id)
		case r.Result != nil:
			result.Meta = append(rawjson.AppendComma(result.Meta), wire.RelatedTask(w.task)...)
			dst = slices.Grow(dst, len(r.Result)+restOfPage)
			return wire.EndResponse(s.appendMethodResult(wire.BeginResult(dst, w.id), result, nil, w.version))
		default:
			dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), w.id...)
			return append(append(append(dst, `,"error":`...), r.Error...), '}')
		}
	})
}

// cancelled implements [pending]: the client has cancelled the request. The task continues.
func (w *taskResult) cancelled(string) {
	w.left()
	w.silence()
	w.stop()
}

// abandoned implements [pending]: the session ends.
func (w *taskResult) abandoned() {
	w.left()
	w.stop()
	e := internalError(stopReason(w.from.ctx))
	defer w.op.Load().end(outcomeStopped, e, 0)
	wire.Compose(func(msg []byte) { w.finish(msg, engine.Served) }, func(dst []byte) []byte { return e.AppendResponse(dst, w.id) })
}

// left stops counting w against the limits, once: the task may end while the client cancels or the session ends.
func (w *taskResult) left() {
	if w.gone.Swap(true) {
		return
	}
	w.session.unsubscribe()
	w.from.inFlight.Give(w.who, 1)
}

// attach makes the task send its messages where the answer of w will be sent.
func (t *taskRun) attach(w *taskResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results = append(t.results, w)
}

// detach undoes attach.
func (t *taskRun) detach(w *taskResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results = slices.DeleteFunc(t.results, func(other *taskResult) bool { return other == w })
}

// taskStream is the [replier] of a task of a legacy revision. Its notifications and requests are sent with the answer
// of the tasks/result that waits for the task; without one, they are sent as messages that belong to no request. It has
// no response.
type taskStream struct{ run *taskRun }

// waiting returns the tasks/result that waits for the task in the session that began the task, because that session
// receives the client's answers; nil if there is none.
func (t taskStream) waiting() *taskResult {
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	for _, w := range t.run.results {
		if w.from == t.run.call.from {
			return w
		}
	}
	return nil
}

func (t taskStream) note(msg []byte) { t.ask(msg) }

func (t taskStream) ask(msg []byte) (lost bool) {
	if w := t.waiting(); w != nil {
		if sent, lost := w.tried(msg); sent {
			return lost
		}
	}
	return t.run.call.from.peer.ask(msg)
}

func (t taskStream) reply([]byte, engine.Disposition) {}
func (t taskStream) skip(engine.Disposition)          {}

// tried sends a message, unless the exchange is over. It reports whether it was sent, and if so whether the client can
// never get it.
func (x *exchange) tried(msg []byte) (sent, lost bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mute() {
		return false, false
	}
	return true, x.to.ask(msg)
}
