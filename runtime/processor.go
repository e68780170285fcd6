package runtime

import (
	"context"
	goruntime "runtime"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/runtime/internal/limit"
)

// processorQueue is the queue in which long work of one caller waits for a processor; see [processor.Queue].
type processorQueue struct {
	places *limit.CallerSemaphore
	caller Caller
}

// newProcessors returns the semaphore for long work: all processors but one, which remains free for quick work.
func newProcessors() *limit.CallerSemaphore {
	n := max(goruntime.GOMAXPROCS(0)-1, 1)
	return limit.NewCallerSemaphore(n, n) // a caller may use all of them while no other caller waits
}

// processorQueue returns the queue for long work of a caller with this access; nil for a trusted peer, whose work does
// not wait.
func (c *core) processorQueue(a *Access) processor.Queue {
	if a == nil {
		return nil
	}
	return &processorQueue{places: c.processors, caller: a.Caller()}
}

// longTurn is like [processor.Caller.Begin], for work that is not part of a call yet, on a text of this size from a
// caller with this access.
func (c *core) longTurn(ctx context.Context, a *Access, size int) (*processor.Turn, error) {
	if size < processor.Long {
		return nil, nil //nolint:nilnil // work that need not wait
	}
	t := processor.New(ctx, c.processorQueue(a))
	return t, t.Continue()
}

// Turn waits for the turn of a caller with this access to have a message of this size parsed ([Server.Read]). Messages
// of less than 16 KiB, and messages of trusted peers, do not wait, at no cost. If ctx ends before the turn begins, the
// error is the error of ctx. Otherwise the transport must call end when it has parsed the message, before it serves it,
// since later work on the message waits for further turns.
func (s *Server) Turn(ctx context.Context, a *Access, bytes int) (end func(), err error) {
	turn, err := s.core().longTurn(ctx, a, bytes)
	if turn == nil {
		return func() {}, nil
	}
	return turn.End, err
}

// beginTurn begins the turn of a request with long params. The turn ends before anything waits: for the store, or as
// the call that the request becomes.
func (r *request) beginTurn() (err *wireError) {
	r.turn, err = r.session.turnOf(r.access, len(r.params.Raw))
	return err
}

// turnOf is like longTurn, for a message to the session. The error answers the message.
func (s *Session) turnOf(a *Access, size int) (*processor.Turn, *wireError) {
	turn, err := s.longTurn(s.ctx, a, size)
	if err != nil {
		return nil, internalError("the connection or the server has ended")
	}
	return turn, nil
}

// Acquire implements [processor.Queue].
func (q *processorQueue) Acquire(ctx context.Context) error {
	return q.places.Acquire(ctx, q.caller, 0)
}

// Yield implements [processor.Queue].
func (q *processorQueue) Yield(ctx context.Context) error { return q.places.Yield(ctx, q.caller) }

// Release implements [processor.Queue].
func (q *processorQueue) Release() { q.places.Release(q.caller) }

// answerTurn is the turn for a long answer of a call. One turn covers the whole answer, so that calls that wait for
// their turns have not allocated memory for an answer, and calls of disconnected clients never do.
type answerTurn struct {
	turn   *processor.Turn // of the goroutine that encodes the answer
	inTurn atomic.Bool     // turn has begun
}

// release releases the bytes of Reserve when the call is no longer in flight.
func (c *call) release() {
	if x := c.extras(); x != nil {
		if bytes := x.contents.Swap(0); bytes > 0 {
			c.session.memory.Give(c.access.Caller(), int(bytes))
		}
	}
}

// beginTurn waits for the turn if the work is long: if size, or the expected size of the answer, is large.
func (c *call) beginTurn(size int) error {
	if size < processor.Long && c.toolState.size.expected() < processor.Long {
		return nil
	}
	_, err := (*callServer)(c).Turn()
	return err
}

// endTurn ends the turn, if it has begun.
func (c *call) endTurn() {
	if x := c.extras(); x != nil && x.turn != nil {
		x.turn.End()
		x.inTurn.Store(false)
	}
}
