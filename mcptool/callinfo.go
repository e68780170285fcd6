package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
)

// CallInfo says who calls and how. Use it for logs and for rules of your own, not to
// trust: a client calls itself what it likes. Only Principal was verified.
type CallInfo struct {
	// Tool is the name of the tool that runs.
	Tool string
	// RequestID is the id of the request as JSON: 7 or "a7". "" without a server.
	RequestID string
	// ProtocolVersion is the revision the client speaks, as "2025-11-25". "" without a server.
	ProtocolVersion string
	// Client is what the client says of itself; zero if it says nothing.
	Client ClientInfo
	// Principal is who the transport verified the caller to be, "" if nobody was.
	Principal string
	// Meta is the _meta of the request, nil if it had none. Do not modify it.
	Meta json.RawMessage
}

// ClientInfo is how a client introduces itself.
type ClientInfo struct {
	Name    string
	Version string
	Title   string
}

// Host is what a running call may ask of the server that runs it. Servers and
// adapters implement it; tools use [Caller], [Progress] and [Logger]. Its methods
// are called from any goroutine of the tool, also after the call has ended.
type Host interface {
	// CallInfo describes the call.
	CallInfo() CallInfo
	// Progress reports progress to the client, if it asked. The numbers are finite,
	// a total of 0 is unknown.
	Progress(done, total float64, message string)
	// LogHandler takes the log of the call. Nil discards it.
	LogHandler() slog.Handler
}

type (
	hostKey struct{}
	toolKey struct{}
)

// WithHost returns a context for one [Tool.Call] that runs on behalf of h.
func WithHost(ctx context.Context, h Host) context.Context {
	return context.WithValue(ctx, hostKey{}, h)
}

// Caller describes the running call. Without a server only Tool is set; outside a
// call nothing is.
func Caller(ctx context.Context) CallInfo {
	var info CallInfo
	if h := hostOf(ctx); h != nil {
		info = h.CallInfo()
	}
	if t, ok := ctx.Value(toolKey{}).(*Tool); ok {
		info.Tool = t.name
	}
	return info
}

// hostOf returns the host of the call, nil if there is none.
func hostOf(ctx context.Context) Host {
	h, _ := ctx.Value(hostKey{}).(Host)
	return h
}

// withTool lets [Caller] name the tool that runs, which the host need not know: there
// may be none, or it may have called another tool that now calls this one.
func withTool(ctx context.Context, t *Tool) context.Context {
	return context.WithValue(ctx, toolKey{}, t)
}
