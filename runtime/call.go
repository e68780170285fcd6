package runtime

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// call is one tools/call on its way, or one request for a method of the author's own. It is
// the context of what runs, and its [mcptool.Host]. Since that may keep its context, no call is
// used twice.
type call struct {
	exchange
	callContext
	*toolState
	access *Access // of who calls

	// Raw JSON, nil if there was none. The arguments are a part of the message if the
	// call is run by who has read it; the others are copies.
	id, args, meta []byte

	extra atomic.Pointer[callExtras]
	small [16]byte // room for id and what else is short
}

// name is the name of what runs.
func (c *call) name() string {
	if c.method != nil {
		return c.method.Name
	}
	return c.tool.Name()
}

// attr says in the log what runs.
func (c *call) attr() slog.Attr {
	if c.method != nil {
		return slog.String("method", c.method.Name)
	}
	return slog.String("tool", c.tool.Name())
}

// size is what the call holds while it waits, in bytes.
func (c *call) size() int {
	return len(c.id) + len(c.args) + len(c.meta)
}

// abandoned implements [pending]: the session ends, and the tool has not.
func (c *call) abandoned() { c.fail(ErrShutdown) }

// cancelled implements [pending]: the client wants no answer any more.
func (c *call) cancelled(reason string) {
	cause := ErrCancelled
	if reason != "" {
		cause = fmt.Errorf("%w: %s", ErrCancelled, reason)
	}
	c.unwanted.Store(true) // before end: a tool that heeds it answers at once
	c.end(cause)           // before silence, which may have to wait for a message being sent
	s := c.session
	s.mu.Lock()
	waited := s.calls.remove(c)
	s.mu.Unlock()
	if waited {
		s.inFlight.leave(c)
	}
	if run := c.extras().taskRun(); run != nil {
		run.untie()
	}
	c.silence()
	c.mu.Lock()
	c.extras().progress().stop()
	c.mu.Unlock()
	c.audit(outcomeCancelled, 0)
	s.log.LogAttrs(s.ctx, slog.LevelInfo, "call cancelled by the client", c.attr(),
		slog.String("request_id", string(c.id)), slog.String("reason", reason))
}

// CallInfo implements [mcptool.Host].
func (c *call) CallInfo() mcptool.CallInfo {
	info := mcptool.CallInfo{
		RequestID:       string(c.id),
		ProtocolVersion: c.version.String(),
		Principal:       c.access.principal(),
		Meta:            c.meta,
	}
	if c.tool != nil {
		info.Tool = c.tool.Name()
	}
	if c.version.Has(wire.PerRequest) {
		wire.Members(c.meta, func(name string, value []byte) {
			switch name {
			case wire.MetaClientInfo:
				info.Client, _ = wire.ReadClientInfo(value)
			case wire.MetaClientCapabilities:
				info.Capabilities = value
			}
		})
		return info
	}
	if h := c.session.hello.Load(); h != nil {
		info.Client, info.Capabilities = h.client, h.capabilities
	}
	return info
}
