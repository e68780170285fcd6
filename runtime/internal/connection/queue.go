package connection

import (
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// queue has the calls of a connection that run, and those that wait for their turn. The mutex of the connection guards it.
type queue struct {
	running int       // number of goroutines that run calls, without parked ones
	waiting []Call    // in order of arrival
	bytes   int       // size of the waiting calls
	room    sync.Cond // signalled when a place in the queue may have become free
	blocked int       // number of goroutines that wait for room
}

// wake wakes the goroutines that wait for room.
func (q *queue) wake() { q.room.Broadcast() }

// take removes a request from the queue, and returns it; nil if it is not a call that waits.
func (q *queue) take(p respond.Pending) Call {
	i := slices.IndexFunc(q.waiting, func(c Call) bool { return respond.Pending(c) == p })
	if i < 0 {
		return nil
	}
	return q.takeAt(i)
}

// takeAt removes the call with this index, and returns it.
func (q *queue) takeAt(i int) Call {
	c := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.bytes -= c.Size()
	q.wake()
	return c
}

// Admit runs c in its own goroutine, queues it, or blocks until it can be queued, or has ended. Its messages are sent to to.
func (n *Connection) Admit(c Call, to engine.Writer) (err error) {
	c.Output().To = to
	c.Own()
	hasEnded := true // if the transport panics
	defer func() {
		if hasEnded {
			c.Leave()
		}
	}()
	hasEnded, err = n.enter(c)
	return err
}

// enter is Admit for a call that does not refer to the text of its message. It reports whether the call has ended while
// it was blocked: the client has cancelled it, or the connection has answered it.
func (n *Connection) enter(c Call) (hasEnded bool, err error) {
	q, key := &n.queue, c.Key()
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.add(key, c); err != nil { // before it waits, so that it can be cancelled
		return false, err
	}
	for n.isFull(c) && n.requests.Has(key, c) {
		func() {
			n.mu.Unlock()
			defer n.mu.Lock() // also if the transport panics
			n.Flush()         // held messages must not wait with c
		}()
		if n.isFull(c) && n.requests.Has(key, c) {
			q.blocked++
			q.room.Wait()
			q.blocked--
		}
	}
	switch {
	case !n.requests.Has(key, c):
		return true, nil
	case n.isClosing:
		n.requests.Remove(c)
		return false, ErrClosing
	case q.running < n.MaxRunning:
		q.running++
		go n.work(c)
	default:
		q.waiting = append(q.waiting, c)
		q.bytes += c.Size()
	}
	return false, nil
}

// isFull reports whether c can neither run now nor be queued. When the connection ends, nothing waits. The caller holds
// n.mu.
func (n *Connection) isFull(c Call) bool {
	q, count := &n.queue, len(n.queue.waiting)
	return !n.isClosing && q.running >= n.MaxRunning && count > 0 &&
		(count >= n.MaxQueued || q.bytes+c.Size() > n.MaxQueuedBytes)
}

// work runs c and then queued calls, until there are none. It is the body of every goroutine that runs calls, except
// readers.
func (n *Connection) work(c Call) {
	growStack()
	for c != nil {
		c = n.workOn(c)
	}
}

// workOn runs c, which counts as running, and returns the next call to run; nil if there is none.
func (n *Connection) workOn(c Call) (next Call) {
	defer func() {
		if c == nil {
			return
		}
		c.Exited()
		c.Leave()
		if next := n.next(); next != nil {
			go n.work(next)
		}
	}()
	c.Run(time.Now())
	c.Leave()
	c = nil
	return n.next()
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
func (n *Connection) next() Call {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.nextLocked()
}

// nextLocked is next for a caller that holds n.mu.
func (n *Connection) nextLocked() Call {
	q := &n.queue
	if len(q.waiting) == 0 || q.running > n.MaxRunning {
		q.running--
		n.checkIdle()
		return nil
	}
	return q.takeAt(0)
}

// StepAside lets other calls run in place of c, which is about to wait, until StepBack. If c waits for several things at
// once, only the first counts. If a goroutine reads and runs c, another one continues to read.
func (n *Connection) StepAside(c Call) {
	n.HandOver(c)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.aside(c)
}

// StepBack undoes StepAside, at once: for some time more calls may run than the limit.
func (n *Connection) StepBack(c Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.back(c)
}

// aside is StepAside for a caller that holds n.mu.
func (n *Connection) aside(c Call) {
	waits := c.Waits()
	if waits == nil {
		return
	}
	if *waits++; *waits > 1 {
		return
	}
	q := &n.queue
	n.parked++
	if len(q.waiting) == 0 {
		q.running--
		return
	}
	go n.work(q.takeAt(0))
}

// back is StepBack for a caller that holds n.mu.
func (n *Connection) back(c Call) {
	waits := c.Waits()
	if waits == nil {
		return
	}
	if *waits--; *waits == 0 {
		n.parked--
		n.queue.running++
	}
}
