package runtime

import (
	"bytes"
	"context"
	"slices"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// storeRequest is a request of a session that uses the task store: a request about tasks, or a subscription to tasks.
// It has its own goroutine, because the store may take up to [taskengine.StoreTime] for each method. It is the
// [engine.Writer] of the request.
type storeRequest struct {
	engine.NoAsk
	out     respond.Out
	inner   engine.Writer // of the request
	request request       // a copy, which does not refer to the message of the request
	params  envelope.Params
	key     string    // of the id, see envelope.Key
	wait    *taskWait // for the end of a task, and then for its delivery; nil before; guarded by session.mu
}

// taskWait is the state of a request that waits for the end of a task.
type taskWait struct {
	task string // id
	stop context.CancelFunc
}

// stored is the rest of a request that uses the task store. In a session x is the request there; otherwise it is nil.
type stored func(r *request, x *storeRequest) *wireError

// useStore continues the request with rest, which uses the task store and answers. In a session rest runs in another
// goroutine, with a copy of the request. The request counts as a call in flight until rest returns or calls leave.
//
//nolint:contextcheck,nolintlint // the session's context
func useStore(r *request, rest stored) *wireError {
	o := r.from
	if err := o.inFlight.await(r.access.caller(), 1); err != nil {
		return err
	}
	r.counted = true
	r.store = newStoreContext(o.ctx, o.memory, r.access)
	if !o.isSession {
		runStored(r, nil, rest)
		return nil
	}
	to := r.route.later()
	x := &storeRequest{inner: to.to, request: *r, params: r.params.Clone(), key: envelope.Key(r.id)}
	x.out.To = x.inner
	x.request.route, x.request.id, x.request.params = route{to: x, isShared: to.isShared}, bytes.Clone(r.id), &x.params
	if err := x.begin(); err != nil {
		uncount(r)
		return err
	}
	go x.run(rest)
	return nil
}

// runStored runs rest, and answers the request if that returns an error.
func runStored(r *request, x *storeRequest, rest stored) {
	defer func() { r.store.Release() }() // awaitEnd replaces it
	defer uncount(r)
	if err := rest(r, x); err != nil {
		r.refuse(err)
	}
}

// uncount stops counting the request as a call in flight.
func uncount(r *request) {
	if r.counted {
		r.counted = false
		r.from.inFlight.Give(r.access.caller(), 1)
	}
}

// answerStored continues a request that may wait with the last stages of dispatch.
func answerStored(r *request) *wireError { return useStore(r, answerWaiting) }

// answerWaiting is the last stages of dispatch of a request that may wait.
func answerWaiting(r *request, x *storeRequest) *wireError {
	if r.method.find != nil {
		if err := r.method.find(r); err != nil {
			return err
		}
	}
	if r.method.waits {
		if ended, err := x.awaitEnd(r); !ended {
			return err
		}
	}
	return r.answer()
}

// leave ends the use of the store by a request that continues without it. It reports false if the client has cancelled the
// request.
func (x *storeRequest) leave(r *request) (continues bool) {
	uncount(r)
	r.route.to = x.inner
	return sessionOf(r.from).conn.Remove(x)
}

// begin enrolls the request. From then on the client can cancel it, and the end of the session waits for it.
func (x *storeRequest) begin() *wireError {
	s := sessionOf(x.request.from)
	if err := s.refusal(s.conn.AddParked(x)); err != nil {
		return err
	}
	if !x.request.memory.Hold() {
		x.request.memory = nil
	}
	return nil
}

// run is the body of the goroutine of the request.
func (x *storeRequest) run(rest stored) {
	defer x.end()
	defer contain.Panic(x.request.from.ctx, x.request.from.log, "request not answered") // of the transport
	runStored(&x.request, x, rest)
}

// end undoes begin, after the request was answered.
func (x *storeRequest) end() {
	x.drop()
	x.stopWait()
	sessionOf(x.request.from).conn.Unpark()
}

// drop releases the message of the request.
func (x *storeRequest) drop() {
	x.request.memory.Release()
	x.params, x.request.memory, x.request.header, x.request.values = envelope.Params{}, nil, nil, nil
}

// beginWait counts the request as a subscription while it waits for a task, so that closing the session does not wait for
// it. It reports false if the request has ended, or may not wait. Stop is called when the request is cancelled or ends.
func (x *storeRequest) beginWait(task string, stop context.CancelFunc) (waits bool, _ *wireError) {
	x.drop()
	s := sessionOf(x.request.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits, err := s.conn.Suspend(x); !waits {
		return false, s.refusal(err)
	}
	if s.listens >= s.limits.MaxSubscriptions {
		s.conn.Resume()
		return false, errManyListens
	}
	x.wait = &taskWait{task, stop}
	s.results = append(s.results, x)
	s.listens++
	return true, nil
}

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
	r.store = newStoreContext(ctx, r.from.memory, r.access) // the store may still use the other one
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

// waitsFor implements [taskWaiter].
func (x *storeRequest) waitsFor(task string) *respond.Out {
	if x.wait.task != task {
		return nil
	}
	return &x.out
}

// waitingFor returns where the oldest tasks/result of the connection that waits for the task is answered; nil if none waits.
func waitingFor(o *origin, task string) *respond.Out {
	s := sessionOf(o)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, waiting := range s.results {
		if out := waiting.waitsFor(task); out != nil {
			return out
		}
	}
	return nil
}

// endWait undoes beginWait. It does nothing if the request does not wait.
func (x *storeRequest) endWait() {
	s := sessionOf(x.request.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.results, taskWaiter(x)); i >= 0 {
		s.results = slices.Delete(s.results, i, i+1)
		s.listens--
		s.conn.Resume()
	}
}

// stopWait ends the wait, if the request has begun one, and the delivery after it.
func (x *storeRequest) stopWait() {
	x.endWait()
	s := sessionOf(x.request.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.wait != nil {
		x.wait.stop()
	}
}

// Notify implements [engine.Writer].
func (x *storeRequest) Notify(msg []byte) error { return x.out.Notify(msg) }

// Respond implements [engine.Writer].
func (x *storeRequest) Respond(msg []byte, end engine.End) error {
	s := sessionOf(x.request.from)
	s.unread.Add(1)
	defer s.unread.Add(-1)
	s.conn.Remove(x)
	return x.out.Respond(msg, end)
}

// Key implements [respond.Pending].
func (x *storeRequest) Key() string { return x.key }

// IsUnread implements [respond.Pending].
func (*storeRequest) IsUnread() bool { return false }

// Cancelled implements [respond.Pending]: the client has cancelled the request. Operations that have begun in the store
// continue, except waiting.
func (x *storeRequest) Cancelled(string) {
	defer x.request.op.end(observe.OutcomeCancelled, nil, 0) // also if the transport panics
	x.request.from.sent(x.out.Cancel(x.stopWait))
}

// Abandoned implements [respond.Pending]: the session ends.
func (x *storeRequest) Abandoned() {
	e := internalError(stopReason(x.request.from.ctx))
	x.stopWait()
	if x.request.method.waits {
		x.request.op.end(observe.OutcomeStopped, e, 0)
	}
	r := request{from: x.request.from, route: route{to: x}, id: x.request.id, op: x.request.op}
	r.refuse(e)
}
