package mcptool

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/rawjson"
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

// TraceContext returns the trace context that the client has sent in _meta: the members traceparent, tracestate and
// baggage, in the W3C formats (https://www.w3.org/TR/trace-context, https://www.w3.org/TR/baggage). Invalid values, and
// a tracestate without a traceparent, are left out. The map is nil if nothing is left. To continue an OpenTelemetry
// trace in a tool or in [Middleware]:
//
//	carrier := propagation.MapCarrier(mcptool.Caller(ctx).TraceContext())
//	ctx = otel.GetTextMapPropagator().Extract(ctx, carrier)
//
// A server's audit log contains the trace id.
func (i CallInfo) TraceContext() map[string]string {
	var trace map[string]string
	scanner := rawjson.New(i.Meta, 0)
	scanner.OpenObject()
	for key, ok := scanner.Member(); ok; key, ok = scanner.Member() {
		raw := scanner.Value()
		format, known := traceFormats[string(key)]
		if !known || rawjson.KindOf(raw) != rawjson.String {
			continue
		}
		if value := string(rawjson.Unquote(raw)); value != "" && format.fits(value) {
			if trace == nil {
				trace = make(map[string]string, len(traceFormats))
			}
			trace[string(key)] = value
		}
	}
	if scanner.Err() != nil {
		return nil
	}
	if trace["traceparent"] == "" {
		delete(trace, "tracestate")
	}
	if len(trace) == 0 {
		return nil
	}
	return trace
}

// ClientInfo is a client's description of itself. Title is the display name. Each may be "".
type ClientInfo struct {
	Name    string
	Version string
	Title   string
}
