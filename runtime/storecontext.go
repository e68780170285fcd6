package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/task"
)

// storeContext is the context in which a request uses the task store. It counts the memory of the records, from before
// they are read until they are no longer in use.
type storeContext struct {
	context.Context             //nolint:containedctx // of the session, or of the task or subscription
	record          task.Record // the record in the request

	// For a request that waits for tasks.
	waits     bool          // wait for memory before reading a record, for the record and for the message with it
	exclusive chan struct{} // has a value while a record is in use that prevents reading others; nil: not used

	mu     sync.Mutex
	memory engine.Reservation
	inUse  bool // exclusive has the value from this context
}

// Value implements [context.Context].
func (x *storeContext) Value(key any) any {
	if key == (callctx.ReserverKey{}) {
		return x
	}
	return x.Context.Value(key)
}

// Reserve implements [callctx.Reserver].
func (x *storeContext) Reserve(bytes int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waits {
		bytes *= 2
	}
	if bytes < 0 {
		x.giveBack(-bytes)
		return nil
	}
	if x.exclusive != nil && !x.inUse {
		select {
		case x.exclusive <- struct{}{}:
			x.inUse = true
		case <-x.Done():
			return x.Err()
		}
	}
	const longest = 2 * time.Second
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, longest) {
		err := x.memory.Grow(bytes, admission.Reading)
		if err == nil || !x.waits || !sleep(x, pause) {
			return err
		}
	}
}

// Release implements [callctx.Reserver]. It releases the memory of the records.
func (x *storeContext) Release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.giveBack(x.memory.Size())
}

// giveBack releases bytes, and the turn if no bytes remain. The caller holds x.mu.
func (x *storeContext) giveBack(bytes int) {
	x.memory.Add(-min(bytes, x.memory.Size()))
	if x.memory.Size() == 0 && x.inUse {
		<-x.exclusive
		x.inUse = false
	}
}

// newStoreContext returns the context for a request with this access, whose records count against memory. It ends with ctx.
func newStoreContext(ctx context.Context, memory *admission.Share, a *Access) *storeContext {
	return &storeContext{Context: ctx, memory: engine.Reservation{Memory: memory, Caller: a.caller()}}
}
