package runtime

import (
	"slices"
	"sync"
)

// callQueue is the calls of a session that run or wait to run. Session.mu guards it.
type callQueue struct {
	running int       // goroutines that run calls
	waiting []*call   // in the order they came
	bytes   int       // what the waiting calls hold
	room    sync.Cond // signalled when a place in the queue may have become free
}

// admit begins c, or lets it wait, or blocks until it can wait.
func (s *Session) admit(c *call) *wireError {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.calls
	for !s.closing && q.running >= s.limits.Concurrent && !q.hasRoom(c, &s.limits) {
		q.room.Wait()
	}
	if err := s.enroll(c.key, c); err != nil {
		return err
	}
	if q.running < s.limits.Concurrent {
		q.running++
		go s.work(c)
		return nil
	}
	q.waiting = append(q.waiting, c)
	q.bytes += c.size()
	return nil
}

// hasRoom reports whether c may wait.
func (q *callQueue) hasRoom(c *call, l *Limits) bool {
	return len(q.waiting) == 0 || len(q.waiting) < l.Queue && q.bytes+c.size() <= l.QueueBytes
}

// remove takes c out of the queue, if it waits there.
func (q *callQueue) remove(c *call) {
	if i := slices.Index(q.waiting, c); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.bytes -= c.size()
		q.room.Broadcast()
	}
}

// work runs c and then what waits, until nothing does. It is the body of every
// goroutine that runs calls.
func (s *Session) work(c *call) {
	defer func() {
		if c == nil {
			return
		}
		// The tool ended this goroutine with runtime.Goexit.
		c.fail(errGoexit)
		if next := s.next(); next != nil {
			go s.work(next)
		}
	}()
	for c != nil {
		c.run()
		c = s.next()
	}
}

// next returns the call that has waited longest, or nil after noting that one
// goroutine less runs calls.
func (s *Session) next() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.calls
	if len(q.waiting) == 0 {
		q.running--
		s.checkIdle()
		return nil
	}
	c := q.waiting[0]
	q.remove(c)
	return c
}

// checkIdle tells Close when nothing runs any more. The caller holds s.mu.
func (s *Session) checkIdle() {
	if s.idle != nil && s.calls.running == 0 && !s.news.busy {
		close(s.idle)
		s.idle = nil
	}
}
