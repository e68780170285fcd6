package tasks

import (
	"context"
	"sync"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/task"
)

// Context is the context in which a request uses the store. It counts the memory of the records, from before they are
// read until they are no longer in use.
type Context struct {
	context.Context //nolint:containedctx // of the session, or of the task or subscription
	Memory          Memory

	// For a request that waits for tasks.
	Waits     bool          // wait for memory before reading a record, for the record and for the message with it
	Exclusive chan struct{} // has a value while a record is in use that prevents reading others; nil: not used

	mu    sync.Mutex
	inUse bool // Exclusive has the value from this context
	size  int  // reserved bytes
}

var _ callctx.Reserver = (*Context)(nil)

// Memory is the memory that the records of a request may take.
type Memory interface {
	// Read reserves bytes before a record is read, or returns an error.
	Read(bytes int) error
	// Give releases bytes.
	Give(bytes int)
}

// Value implements [context.Context].
func (c *Context) Value(key any) any {
	if key == (callctx.ReserverKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Reserve implements [callctx.Reserver].
func (c *Context) Reserve(bytes int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Waits {
		bytes *= 2
	}
	if bytes < 0 {
		c.giveBack(-bytes)
		return nil
	}
	if c.Exclusive != nil && !c.inUse {
		select {
		case c.Exclusive <- struct{}{}:
			c.inUse = true
		case <-c.Done():
			return c.Err()
		}
	}
	err := c.Memory.Read(bytes)
	for pause := firstPause; err != nil && c.Waits && sleep(c, pause); pause = min(2*pause, longestPause) {
		err = c.Memory.Read(bytes)
	}
	if err == nil {
		c.size += bytes
	}
	return err
}

// Release releases the memory of the records.
func (c *Context) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(c.size)
}

// giveBack releases bytes, and the turn if no bytes remain. The caller holds c.mu.
func (c *Context) giveBack(bytes int) {
	bytes = min(bytes, c.size)
	c.Memory.Give(bytes)
	c.size -= bytes
	if c.size == 0 && c.inUse {
		<-c.Exclusive
		c.inUse = false
	}
}

// recordRead is a record that is being read from the store.
type recordRead struct {
	context *Context // nil: memory is not counted
	before  int      // number of bytes that were reserved before
}

// beginRecord must be called before a record is read in ctx.
func beginRecord(ctx context.Context) recordRead {
	c, _ := ctx.Value(callctx.ReserverKey{}).(*Context)
	return recordRead{c, c.reserved()}
}

// reserved returns the number of bytes that are reserved for records.
func (c *Context) reserved() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Waits {
		return c.size / 2
	}
	return c.size
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
