package runtime

import (
	"bytes"
	"context"
	"slices"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
)

// storeRequest is a request of a session that uses the task store: a request about tasks, or a subscription to tasks.
// It has its own goroutine, because the store may take up to [tasks.StoreTime] for each method. It is the [replier] of
// the request.
type storeRequest struct {
	exchange
	request request // a copy, which does not refer to the message of the request
	params  envelope.Params
	key     string    // of the id, see envelope.Key
	held    bool      // the request holds the memory of its message
	wait    *taskWait // for the end of a task, and then for its delivery; nil before; guarded by session.mu
}

// taskWait is the state of a request that waits for the end of a task.
type taskWait struct {
	task string // id
	stop context.CancelFunc
}

// useStore continues the request with rest, which uses the task store and answers. In a session rest runs in another
// goroutine, with a copy of the request. The request counts as a call in flight until rest returns or calls leaveStore.
//
//nolint:contextcheck,nolintlint // the session's context
func (r *request) useStore(rest func(*request) *wireError) *wireError {
	o := r.from
	if err := o.inFlight.await(r.access.caller(), 1); err != nil {
		return err
	}
	r.counted = true
	r.store = o.newStoreContext(o.ctx, r.access)
	if !o.isSession {
		r.runStored(rest)
		return nil
	}
	x := &storeRequest{exchange: exchange{from: o, to: r.to.later()}, request: *r, params: r.params.Clone(), key: envelope.Key(r.id)}
	x.op.Store(r.op)
	x.request.to, x.request.id, x.request.params = x, bytes.Clone(r.id), &x.params
	if err := x.begin(); err != nil {
		r.uncount()
		return err
	}
	go x.run(rest)
	return nil
}

// runStored runs rest, and answers the request if that returns an error.
func (r *request) runStored(rest func(*request) *wireError) {
	defer func() { r.store.Release() }() // awaitEnd replaces it
	defer r.uncount()
	if err := rest(r); err != nil {
		r.refuse(err)
	}
}

// uncount stops counting the request as a call in flight.
func (r *request) uncount() {
	if r.counted {
		r.counted = false
		r.from.inFlight.Give(r.access.caller(), 1)
	}
}

// answerStored continues a request that may wait with the last stages of dispatch.
func answerStored(r *request) *wireError { return r.useStore((*request).answerWaiting) }

// answerWaiting is the last stages of dispatch of a request that may wait.
func (r *request) answerWaiting() *wireError {
	if r.method.find != nil {
		if err := r.method.find(r); err != nil {
			return err
		}
	}
	if r.method.waits {
		if ended, err := r.awaitEnd(); !ended { // taskresult.go
			return err
		}
	}
	return r.answer()
}

// leaveStore ends the use of the store by a request of a session that continues without it. It reports false if the
// client has cancelled the request.
func (r *request) leaveStore() (continues bool) {
	r.uncount()
	x, _ := r.to.(*storeRequest)
	r.to = x.to
	return sessionOf(x.from).remove(x.key, x)
}

// begin enrolls the request. From then on the client can cancel it, and the end of the session waits for it.
func (x *storeRequest) begin() *wireError {
	s := sessionOf(x.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enroll(x.key, x); err != nil {
		return err
	}
	s.calls.parked++
	x.held = x.request.memory.Hold()
	return nil
}

// run is the body of the goroutine of the request.
func (x *storeRequest) run(rest func(*request) *wireError) {
	defer x.end()
	defer contain.Panic(x.from.ctx, x.from.log, "request not answered") // of the transport
	x.request.runStored(rest)
}

// end undoes begin, after the request was answered.
func (x *storeRequest) end() {
	x.drop()
	x.stopWait()
	s := sessionOf(x.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.parked--
	s.checkIdle()
}

// drop releases the message of the request.
func (x *storeRequest) drop() {
	if x.held {
		x.held = false
		x.request.memory.Release()
	}
	x.params, x.request.header, x.request.values = envelope.Params{}, nil, nil
}

// beginWait counts the request as a subscription while it waits for a task, so that closing the session does not wait for
// it. It reports false if the request has ended, or may not wait. Stop is called when the request is cancelled or ends.
func (x *storeRequest) beginWait(task string, stop context.CancelFunc) (waits bool, _ *wireError) {
	x.drop()
	s := sessionOf(x.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.requests.all()[x.key] != pending(x): // it is being cancelled
		return false, nil
	case s.closing:
		return false, internalError(stopReason(s.ctx))
	case s.listens >= s.limits.MaxSubscriptions:
		return false, errManyListens
	}
	x.wait = &taskWait{task, stop}
	s.results = append(s.results, x)
	s.listens++
	s.calls.parked--
	return true, nil
}

// waitsFor implements [taskWaiter].
func (x *storeRequest) waitsFor(task string) *exchange {
	if x.wait.task != task {
		return nil
	}
	return &x.exchange
}

// endWait undoes beginWait. It does nothing if the request does not wait.
func (x *storeRequest) endWait() {
	s := sessionOf(x.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.results, taskWaiter(x)); i >= 0 {
		s.results = slices.Delete(s.results, i, i+1)
		s.listens--
		s.calls.parked++
	}
}

// stopWait ends the wait, if the request has begun one, and the delivery after it.
func (x *storeRequest) stopWait() {
	x.endWait()
	s := sessionOf(x.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.wait != nil {
		x.wait.stop()
	}
}

// reply implements [replier].
func (x *storeRequest) reply(msg []byte, why engine.Disposition) {
	s := sessionOf(x.from)
	s.unread.Add(1)
	defer s.unread.Add(-1)
	s.remove(x.key, x)
	x.finish(msg, why)
}

// later implements [replier].
func (x *storeRequest) later() replier { return x }

// skip implements [replier]. A request has a response.
func (*storeRequest) skip(engine.Disposition) {}

// cancelled implements [pending]: the client has cancelled the request. Operations that have begun in the store
// continue, except waiting.
func (x *storeRequest) cancelled(string) {
	x.unwanted.Store(true)
	x.stopWait()
	x.silence()
}

// abandoned implements [pending]: the session ends.
func (x *storeRequest) abandoned() {
	e := internalError(stopReason(x.from.ctx))
	x.stopWait()
	if x.request.method.waits {
		x.op.Load().end(outcomeStopped, e, 0)
	}
	r := request{from: x.from, to: x, id: x.request.id, op: x.op.Load()}
	r.refuse(e)
}
