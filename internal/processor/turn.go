// Package processor lets the callers of a server share its processors: work that takes long waits for one of a few
// places, and callers take turns, so that there is a processor left for the work that is quick. Quick work does not wait,
// and costs nothing here.
//
// A server puts a [Queue] of the caller into the context of a call, under [Key]. What works for the call takes its [Turn]
// from there before it works for long.
package processor

import (
	"context"
	"time"
)

const (
	// Long is the size from which a text is long work, in bytes: to scan, check, decode or encode it takes a tenth of a
	// millisecond and more.
	Long = 16 << 10
	// slice is how long a turn lasts while other callers wait.
	slice = 20 * time.Millisecond
)

// Key is the key of the [Queue] in a context.
type Key struct{}

// Queue is where the work for one caller waits for a place. Its methods are safe for concurrent use; each turn has at most
// one place.
type Queue interface {
	// Acquire waits for a place. The error is that of ctx, if it ends before.
	Acquire(ctx context.Context) error
	// Yield gives the place to another caller that waits for one, and waits for the next. If no other caller waits,
	// the place is kept. After an error the place is gone.
	Yield(ctx context.Context) error
	// Release gives the place back.
	Release()
}

// Turn is the turn of one piece of work, in one goroutine. Nil is that of work which need not wait.
type Turn struct {
	queue Queue
	ctx   context.Context
	began time.Time // zero: it has no place
	err   error
}

// Caller is for whom work is done. The zero value is nobody in particular, whose work need not wait.
type Caller struct{ ctx context.Context }

// CallerIn returns the caller in a context.
func CallerIn(ctx context.Context) Caller { return Caller{ctx} }

// Turn returns a new turn of the caller, which has not begun.
func (c Caller) Turn() *Turn {
	if c.ctx == nil {
		return nil
	}
	queue, _ := c.ctx.Value(Key{}).(Queue)
	return New(c.ctx, queue)
}

// New returns a new turn in a queue, which may be nil. It has not begun.
func New(ctx context.Context, queue Queue) *Turn {
	if queue == nil {
		return nil
	}
	return &Turn{queue: queue, ctx: ctx}
}

// Begin returns a turn for work on a text of so many bytes, which has begun if the text is long, and is nil if it is not.
// The error is that of the context, if it ends before.
func (c Caller) Begin(size int) (*Turn, error) {
	if size < Long {
		return nil, nil //nolint:nilnil // a turn for work that need not wait
	}
	t := c.Turn()
	return t, t.Continue()
}

// Continue is to be called before work that takes a tenth of a millisecond, and again every millisecond or so. It waits
// until the turn has a place, if other callers wait and the turn has lasted, too. The error is that of the context, if it
// ends before: then the work is not to be done.
func (t *Turn) Continue() error {
	switch {
	case t == nil:
		return nil
	case t.err != nil:
		return t.err
	case t.began.IsZero():
		t.err = t.queue.Acquire(t.ctx)
	case time.Since(t.began) < slice:
		return nil
	default:
		t.err = t.queue.Yield(t.ctx)
	}
	t.began = time.Now()
	if t.err != nil {
		t.began = time.Time{}
	}
	return t.err
}

// End gives the place back, if the turn has one. The turn may begin again.
func (t *Turn) End() {
	if t != nil { // a nil turn costs no call
		t.release()
	}
}

func (t *Turn) release() {
	if t.began.IsZero() {
		return
	}
	t.began = time.Time{}
	t.queue.Release()
}
