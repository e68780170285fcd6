package runtime

import (
	"strings"

	"github.com/mcptool-go/mcptool/internal/callctx"
)

// callServer implements [callctx.Provider] and [callctx.Server] for a call.
type callServer call

// CallContext implements [callctx.Provider].
func (c *callServer) CallContext() callctx.Call {
	made := callctx.Call{Host: (*call)(c), Server: c}
	if c.tool != nil {
		made.Tool = c.tool
	}
	if x := (*call)(c).extras(); x != nil && x.uri != nil {
		made.URI = x.uri.normal
	}
	return made
}

// Coerces implements [callctx.Server].
func (c *callServer) Coerces() bool { return c.session.coerce && (*call)(c).isTool() }

// RecordCoerced implements [callctx.Server]. It records the locations for the audit record, except for arguments of
// another tool that the tool calls.
func (c *callServer) RecordCoerced(tool string, locations []string) {
	if c.tool != nil && c.tool.Name() == tool && c.session.isAudited() {
		text := strings.Join(locations, ", ")
		(*call)(c).needExtras().coerced.Store(&text)
	}
}

// Sizes implements [callctx.Server].
func (c *callServer) Sizes() (likely, most int) { return c.size.expected(), c.session.maxJSON }

// Enter implements [callctx.Server].
func (c *callServer) Enter() error {
	if c.access == nil {
		return nil // trusted peers do not wait
	}
	x := (*call)(c).needExtras()
	if !x.placed.CompareAndSwap(false, true) {
		return nil
	}
	err := c.session.processors.Acquire((*call)(c), c.access.Caller(), 0)
	if err != nil {
		x.placed.Store(false)
	}
	return err
}

// Leave implements [callctx.Server].
func (c *callServer) Leave() {
	if x := (*call)(c).extras(); x != nil && x.placed.CompareAndSwap(true, false) {
		c.session.processors.Release(c.access.Caller())
	}
}

// MaxContents implements [callctx.Server].
func (c *callServer) MaxContents() int { return c.session.limits.MaxResultBytes }

// Reserve implements [callctx.Server]. Memory must be counted because a request of a few bytes can make a server read
// a file of many megabytes, and decoded arguments can be much larger than their text.
func (c *callServer) Reserve(bytes int) error {
	if err := (*call)(c).Err(); err != nil {
		return err // nothing would release the bytes
	}
	memory := c.session.memory
	if err := memory.Take(c.access.Caller(), bytes); err != nil {
		return memoryError(err, memory)
	}
	(*call)(c).needExtras().contents.Add(int64(bytes))
	return nil
}
