package runtime

import (
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// callQueue is the running and the waiting calls of a session. Session.mu guards it.
type callQueue struct {
	running int       // number of goroutines that run calls, without parked ones
	parked  int       // number of goroutines whose calls wait for the client, a semaphore or the task store
	waiting []*call   // in order of arrival
	bytes   int       // size of the waiting calls
	room    sync.Cond // signalled when a place in the queue may have become free
	blocked int       // number of goroutines that wait for room
}

// admit runs c in its own goroutine, queues it, or blocks until it can be queued.
func (s *Session) admit(c *call) *wireError {
	c.own()
	return s.admitOwned(c)
}

// admitOwned is admit for a call that does not refer to the text of its message.
func (s *Session) admitOwned(c *call) *wireError {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.calls
	for s.mustWait(c) {
		// Posted messages must not wait with it.
		s.mu.Unlock()
		s.flush()
		s.mu.Lock()
		if s.mustWait(c) {
			q.blocked++
			q.room.Wait()
			q.blocked--
		}
	}
	if err := s.enroll(envelope.Key(c.id), c); err != nil {
		return err
	}
	if q.running < s.limits.MaxConcurrentCalls {
		q.running++
		go s.work(c)
		return nil
	}
	q.waiting = append(q.waiting, c)
	q.bytes += c.size()
	return nil
}

// mustWait reports whether c can neither run now nor be queued. The caller holds s.mu.
func (s *Session) mustWait(c *call) bool {
	return !s.closing && s.calls.running >= s.limits.MaxConcurrentCalls && !s.calls.hasRoom(c, &s.limits)
}

// hasRoom reports whether c may be queued.
func (q *callQueue) hasRoom(c *call, l *Limits) bool {
	return len(q.waiting) == 0 || len(q.waiting) < l.MaxQueuedCalls && q.bytes+c.size() <= l.MaxQueuedBytes
}

// remove removes c from the queue, and reports whether it was there.
func (q *callQueue) remove(c *call) bool {
	i := slices.Index(q.waiting, c)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.bytes -= c.size()
		q.room.Broadcast()
	}
	return i >= 0
}

// work runs c and then queued calls, until there are none. It is the body of every goroutine that runs calls, except
// readers.
func (s *Session) work(c *call) {
	growStack()
	for c != nil {
		c = s.workOn(c)
	}
}

// workOn runs c, which counts as running, and returns the next call to run; nil if there is none.
func (s *Session) workOn(c *call) (next *call) {
	defer func() {
		if c == nil {
			return
		}
		// The tool has called runtime.Goexit.
		c.early()
		c.fail(errGoexit)
		s.inFlight.leave(c)
		if next := s.next(); next != nil {
			go s.work(next)
		}
	}()
	c.run(now())
	s.inFlight.leave(c)
	c = nil
	return s.next()
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
func (s *Session) next() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextLocked()
}

// nextLocked is next for a caller that holds s.mu.
func (s *Session) nextLocked() *call {
	q := &s.calls
	if len(q.waiting) == 0 || q.running > s.limits.MaxConcurrentCalls {
		q.running--
		s.checkIdle()
		return nil
	}
	c := q.waiting[0]
	q.remove(c)
	return c
}

// stepAside implements [peer].
func (s *Session) stepAside(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aside(c)
}

// stepBack implements [peer].
func (s *Session) stepBack(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.back(c)
}

// aside is stepAside for a caller that holds s.mu. If c waits for several things at once, only the first counts. A task
// run does not count as a running call, so no call can run in its place.
func (s *Session) aside(c *call) {
	x := c.needExtras()
	if x.waits++; x.waits == 1 && x.run == nil {
		s.park()
	}
}

// back is stepBack for a caller that holds s.mu.
func (s *Session) back(c *call) {
	x := c.needExtras()
	if x.waits--; x.waits == 0 && x.run == nil {
		s.unpark()
	}
}

// park stops counting the goroutine of a waiting call as running, so that another call can run in its place. The caller
// holds s.mu.
func (s *Session) park() {
	q := &s.calls
	q.parked++
	if len(q.waiting) == 0 {
		q.running--
		return
	}
	next := q.waiting[0]
	q.remove(next)
	go s.work(next)
}

// unpark counts the goroutine as running again, at once: for some time more calls may run than the limit. The caller
// holds s.mu.
func (s *Session) unpark() {
	s.calls.parked--
	s.calls.running++
}

// checkIdle notifies Close when nothing is running. The caller holds s.mu.
func (s *Session) checkIdle() {
	if s.idle != nil && s.calls.running+s.calls.parked == 0 && !s.changes.sending {
		close(s.idle)
		s.idle = nil
	}
}
