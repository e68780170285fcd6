package runtime

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// callHost is the host of package mcptool for a call: what its func gets from its context.
type callHost call

// callOf returns the call whose context is ctx or a parent of it; nil if there is none.
func callOf(ctx context.Context) *call {
	c, _ := callctx.Of(ctx).Host.(*callHost)
	return (*call)(c)
}

// Redact returns a text of the running call as [Server.Redact] leaves it. Use it for texts that are kept or cut before they are
// sent: a part of a secret, or a secret with the escapes of JSON, is not recognized. Without a server, or if Server.Redact
// is nil, the text is unchanged.
func Redact(ctx context.Context, text string) string {
	c := callOf(ctx)
	if c == nil {
		return text
	}
	return c.from.redactor.Redact(text)
}

// CallInfo implements host of package mcptool, like Progress and LogHandler.
func (c *callHost) CallInfo() mcptool.CallInfo {
	info := c.from.callInfo(c.version, c.access, c.meta)
	info.RequestID = string(c.id)
	if c.target.tool != nil {
		switch name := c.target.name(); c.target.kind {
		case promptSubject:
			info.Prompt = name
		case resourceSubject:
			info.Resource = name
		default:
			info.Tool = name
		}
	}
	return info
}

// Progress reports progress to the client, and to the task.
func (c *callHost) Progress(done, total float64, message string) {
	runner := (*call)(c).extras().runner
	if runner == nil && !c.out.Tracks() {
		return
	}
	message = c.from.redactor.Clean(message)
	if runner != nil {
		runner.Report(done, total, message)
	}
	if c.out.Tracks() {
		c.out.Report(&respond.Report{Done: done, Total: total, Message: wire.Cut(message, c.from.limits.MaxTextBytes)})
	}
}

// LogHandler returns a handler whose records are sent to the client, and written to the server's log with the call
// that they belong to.
func (c *callHost) LogHandler() slog.Handler {
	own := c.from.log.Handler().WithAttrs([]slog.Attr{
		c.target.attr(),
		slog.String("request_id", string(c.id)),
	})
	if !c.from.clientLog.reaches(c.version) {
		return own
	}
	return &callLog{call: (*call)(c), own: own}
}

// callLog is a [slog.Handler] that writes to the server's log and to the client.
type callLog struct {
	call  *call
	own   slog.Handler  // the server's
	scope wire.LogScope // attributes and groups of With and WithGroup
}

// wants reports whether the client currently gets records of level l.
func (h *callLog) wants(l slog.Level) bool {
	c := h.call
	least := c.extras().logLevel
	if !c.version.Has(wire.PerRequest) {
		least = wire.LogLevel(c.from.logLevel.Load())
	}
	return least != wire.NoLogLevel && wire.LogLevelOf(l) >= least
}

// Enabled implements [slog.Handler].
func (h *callLog) Enabled(ctx context.Context, l slog.Level) bool {
	return h.wants(l) || h.own.Enabled(ctx, l)
}

// Handle implements [slog.Handler].
func (h *callLog) Handle(ctx context.Context, r slog.Record) error {
	if h.wants(r.Level) && h.call.from.logBudget.Take(h.call.from.limits.LogRecordsPerSecond) {
		h.send(r) //nolint:contextcheck // the client has no context
	}
	if !h.own.Enabled(ctx, r.Level) {
		return nil
	}
	return h.own.Handle(ctx, r)
}

// send sends the record to the client.
func (h *callLog) send(r slog.Record) {
	wire.Compose(h.call.note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/message","params":{`...)
		dst = wire.AppendText(dst, "level", wire.LogLevelOf(r.Level).String())
		dst = wire.AppendText(dst, "logger", h.call.target.name())
		dst = h.scope.Append(rawjson.AppendName(dst, "data"), r, h.call.from.redactor)
		return append(h.call.appendRelated(dst), `}}`...)
	})
}

// WithAttrs implements [slog.Handler].
func (h *callLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &callLog{h.call, h.own.WithAttrs(attrs), h.scope.With(attrs)}
}

// WithGroup implements [slog.Handler].
func (h *callLog) WithGroup(name string) slog.Handler {
	return &callLog{h.call, h.own.WithGroup(name), h.scope.Within(name)}
}

// callServer implements [callctx.Provider] and [callctx.Server] for a call.
type callServer call

// CallContext implements [callctx.Provider].
func (c *callServer) CallContext() callctx.Call {
	made := callctx.Call{Host: (*callHost)(c), Server: c}
	if c.target.tool != nil {
		made.Tool = c.target.tool
	}
	if x := (*call)(c).extras(); x.uri != nil {
		made.URI = x.uri.normal
	}
	return made
}

// Coerces implements [callctx.Server].
func (c *callServer) Coerces() bool { return c.from.coerce && (*call)(c).target.isTool() }

// RecordCoerced implements [callctx.Server]. It keeps the locations for observers, except for arguments of
// another tool that the tool calls.
func (c *callServer) RecordCoerced(tool string, locations []string) {
	if c.target.tool != nil && c.target.name() == tool && c.op.Load() != nil {
		(*call)(c).needExtras().coerced.Store(&locations)
	}
}

// Sizes implements [callctx.Server].
func (c *callServer) Sizes() (likely, most int) { return c.target.size.expected(), c.from.maxJSON }

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

// enterResponse waits for a slot in which the response of the call is made, if it is long: if size, or the expected
// size, is. The call keeps the slot until leaveResponse. Both are for the goroutine that makes the response.
func enterResponse(c *call, size int) error {
	if size < callctx.Long && c.target.size.expected() < callctx.Long {
		return nil
	}
	return (*callServer)(c).EnterResponse()
}

// leaveResponse gives back the slot in which the response was made, if the call has one.
func leaveResponse(c *call) {
	if x := c.extras(); x.leave != nil {
		x.leave()
		x.leave = nil
	}
}
