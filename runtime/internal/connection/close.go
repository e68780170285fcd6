package connection

import (
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// Stop makes the connection begin no more work.
func (n *Connection) Stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop()
}

// stop is Stop for a caller that holds n.mu.
func (n *Connection) stop() {
	n.isClosing = true
	n.queue.wake()
}

// Drain makes the connection begin no more work, ends the requests to the client, and returns a channel that is closed when
// no call is running.
func (n *Connection) Drain() (idle <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop()
	n.questions.giveUp()
	if n.idle == nil {
		n.idle = make(chan struct{})
	}
	idle = n.idle
	n.checkIdle()
	return idle
}

// CheckIdle is called when IsBusy of the Config may have become false.
func (n *Connection) CheckIdle() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checkIdle()
}

// checkIdle closes the channel of Drain when nothing is running. The caller holds n.mu.
func (n *Connection) checkIdle() {
	if n.idle != nil && n.queue.running+n.parked == 0 && !n.IsBusy() {
		close(n.idle)
		n.idle = nil
	}
}

// Left returns the number of calls that run or wait, and a channel that is closed when no goroutine is in Flush.
func (n *Connection) Left() (calls int, flushed <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.queue.running + n.parked + len(n.queue.waiting), n.flushes.done()
}

// CountUnread returns the number of goroutines that wait for the client to read.
func (n *Connection) CountUnread() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := int(n.Unread.Load())
	for _, p := range n.requests.All() {
		if p.IsUnread() {
			count++
		}
	}
	return count
}

// Abandon ends every request that is still unanswered, and delivers the messages that are held back, in a goroutine of its
// own. It returns a channel that is closed when the transport has accepted or refused the last message.
func (n *Connection) Abandon() (done <-chan struct{}) {
	n.mu.Lock()
	left := n.requests.TakeAll()
	n.mu.Unlock()
	said := make(chan struct{})
	go func() {
		defer close(said)
		defer contain.Panic(n.Context, n.Log, "last answers not delivered")
		defer n.flushHeld()
		for _, p := range left {
			n.abandon(p)
		}
	}()
	return said
}

// abandon ends one request. If the transport panics, the others are still answered.
func (n *Connection) abandon(p respond.Pending) {
	defer contain.Panic(n.Context, n.Log, "request not ended")
	p.Abandoned()
}

// Flush delivers the responses that the transport holds back, for a goroutine that runs no call: Left has it, because the
// client may not be reading.
func (n *Connection) Flush() {
	n.mu.Lock()
	n.flushes.add(1)
	n.mu.Unlock()
	defer func() { // also if the transport panics
		n.mu.Lock()
		defer n.mu.Unlock()
		n.flushes.add(-1)
	}()
	n.flushHeld()
}

// flushHeld is Flush for a goroutine that counts as running.
func (n *Connection) flushHeld() { n.Sent(n.Out.Flush()) }

// flushes counts the goroutines in Flush.
type flushes struct {
	running int
	none    chan struct{} // closed when running is 0; nil until done
}

// done returns a channel that is closed when no goroutine is in Flush.
func (f *flushes) done() <-chan struct{} {
	if f.none == nil {
		f.none = make(chan struct{})
	}
	none := f.none
	f.add(0)
	return none
}

// add adds count goroutines, which may be negative.
func (f *flushes) add(count int) {
	if f.running += count; f.running == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}
