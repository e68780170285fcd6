package runtime

import (
	"context"
	"sync"

	"github.com/mcptool-go/mcptool/internal/callctx"
)

// enter waits for one of the slots for long work, for work on a text of this size from a caller with this access: from
// 16 KiB on, except for trusted peers. The error is the error of ctx if that ends first. Leave gives the slot back, and
// may be called more than once.
func (c *core) enter(ctx context.Context, a *Access, size int) (leave func(), err error) {
	if size < callctx.Long || a == nil {
		return func() {}, nil
	}
	if err := c.slots.Acquire(ctx, a.caller(), 0); err != nil {
		return func() {}, err
	}
	return sync.OnceFunc(c.slots.Release), nil
}

// enterSlot is like enter, for work on a message from o. The error answers the message.
func (o *origin) enterSlot(a *Access, size int) (leave func(), _ *wireError) {
	leave, err := o.enter(o.ctx, a, size)
	if err != nil {
		return leave, internalError("the connection or the server has ended")
	}
	return leave, nil
}

// enterResponse waits for a slot in which the response of the call is made, if it is long: if size, or the expected
// size, is. The call keeps the slot until leaveResponse. Both are for the goroutine that makes the response.
func enterResponse(c *call, size int) error {
	if size < callctx.Long && c.size.expected() < callctx.Long {
		return nil
	}
	return (*callServer)(c).EnterResponse()
}

// makeRoom is enterResponse, with an error if a result of this size is too large.
func makeRoom(c *call, size int) error {
	if size > c.from.limits.MaxResultBytes {
		return tooLarge(c, largeError{size: size, more: true})
	}
	return enterResponse(c, size)
}

// leaveResponse gives back the slot in which the response was made, if the call has one.
func leaveResponse(c *call) {
	if x := c.extras(); x.leave != nil {
		x.leave()
		x.leave = nil
	}
}
