package runtime

import (
	"context"
	"sync"

	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/task"
)

// storeContext is the context in which a request uses the task store. It counts the memory of the records that are read,
// from before they are read until they are not in use any more, and long work in it waits for the turn of the caller.
type storeContext struct {
	context.Context //nolint:containedctx // of the session or of what the request has begun

	queue  processor.Queue // of the caller, nil for a trusted peer
	record task.Record     // that the request names

	// Of a request that waits for tasks.
	waits bool          // a record is read when there is memory for it, and for the message that it is sent in
	turn  chan struct{} // holds a value while a record is in use that keeps others from being read; nil: none does

	mu     sync.Mutex
	inTurn bool // turn has the value
	memory Reservation
}

var _ task.Reserver = (*storeContext)(nil)

// newStoreContext returns the context for a request with this access, which ends with ctx.
func (s *Session) newStoreContext(ctx context.Context, a *Access) *storeContext {
	c := &storeContext{Context: ctx, queue: s.processorQueue(a)}
	c.memory.memory, c.memory.caller = s.memory, a.Caller()
	return c
}

// Value implements [context.Context].
func (c *storeContext) Value(key any) any {
	switch key.(type) {
	case task.ReserverKey:
		return c
	case processor.Key:
		return c.queue
	default:
		return c.Context.Value(key)
	}
}

// Reserve implements [task.Reserver].
func (c *storeContext) Reserve(bytes int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits {
		bytes *= 2
	}
	if bytes < 0 {
		c.giveBack(-bytes)
		return nil
	}
	if c.turn != nil && !c.inTurn {
		select {
		case c.turn <- struct{}{}:
			c.inTurn = true
		case <-c.Done():
			return c.Err()
		}
	}
	err := c.memory.read(bytes)
	for pause := firstPause; err != nil && c.waits && sleep(c, pause); pause = min(2*pause, longestPause) {
		err = c.memory.read(bytes)
	}
	return err
}

// release releases the memory of the records that were read.
func (c *storeContext) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(c.memory.size)
}

// giveBack gives back bytes, and the turn if no more are reserved. The caller holds c.mu.
func (c *storeContext) giveBack(bytes int) {
	c.memory.Add(-min(bytes, c.memory.size))
	if c.memory.size == 0 && c.inTurn {
		<-c.turn
		c.inTurn = false
	}
}

// recordRead is one record being read from the store.
type recordRead struct {
	context *storeContext // nil: nothing is counted
	before  int           // bytes that were reserved before
}

// beginRecord is called before a record is read in ctx.
func beginRecord(ctx context.Context) recordRead {
	c, _ := ctx.Value(task.ReserverKey{}).(*storeContext)
	return recordRead{c, c.reserved()}
}

// reserved returns how many bytes are reserved for records.
func (c *storeContext) reserved() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits {
		return c.memory.size / 2
	}
	return c.memory.size
}

// end is called when the record r was read, or reading it has failed with err. If the store has not reserved as much as
// the record takes, end reserves the rest. If the version of the record is not greater than seen, so that nothing uses
// it, end gives everything back.
func (g recordRead) end(r *task.Record, seen uint64, err error) error {
	c := g.context
	if c == nil {
		return err
	}
	if err == nil && r.Version > seen {
		err = c.Reserve(max(r.Size()-(c.reserved()-g.before), 0))
	}
	if err != nil || r.Version <= seen {
		_ = c.Reserve(g.before - c.reserved())
	}
	return err
}
