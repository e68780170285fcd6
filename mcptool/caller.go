package mcptool

import (
	"cmp"
	"context"
	"log/slog"
	"math"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// Caller returns a description of the running call. Without a server only Tool is set; outside a call it is zero.
func Caller(ctx context.Context) CallInfo {
	info, call := infoOf(ctx), callctx.Of(ctx)
	if t, ok := call.Tool.(*Tool); ok {
		info = info.of(t)
		if call.URI != "" && t.kind == kindResource {
			info.Resource = call.URI
		}
	}
	return info
}

// running returns the name of the tool or prompt that runs, or the URI or template of the resource; "" outside a call.
func running(ctx context.Context) string {
	if t, ok := callctx.Of(ctx).Tool.(*Tool); ok {
		return t.settings.Name
	}
	info := Caller(ctx)
	return cmp.Or(info.Tool, info.Prompt, info.Resource)
}

// of returns the description for a call of what t runs.
func (c CallInfo) of(t *Tool) CallInfo {
	c.Tool, c.Prompt, c.Resource = "", "", ""
	switch t.kind {
	case kindPrompt:
		c.Prompt = t.settings.Name
	case kindResource:
		c.Resource = t.settings.Name
	default:
		c.Tool = t.settings.Name
	}
	return c
}

// about returns the description of a request about t, for its condition. A resource keeps the URI that the request names.
func (c CallInfo) about(t *Tool) CallInfo {
	uri := cmp.Or(c.Resource, t.settings.Name)
	if c = c.of(t); t.kind == kindResource {
		c.Resource = uri
		if normal, ok := uritemplate.Normalize(uri); ok { // a client could write %61 for an a
			c.Resource = normal
		}
	}
	return c
}

// Logger returns a logger for the running call. Its records are sent to the client, if they have at least the level
// that the client has set, and to the server's own log. Without a server they go to [slog.Default]. The logger is never nil
// and is safe for concurrent use. Do not log secrets: the client can read the records.
func Logger(ctx context.Context) *slog.Logger {
	h := hostOf(ctx)
	if h == nil {
		return slog.Default()
	}
	handler := h.LogHandler()
	if handler == nil {
		handler = slog.DiscardHandler
	}
	return slog.New(handler)
}

// Progress reports the progress of the running call to the client: done of total, in any unit, and a message for the
// user. A total of 0 or less means unknown. The value of done must increase with every report; a server drops a report
// in which it does not. Progress does nothing if the client has not asked for progress, if the call is over, without a
// server, or if a number is not finite. It is safe for concurrent use, and can be called in a loop: servers limit the
// rate of notifications.
func Progress(ctx context.Context, done, total float64, message string) {
	if !isFinite(done) || !isFinite(total) {
		return
	}
	if h := hostOf(ctx); h != nil {
		h.Progress(done, max(total, 0), message)
	}
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
