package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"math"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// CallInfo describes a call and its caller. Only Tenant, Principal and Claims are verified: the client states everything else
// about itself, so use that for logs but do not base permissions on it.
type CallInfo struct {
	// Tool is the name of the running tool; "" if a prompt or resource is requested.
	Tool string
	// Prompt is the name of the requested prompt; "" for anything else.
	Prompt string
	// Resource is the URI that is read or subscribed to; "" for anything else. It is in normal form: hexadecimal digits
	// of percent-encoded bytes are upper case, and unreserved characters are not percent-encoded (RFC 3986, 6.2.2). For
	// lists and completions it is the URI or template of the resource in question; for a resource that [ListWith] lists
	// it is the URI.
	Resource string
	// RequestID is the id of the request as JSON, such as 7 or "a7"; "" without a server.
	RequestID string
	// SessionID identifies the session of a client of a revision up to 2025-11-25, which begins with initialize: a random
	// text that the server has made. It is not the Mcp-Session-Id of HTTP, and nobody can use the session with it. A
	// session that another process resumes keeps it. "" without a session: before initialize, for clients of revision
	// 2026-07-28 and later, whose requests belong to no session, in the server of another framework, without a server, and
	// for a task that runs again after its process has ended. An observer is notified of the end of a session, with the
	// same id: KindSession of [github.com/mcptool-go/mcptool/runtime/observe].
	SessionID string
	// ProtocolVersion is the protocol revision in use, such as "2025-11-25"; "" without a server.
	ProtocolVersion string
	// Client is the client's description of itself; zero if it gave none.
	Client ClientInfo
	// Capabilities is the JSON object in which the client declares its capabilities; nil without a server, and for a call
	// of a revision up to 2025-11-25 that belongs to no session. Use [CallInfo.Supports] to read it, and do not modify it.
	Capabilities json.RawMessage
	// Tenant is the organization that the caller acts for, as verified by the transport; "" if there is none. Two callers
	// with the same Principal and other Tenants are different callers.
	Tenant string
	// Principal identifies the caller, as verified by the transport; "" if the caller is unauthenticated.
	Principal string
	// Claims is the JSON object with the claims of the caller's access token, as verified by the transport; nil if there
	// are none. A task has the claims of the call that began it, but none if it runs again after its process has ended
	// ([Durable]), because they are not stored. They may contain personal data: servers do not log them, and the JSON of
	// a CallInfo does not contain them. Do not modify them.
	Claims json.RawMessage `json:"-"`
	// Meta is the _meta object of the request as JSON; nil if it had none. [CallInfo.TraceContext] returns the trace
	// context in it. Do not modify it.
	Meta json.RawMessage
}

// Supports reports whether the client has declared a capability. The name is a path of member names separated by dots:
// "sampling", "elicitation.url", "roots.listChanged". Everything after "extensions." or "experimental." is one name, even
// if it contains dots: "extensions.io.modelcontextprotocol/tasks". Every client that supports elicitation has
// "elicitation.form", unless it declares only the URL mode. Without a server, Supports returns false.
func (c CallInfo) Supports(name string) bool { return capability.Has(c.Capabilities, name) }

// ClientInfo is a client's description of itself. Title is the display name. Each may be "".
type ClientInfo struct {
	Name    string
	Version string
	Title   string
}

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

// withTool sets the tool that [Caller] returns. The CallInfo of the host is not enough: there may be no host, or the
// tool of the host's call may have called t.
func withTool(ctx context.Context, t *Tool) context.Context {
	call := callctx.Of(ctx)
	if named, _ := call.Tool.(*Tool); named != nil && named.settings.Name == t.settings.Name && named.kind == t.kind {
		return ctx
	}
	call.Tool = t
	if _, keeps := call.Host.(asker); !keeps && call.Kept == nil {
		call.Kept = replay.NewRun(replay.Log{}, nil)
	}
	return &callctx.Context{Context: ctx, Call: call}
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
