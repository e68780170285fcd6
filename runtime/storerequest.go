package runtime

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/envelope"
)

// storeRequest is a request that uses the task store: a request about tasks, or a subscription to tasks. The store may
// take long, up to [storeTime] for each method, and the connection is read meanwhile. Such a request counts as a call
// in flight until the store has returned or its time is over. storeRequest is the [replier] of the request.
type storeRequest struct {
	exchange
	request *request
	key     string // key of its id while it is enrolled, see envelope.Key; otherwise ""
}

// useStore continues the request with rest, which uses the task store and answers. While the store is quick, the
// goroutine that has read the request runs rest; otherwise another one does, with a copy of the request.
//
//nolint:contextcheck,nolintlint // the context is that of the session
func (r *request) useStore(rest func(*request) *wireError) *wireError {
	r.leavePlace() // the store may take long
	s := r.session
	if err := s.inFlight.await(r.access.Caller(), 1); err != nil {
		return err
	}
	r.counted = true
	r.store = s.newStoreContext(s.ctx, r.access)
	isQuick := s.tasks.pace.isQuick()
	turn, inTurn := r.to.(*reader)
	switch {
	case s.endpoint != nil: // its messages already have their own goroutines
		r.runStored(rest)
		return nil
	case inTurn && isQuick:
		turn.serveStored(r, rest)
		return nil
	}
	done, err := r.serveApart(rest)
	if err == nil && isQuick && !inTurn {
		wait(done, quick) // so that messages passed one after the other are usually answered in this order
	}
	return err
}

// runStored runs rest, and answers the request if that returns an error.
func (r *request) runStored(rest func(*request) *wireError) {
	defer r.store.release()
	defer r.uncount()
	if err := rest(r); err != nil {
		r.refuse(err)
	}
}

// uncount stops counting the request as a call in flight.
func (r *request) uncount() {
	if r.counted {
		r.counted = false
		r.session.inFlight.Give(r.access.Caller(), 1)
	}
}

// answerStored is the rest of a request about tasks: the last stages of dispatch.
func (r *request) answerStored() *wireError {
	if err := r.lookUp(); err != nil {
		return err
	}
	if err := r.authorize(); err != nil {
		return err
	}
	return r.answer()
}

// serveApart runs rest in its own goroutine, with a copy of the request. The channel is closed when rest has returned.
func (r *request) serveApart(rest func(*request) *wireError) (<-chan struct{}, *wireError) {
	s := r.session
	x := &storeRequest{exchange: exchange{session: s, to: r.later()}, request: r.clone()}
	x.request.to = x
	s.mu.Lock()
	err := x.enroll()
	if err == nil {
		s.calls.parked++
	}
	s.mu.Unlock()
	if err != nil {
		r.uncount()
		return nil, err
	}
	r.counted = false // the copy is counted
	held := r.memory.hold()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer x.end(held)
		defer contain.Panic(s.ctx, s.log, "request not answered") // of the transport
		begun := now()
		x.request.runStored(rest)
		s.tasks.pace.took(now().since(begun))
	}()
	return done, nil
}

// clone returns a copy of the request that does not refer to its message.
func (r *request) clone() *request {
	c, params := *r, r.params.Clone()
	c.id, c.params, c.leave = bytes.Clone(r.id), &params, nil
	return &c
}

// end ends a request with its own goroutine, which holds the memory of the message if held is set.
func (x *storeRequest) end(held bool) {
	s := x.session
	if held {
		x.request.memory.drop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.parked--
	s.checkIdle()
}

// enroll registers the request, so that the client can cancel it. The caller holds Session.mu, and also x.mu if other
// goroutines can reach x.
func (x *storeRequest) enroll() *wireError {
	key := envelope.Key(x.request.id)
	if err := x.session.enroll(key, x); err != nil {
		return err
	}
	x.key = key
	return nil
}

// discharge undoes enroll. The caller holds x.mu.
func (x *storeRequest) discharge() {
	if x.key != "" {
		x.session.discharge(x.key, x)
		x.key = ""
	}
}

// overran implements [turn]. From then on the answer is sent by a goroutine that does not read, and the client can
// cancel the request.
func (x *storeRequest) overran() {
	if !x.mu.TryLock() {
		return // its answer is being sent: the client reads slowly
	}
	defer x.mu.Unlock()
	if x.over {
		return
	}
	s := x.session
	s.tasks.pace.took(quick)
	x.redirect(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = x.enroll() // after an error the request cannot be cancelled, but is still answered
}

// leaveStore ends the use of the store by a request that continues without it. It reports false if the client has
// cancelled the request.
func (r *request) leaveStore() (continues bool) {
	r.uncount()
	x, ok := r.to.(*storeRequest)
	if !ok {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mute() {
		return false
	}
	x.over = true
	x.discharge()
	r.to = x.to
	return true
}

// reply implements [replier].
func (x *storeRequest) reply(msg []byte, why Disposition) {
	x.session.unread.Add(1)
	defer x.session.unread.Add(-1)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.discharge()
	x.last(msg, why)
}

// skip implements [replier].
func (x *storeRequest) skip(why Disposition) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.discharge()
	if !x.mute() {
		x.over = true
		x.to.skip(why)
	}
}

// cancelled implements [pending]: the client has cancelled the request. Operations that have begun in the store
// continue.
func (x *storeRequest) cancelled(string) {
	x.unwanted.Store(true)
	x.silence()
}

// abandoned implements [pending]: the session ends.
func (x *storeRequest) abandoned() {
	respondError(x, x.request.id, internalError(stopReason(x.session.ctx)))
}

// serveStored is runStored in a turn of the reader.
func (r *reader) serveStored(q *request, rest func(*request) *wireError) {
	s := r.session
	r.stored = storeRequest{exchange: exchange{session: s, to: r}, request: q}
	q.to = &r.stored
	s.mu.Lock()
	s.calls.parked++
	r.begin(&r.stored)
	s.mu.Unlock()
	defer r.endStored()
	q.runStored(rest)
}

// endStored ends the turn of a request that uses the task store.
func (r *reader) endStored() {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.lost = r.running != turn(&r.stored); r.lost {
		s.unpark() // this goroutine continues as one that runs calls
		return
	}
	r.running = nil
	s.calls.parked--
	s.checkIdle()
}
