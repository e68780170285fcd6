package connection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// Config is what a [Connection] needs.
type Config struct {
	Out     engine.Conn
	Context context.Context //nolint:containedctx // of the connection, for the log
	Log     *slog.Logger

	MaxRunning     int // calls at once
	MaxQueued      int // calls that wait
	MaxQueuedBytes int // that the waiting calls hold
	MaxQuestions   int // requests to the client without an answer

	Unread *atomic.Int32 // number of goroutines with requests that wait for the client to read
	// ErrShutdown is wrapped by the error of questions when the connection begins no more work.
	ErrShutdown error
	// Sent handles the result of a method of Out. It reports whether only this message is lost.
	Sent func(err error) (lost bool)
	// IsBusy reports whether the session does something beside its requests that Drain waits for. It is called with
	// the mutex of the Connection locked.
	IsBusy func() bool
}

// Connection has the requests of one client: the calls that run, at most MaxRunning at once, those that wait for their turn,
// and all other requests without a response. All methods are safe for concurrent use.
type Connection struct {
	Config

	mu        sync.Mutex // guards the fields below
	requests  respond.Table
	questions questions
	queue     queue
	readings  []*reading // usually one
	parked    int        // number of goroutines whose requests wait: for the client, a semaphore or the task store
	flushes   flushes
	isClosing bool          // no new work is begun
	idle      chan struct{} // closed when nothing is running; made by Drain
}

// Errors of [Connection.Add], [Connection.Admit] and [Turn.Run].
var (
	// ErrClosing means that the connection begins no more work.
	ErrClosing = errors.New("the connection ends")
	// ErrID means that an unanswered request has the same id: the client could not distinguish the two responses.
	ErrID = errors.New("a request with this id is still being answered")
)

// New returns a Connection.
func New(c Config) *Connection {
	n := &Connection{Config: c}
	n.queue.room.L = &n.mu
	n.questions.closed = fmt.Errorf("%w: %w", ErrUnreachable, c.ErrShutdown)
	return n
}

// Add adds a request that is answered later.
func (n *Connection) Add(p respond.Pending) error {
	key := p.Key()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.add(key, p)
}

// add is Add for a caller that holds n.mu.
func (n *Connection) add(key string, p respond.Pending) error {
	switch {
	case n.isClosing:
		return ErrClosing
	case !n.requests.Add(key, p):
		return ErrID
	}
	return nil
}

// Remove removes a request that is about to be answered, so that the client can use the id again as soon as it has the
// response. It reports false if the client has cancelled the request, or the connection has ended it.
func (n *Connection) Remove(p respond.Pending) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requests.Remove(p)
}

// Cancel cancels the request with this key (see [respond.Pending]) for the client. It ignores a request that is not there,
// because it was answered before or never arrived.
func (n *Connection) Cancel(key, reason string) {
	n.mu.Lock()
	request := n.requests.Take(key)
	c := n.queue.take(request)
	n.queue.wake() // it may be blocked
	n.mu.Unlock()
	if c != nil {
		c.Leave()
	}
	if request != nil {
		request.Cancelled(reason)
	}
}

// AddParked is Add for a request whose goroutine works for it, but does not run a call: Drain waits for it until Unpark.
func (n *Connection) AddParked(p respond.Pending) error {
	key := p.Key()
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.add(key, p)
	if err == nil {
		n.parked++
	}
	return err
}

// Suspend makes Drain not wait for a request of AddParked, until Resume. It reports false if the request is being
// cancelled. The error is ErrClosing.
func (n *Connection) Suspend(p respond.Pending) (isSuspended bool, err error) {
	key := p.Key()
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !n.requests.Has(key, p):
		return false, nil
	case n.isClosing:
		return false, ErrClosing
	}
	n.parked--
	return true, nil
}

// Resume undoes Suspend.
func (n *Connection) Resume() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.parked++
}

// Unpark undoes the parking of AddParked.
func (n *Connection) Unpark() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.parked--
	n.checkIdle()
}

// IsClosing reports whether the connection begins no more work.
func (n *Connection) IsClosing() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.isClosing
}

// IsReading reports whether messages of the client are read: while one waits for room in the queue of calls, those behind
// it are not.
func (n *Connection) IsReading() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.queue.blocked == 0 && !n.isClosing
}

// Admit runs c in its own goroutine, queues it, or blocks until it can be queued, or has ended.
func (n *Connection) Admit(c Call) (err error) {
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
