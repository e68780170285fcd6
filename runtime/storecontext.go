package runtime

import (
	"context"
	"sync"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/task"
)

// storeContext is the context in which a request uses the task store. It counts the memory of the records, from before
// they are read until they are no longer in use.
type storeContext struct {
	context.Context //nolint:containedctx // of the session, or of the task or subscription

	core   *core
	access *Access     // of the caller
	record task.Record // the record in the request

	// For a request that waits for tasks.
	waits bool          // wait for memory before reading a record, for the record and for the message with it
	turn  chan struct{} // has a value while a record is in use that prevents reading others; nil: not used

	mu     sync.Mutex
	inTurn bool // turn has the value from this context
	memory Reservation
}

var _ callctx.Reserver = (*storeContext)(nil)

// newStoreContext returns the context for a request with this access. It ends with ctx.
func (c *core) newStoreContext(ctx context.Context, a *Access) *storeContext {
	x := &storeContext{Context: ctx, core: c, access: a}
	x.memory.memory, x.memory.caller = c.memory, a.Caller()
	return x
}

// Value implements [context.Context].
func (c *storeContext) Value(key any) any {
	if key == (callctx.ReserverKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// enter waits for a slot for long work on a record of this size.
func (c *storeContext) enter(size int) (leave func(), err error) {
	return c.core.enter(c, c.access, size)
}

// Reserve implements [callctx.Reserver].
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

// release releases the memory of the records.
func (c *storeContext) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(c.memory.size)
}

// giveBack releases bytes, and the turn if no bytes remain. The caller holds c.mu.
func (c *storeContext) giveBack(bytes int) {
	c.memory.Add(-min(bytes, c.memory.size))
	if c.memory.size == 0 && c.inTurn {
		<-c.turn
		c.inTurn = false
	}
}

// recordRead is a record that is being read from the store.
type recordRead struct {
	context *storeContext // nil: memory is not counted
	before  int           // number of bytes that were reserved before
}

// beginRecord must be called before a record is read in ctx.
func beginRecord(ctx context.Context) recordRead {
	c, _ := ctx.Value(callctx.ReserverKey{}).(*storeContext)
	return recordRead{c, c.reserved()}
}

// reserved returns the number of bytes that are reserved for records.
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

// end must be called after the record r was read, or reading it has failed with err. If the store has reserved less
// than the size of the record, end reserves the rest. If the version of the record is not greater than seen, the record
// will not be used, and end releases everything.
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
