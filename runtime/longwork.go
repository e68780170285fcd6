package runtime

import (
	"context"
	goruntime "runtime"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/callctx"
)

// newSlots returns the slots for long work: one fewer than processors, so that one remains free for quick work.
func newSlots() *admission.Semaphore {
	n := max(goruntime.GOMAXPROCS(0)-1, 1)
	return admission.NewSemaphore(n, n) // a caller may use all of them while no other caller waits
}

// enter waits for one of the slots for long work, for work on a text of this size from a caller with this access: from
// 16 KiB on, except for trusted peers. The error is the error of ctx if that ends first. Leave gives the slot back, and
// may be called more than once.
func (c *core) enter(ctx context.Context, a *Access, size int) (leave func(), err error) {
	if size < callctx.Long || a == nil {
		return func() {}, nil
	}
	who := a.Caller()
	if err := c.slots.Acquire(ctx, who, 0); err != nil {
		return func() {}, err
	}
	return sync.OnceFunc(func() { c.slots.Release(who) }), nil
}

// Turn waits for one of the slots for long work, in which a message of this size from a caller with this access is
// parsed ([Server.Read]). Messages of less than 16 KiB, and messages of trusted peers, do not wait, at no cost. If ctx
// ends first, the error is the error of ctx. Otherwise the transport must call end when it has parsed the message,
// before it serves it, since later work on the message waits for a slot again.
func (s *Server) Turn(ctx context.Context, a *Access, bytes int) (end func(), err error) {
	return s.core().enter(ctx, a, bytes)
}

// enterSlot is like enter, for work on a message from o. The error answers the message.
func (o *origin) enterSlot(a *Access, size int) (leave func(), _ *wireError) {
	leave, err := o.enter(o.ctx, a, size)
	if err != nil {
		return leave, internalError("the connection or the server has ended")
	}
	return leave, nil
}

// enter waits for a slot in which the response is made, if it is long: if size, or the expected size, is. The call
// keeps the slot until leave. Both are for the goroutine that makes the response.
func (c *call) enter(size int) error {
	if size < callctx.Long && c.toolState.size.expected() < callctx.Long {
		return nil
	}
	return (*callServer)(c).EnterResponse()
}

// leave gives the slot for long work back, if the call has one.
func (c *call) leave() {
	if x := c.extras(); x != nil && x.leave != nil {
		x.leave()
		x.leave = nil
	}
}

// release releases the bytes of Reserve when the call is no longer in flight.
func (c *call) release() {
	if x := c.extras(); x != nil {
		if bytes := x.contents.Swap(0); bytes > 0 {
			c.from.memory.Give(c.access.Caller(), int(bytes))
		}
	}
}
