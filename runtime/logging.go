package runtime

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// setLogLevel answers logging/setLevel.
func setLogLevel(r *request, dst []byte) ([]byte, *wireError) {
	level := wire.ParseLogLevel(rawjson.Lookup(r.params.Raw, "level"))
	if level == wire.NoLogLevel {
		return dst, invalidParams("params.level must be one of debug, info, notice, warning, error, critical, alert, emergency")
	}
	r.from.logLevel.Store(int32(level))
	return r.from.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// LogHandler implements host of package mcptool. Records are sent to the client, and written to the server's log with the call
// that they belong to.
func (c *call) LogHandler() slog.Handler {
	own := c.from.log.Handler().WithAttrs([]slog.Attr{
		c.attr(),
		slog.String("request_id", string(c.id)),
	})
	if !c.from.clientLog.reaches(c.version) {
		return own
	}
	return &callLog{call: c, own: own}
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
		dst = wire.AppendText(dst, "logger", h.call.name())
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
