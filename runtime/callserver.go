package runtime

import (
	"context"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
)

// callServer implements [callctx.Provider] and [callctx.Server] for a call.
type callServer call

// CallContext implements [callctx.Provider].
func (c *callServer) CallContext() callctx.Call {
	made := callctx.Call{Host: (*call)(c), Server: c}
	if c.tool != nil {
		made.Tool = c.tool
	}
	if x := (*call)(c).extras(); x.uri != nil {
		made.URI = x.uri.normal
	}
	return made
}

// Coerces implements [callctx.Server].
func (c *callServer) Coerces() bool { return c.from.coerce && (*call)(c).isTool() }

// RecordCoerced implements [callctx.Server]. It keeps the locations for observers, except for arguments of
// another tool that the tool calls.
func (c *callServer) RecordCoerced(tool string, locations []string) {
	if c.tool != nil && c.name() == tool && c.op.Load() != nil {
		(*call)(c).needExtras().coerced.Store(&locations)
	}
}

// Sizes implements [callctx.Server].
func (c *callServer) Sizes() (likely, most int) { return c.size.expected(), c.from.maxJSON }

// Enter implements [callctx.Server].
func (c *callServer) Enter() (leave func(), err error) {
	if c.access == nil {
		return func() {}, nil // trusted peers do not wait
	}
	x := (*call)(c).needExtras()
	if x.slots.Load() > 0 {
		return func() {}, nil
	}
	giveBack, err := c.from.slots.enter((*call)(c), c.access, callctx.Long)
	if err != nil {
		return giveBack, err
	}
	x.slots.Add(1)
	return sync.OnceFunc(func() {
		x.slots.Add(-1)
		giveBack()
	}), nil
}

// EnterResponse implements [callctx.Server].
func (c *callServer) EnterResponse() error {
	x := (*call)(c).needExtras()
	if x.leave != nil {
		return nil
	}
	leave, err := c.Enter()
	if err == nil {
		x.leave = leave
	}
	return err
}

// Admit implements [callctx.Server].
func (c *callServer) Admit() error { return (*call)(c).extras().use.admit((*call)(c)) }

// MaxContents implements [callctx.Server].
func (c *callServer) MaxContents() int { return c.from.limits.MaxResultBytes }

// Reserve implements [callctx.Server]. Memory must be counted because a request of a few bytes can make a server read
// a file of many megabytes, and decoded arguments can be much larger than their text.
func (c *callServer) Reserve(bytes int) error {
	if err := (*call)(c).Err(); err != nil {
		return err // nothing would release the bytes
	}
	memory := c.from.memory
	if err := memory.Take(c.access.caller(), bytes, admission.Within); err != nil {
		return engine.MemoryError(err, memory)
	}
	(*call)(c).needExtras().contents.Add(int64(bytes))
	return nil
}

// Value implements [context.Context].
func (c *call) Value(key any) any {
	switch key {
	case callctx.Key{}:
		return (*callServer)(c)
	default:
		if op := c.op.Load(); op != nil {
			// WithoutCancel, because package context finds the cause of a cancellation with Value, and op.ctx ends
			// with the connection or the HTTP request.
			if value := context.WithoutCancel(op.ctx).Value(key); value != nil {
				return value
			}
		}
		if values := c.extras().values; values != nil {
			if value := values.Value(key); value != nil {
				return value
			}
		}
		return c.derived().Value(key)
	}
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
