package runtime

import (
	"context"
	goruntime "runtime"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/runtime/internal/limit"
)

// processorQueue is where long work for one caller waits for a processor; see [processor.Queue].
type processorQueue struct {
	places *limit.CallerSemaphore
	caller Caller
}

// newProcessors returns the semaphore for long work: all processors but one, which is left to quick work.
func newProcessors() *limit.CallerSemaphore {
	n := max(goruntime.GOMAXPROCS(0)-1, 1)
	return limit.NewCallerSemaphore(n, n) // a caller may use all of them while nobody else waits
}

// processorQueue returns the queue for long work of a caller with this access; nil for a trusted peer, whose work does
// not wait.
func (c *core) processorQueue(a *Access) processor.Queue {
	if a == nil {
		return nil
	}
	return &processorQueue{places: c.processors, caller: a.Caller()}
}

// longTurn is like [processor.Caller.Begin], for work that is not part of a call yet: on a text of this size from a
// caller with this access.
func (c *core) longTurn(ctx context.Context, a *Access, size int) (*processor.Turn, error) {
	if size < processor.Long {
		return nil, nil //nolint:nilnil // a turn for work that need not wait
	}
	t := processor.New(ctx, c.processorQueue(a))
	return t, t.Continue()
}

// Turn waits for the turn of a caller with this access to have a message of this size parsed ([Server.Read]). Messages
// of less than 16 KiB, and those of trusted peers, do not wait, and cost nothing here. The error is that of ctx, if it
// ends before. Otherwise the transport must call end when it has parsed the message, before it serves it, since later
// work on the message waits for turns of its own.
func (s *Server) Turn(ctx context.Context, a *Access, bytes int) (end func(), err error) {
	turn, err := s.core().longTurn(ctx, a, bytes)
	if turn == nil {
		return func() {}, nil
	}
	return turn.End, err
}

// beginTurn begins the turn of a request with long params. The turn ends before anything waits: for a store, or as the
// call that the request becomes.
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

// answerTurn is the turn in which the answer of a call is made, if it is long. One turn covers all of the answer, so
// that calls that wait for their turn have not allocated memory for theirs, and calls whose clients have disconnected
// never do.
type answerTurn struct {
	turn   *processor.Turn // of the goroutine that makes the answer
	inTurn atomic.Bool     // turn has a place
}

// Sizes implements [callctx.Encoding].
func (c *call) Sizes() (likely, most int) { return c.toolState.size.expected(), c.session.maxJSON }

// MaxContents implements [callctx.Encoding].
func (c *call) MaxContents() int { return c.session.limits.MaxResultBytes }

// Reserve implements [callctx.Encoding]. A request of a few bytes can make a server read a file of many megabytes, and
// decoded arguments can be much larger than their text.
func (c *call) Reserve(bytes int) error {
	if err := c.Err(); err != nil {
		return err // nothing would release it
	}
	memory := c.session.memory
	if err := memory.Take(c.access.Caller(), bytes); err != nil {
		return memoryError(err, memory)
	}
	c.needExtras().contents.Add(int64(bytes))
	return nil
}

// release releases what was reserved with Reserve, when the call is in flight no more.
func (c *call) release() {
	if x := c.extras(); x != nil {
		if bytes := x.contents.Swap(0); bytes > 0 {
			c.session.memory.Give(c.access.Caller(), int(bytes))
		}
	}
}

// Turn implements [callctx.Encoding].
func (c *call) Turn() (*processor.Turn, error) {
	if c.access == nil {
		return nil, nil //nolint:nilnil // trusted peers do not wait
	}
	x := c.needExtras()
	if x.turn == nil {
		x.turn = processor.CallerIn(c).Turn()
	}
	err := x.turn.Continue()
	x.inTurn.Store(err == nil)
	return x.turn, err
}

// beginTurn waits for the turn if the work is long: on so many bytes, or on as many as the answer is expected to have.
func (c *call) beginTurn(size int) error {
	if size < processor.Long && c.toolState.size.expected() < processor.Long {
		return nil
	}
	_, err := c.Turn()
	return err
}

// endTurn ends the turn, if it has begun.
func (c *call) endTurn() {
	if x := c.extras(); x != nil && x.turn != nil {
		x.turn.End()
		x.inTurn.Store(false)
	}
}
