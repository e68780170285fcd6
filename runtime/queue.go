package runtime

import (
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// callQueue is the calls of a session: the running ones, at most [Limits.MaxConcurrentCalls] at once, and those that wait
// for their turn. session.mu guards it.
type callQueue struct {
	session *session
	running int       // number of goroutines that run calls, without parked ones
	parked  int       // number of goroutines whose calls wait for the client, a semaphore or the task store
	waiting []*call   // in order of arrival
	bytes   int       // size of the waiting calls
	room    sync.Cond // signalled when a place in the queue may have become free
	blocked int       // number of goroutines that wait for room
}

// admit runs c in its own goroutine, queues it, or blocks until it can be queued, or has ended.
func (q *callQueue) admit(c *call) (err *wireError) {
	c.own()
	hasEnded := true // if the transport panics
	defer func() {
		if hasEnded {
			q.session.inFlight.leave(c)
		}
	}()
	hasEnded, err = q.enter(c)
	return err
}

// enter is admit for a call that does not refer to the text of its message. It reports whether the call has ended while
// it was blocked: the client has cancelled it, or the session has answered it.
func (q *callQueue) enter(c *call) (hasEnded bool, err *wireError) {
	s, key := q.session, envelope.Key(c.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enroll(key, c); err != nil { // before it waits, so that it can be cancelled
		return false, err
	}
	for q.isFull(c) && s.requests.Has(key, c) {
		func() {
			s.mu.Unlock()
			defer s.mu.Lock() // also if the transport panics
			s.flush()         // posted messages must not wait with c
		}()
		if q.isFull(c) && s.requests.Has(key, c) {
			q.blocked++
			q.room.Wait()
			q.blocked--
		}
	}
	switch {
	case !s.requests.Has(key, c):
		return true, nil
	case s.closing:
		s.requests.Remove(c)
		return false, internalError(stopReason(s.ctx))
	case q.running < s.limits.MaxConcurrentCalls:
		q.running++
		go q.work(c)
	default:
		q.waiting = append(q.waiting, c)
		q.bytes += c.size()
	}
	return false, nil
}

// isFull reports whether c can neither run now nor be queued. When the session ends, nothing waits. The caller holds
// session.mu.
func (q *callQueue) isFull(c *call) bool {
	s, n := q.session, len(q.waiting)
	return !s.closing && q.running >= s.limits.MaxConcurrentCalls && n > 0 &&
		(n >= s.limits.MaxQueuedCalls || q.bytes+c.size() > s.limits.MaxQueuedBytes)
}

// unqueue removes a request from the queue, and returns it; nil if it is not a call that waits. The caller holds
// session.mu.
func (q *callQueue) unqueue(p respond.Pending) *call {
	i := slices.IndexFunc(q.waiting, func(c *call) bool { return respond.Pending(c) == p })
	if i < 0 {
		return nil
	}
	return q.removeAt(i)
}

// removeAt removes the call with this index from the queue, and returns it. The caller holds session.mu.
func (q *callQueue) removeAt(i int) *call {
	c := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.bytes -= c.size()
	q.room.Broadcast()
	return c
}

// work runs c and then queued calls, until there are none. It is the body of every goroutine that runs calls, except
// readers.
func (q *callQueue) work(c *call) {
	growStack()
	for c != nil {
		c = q.workOn(c)
	}
}

// workOn runs c, which counts as running, and returns the next call to run; nil if there is none.
func (q *callQueue) workOn(c *call) (next *call) {
	defer func() {
		if c == nil {
			return
		}
		// The tool has called runtime.Goexit.
		c.out.Early()
		c.fail(errGoexit)
		q.session.inFlight.leave(c)
		if next := q.next(); next != nil {
			go q.work(next)
		}
	}()
	c.run(time.Now())
	q.session.inFlight.leave(c)
	c = nil
	return q.next()
}

// growStack makes room for a call on the stack of a new goroutine. Otherwise the stack is doubled three times on the
// way to the tool, and copied with all frames each time, which takes a seventh of a quick call over HTTP.
//
//go:noinline
func growStack() {
	var room [callStack]byte
	goruntime.KeepAlive(&room)
}

// callStack is less than the stack that a call of a typed tool needs, but large enough that the stack grows to a
// sufficient size.
const callStack = 8 << 10

// next returns the call that has waited longest. If there is none, it decrements the number of running goroutines and
// returns nil.
func (q *callQueue) next() *call {
	q.session.mu.Lock()
	defer q.session.mu.Unlock()
	return q.nextLocked()
}

// nextLocked is next for a caller that holds session.mu.
func (q *callQueue) nextLocked() *call {
	if len(q.waiting) == 0 || q.running > q.session.limits.MaxConcurrentCalls {
		q.running--
		q.session.checkIdle()
		return nil
	}
	return q.removeAt(0)
}

// aside lets another call run in place of c, which is about to wait. If c waits for several things at once, only the
// first counts. A task run does not count as a running call, so no call can run in its place. The caller holds
// session.mu.
func (q *callQueue) aside(c *call) {
	x := c.needExtras()
	if x.waits++; x.waits > 1 || x.run != nil {
		return
	}
	q.parked++
	if len(q.waiting) == 0 {
		q.running--
		return
	}
	go q.work(q.removeAt(0))
}

// back undoes aside, at once: for some time more calls may run than the limit. The caller holds session.mu.
func (q *callQueue) back(c *call) {
	x := c.needExtras()
	if x.waits--; x.waits == 0 && x.run == nil {
		q.parked--
		q.running++
	}
}

// stepAside implements [peer].
func (s *session) stepAside(c *call) {
	s.handOver(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.aside(c)
}

// stepBack implements [peer].
func (s *session) stepBack(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.back(c)
}

// checkIdle notifies Close when nothing is running. The caller holds s.mu.
func (s *session) checkIdle() {
	if s.idle != nil && s.calls.running+s.calls.parked == 0 && !s.changes.IsSending() {
		close(s.idle)
		s.idle = nil
	}
}

// run implements [peer]. It chooses the goroutine that runs the call, and where its messages are sent.
func (s *session) run(r *request, c *call) *wireError {
	if r.turn != nil && c.extras().run == nil && c.pace.isQuick() {
		return r.turn.run(c)
	}
	c.out.To(r.later().to)
	return s.calls.admit(c)
}
