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

// newProcessors returns the places for long work: all processors but one, which is left to quick work.
func newProcessors() *limit.CallerSemaphore {
	n := max(goruntime.GOMAXPROCS(0)-1, 1)
	return limit.NewCallerSemaphore(n, n) // a caller may use all of them while nobody else waits
}

// processorQueue returns where long work for whoever has this access waits, nil if it does not wait: trusted peers are not
// limited.
func (c *core) processorQueue(a *Access) processor.Queue {
	if a == nil {
		return nil
	}
	return &processorQueue{places: c.processors, caller: a.Caller()}
}

// longTurn is [processor.Caller.Begin] for what is no call yet: for a text of so many bytes from whoever has this access.
func (c *core) longTurn(ctx context.Context, a *Access, size int) (*processor.Turn, error) {
	if size < processor.Long {
		return nil, nil //nolint:nilnil // a turn for work that need not wait
	}
	t := processor.New(ctx, c.processorQueue(a))
	return t, t.Continue()
}

// Turn waits until it is the turn of who has this access to have a message of so many bytes taken apart ([Server.Read]).
// Messages below 16 KiB, and those of trusted peers, need not wait, and cost nothing here. The error is that of ctx, if it
// ends before. Otherwise the transport calls end when it has read the message, before it serves it: what takes long
// later waits for turns of its own.
func (s *Server) Turn(ctx context.Context, a *Access, bytes int) (end func(), err error) {
	turn, err := s.core().longTurn(ctx, a, bytes)
	if turn == nil {
		return func() {}, nil
	}
	return turn.End, err
}

// beginTurn begins the turn of a request whose params are long. It ends before anything waits: for a store, or as the call
// that the request has become.
func (r *request) beginTurn() (err *wireError) {
	if len(r.params.Raw) < processor.Long {
		return nil
	}
	r.turn, err = r.session.turnOf(r.access, len(r.params.Raw))
	return err
}

// turnOf is longTurn for a message to the session, with the error that answers the message.
func (s *Session) turnOf(a *Access, size int) (*processor.Turn, *wireError) {
	turn, err := s.longTurn(s.ctx, a, size)
	if err != nil {
		return nil, internalError("the connection or the server has ended")
	}
	return turn, nil
}

// callerContext returns the context of the session, with the queue of who has this access: what takes long in it waits for
// its turn.
func (s *Session) callerContext(a *Access) context.Context {
	if queue := s.processorQueue(a); queue != nil {
		return context.WithValue(s.ctx, processor.Key{}, queue)
	}
	return s.ctx
}

// Acquire implements [processor.Queue].
func (q *processorQueue) Acquire(ctx context.Context) error {
	return q.places.Acquire(ctx, q.caller, 0)
}

// Yield implements [processor.Queue].
func (q *processorQueue) Yield(ctx context.Context) error { return q.places.Yield(ctx, q.caller) }

// Release implements [processor.Queue].
func (q *processorQueue) Release() { q.places.Release(q.caller) }

// answerTurn is the turn in which the answer of a call is made, if it is long. One turn covers all of it, so that calls that
// wait for theirs have not taken memory for it, and those whose clients have gone never do.
type answerTurn struct {
	turn   *processor.Turn // of the goroutine that makes the answer
	inTurn atomic.Bool     // turn has a place
}

// Sizes implements [callctx.Encoding].
func (c *call) Sizes() (likely, most int) { return c.toolState.size.expected(), c.session.maxJSON }

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

// beginTurn waits for the turn if what there is to do is long: so many bytes, or what the answer is likely to have.
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
