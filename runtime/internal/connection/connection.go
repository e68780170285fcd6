package connection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

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
