package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

type accessKey struct{}

// WithAccess returns a context for requests whose caller the program itself has authenticated;
// mcp-go has no callers. Use it in the function of [server.WithHTTPContextFunc], for example with
// the principal that middleware has set in the context of the HTTP request. Without it, callers
// over HTTP are unauthenticated, and other clients are trusted.
func WithAccess(ctx context.Context, access runtime.Access) context.Context {
	return context.WithValue(ctx, accessKey{}, (*engine.Access)(&access))
}

// access returns the rights of the caller; nil for a trusted client. A client without a session is
// not trusted, because it is not known how the program has received the request.
func access(ctx context.Context) *engine.Access {
	if a, ok := ctx.Value(accessKey{}).(*engine.Access); ok {
		return a
	}
	session := server.ClientSessionFromContext(ctx)
	_, isHTTP := session.(server.SessionWithStreamableHTTPConfig)
	if session == nil || isHTTP || ctx.Value(http.ServerContextKey) != nil {
		return new(engine.Access)
	}
	return nil
}

// revision returns the revision of a request. That of a request with a handshake is in the session,
// or if mcp-go has forgotten that, in the header, unless it is nil; otherwise it is the newest one.
func revision(ctx context.Context, header http.Header) string {
	if name := cmp.Or(server.RequestProtocolVersion(ctx), header.Get("Mcp-Protocol-Version")); server.IsModernRequest(ctx) || transport.HasHandshake(name) {
		return name
	}
	return mcp.LATEST_LEGACY_PROTOCOL_VERSION
}

// reachable returns the capabilities without those for requests that mcp-go cannot send to the
// session.
func reachable(session server.ClientSession, declared mcp.ClientCapabilities) mcp.ClientCapabilities {
	if _, ok := session.(server.SessionWithElicitation); !ok {
		declared.Elicitation = nil
	}
	if _, ok := session.(server.SessionWithSampling); !ok {
		declared.Sampling = nil
	}
	if _, ok := session.(server.SessionWithRoots); !ok {
		declared.Roots = nil
	}
	return declared
}

// clientOf describes the client of a request.
func clientOf(ctx context.Context) *engine.Peer {
	var info mcp.Implementation
	var capabilities mcp.ClientCapabilities
	if r := server.RequestProtocolInfoFromContext(ctx); r != nil && r.Modern {
		info, capabilities = *cmp.Or(r.ClientInfo, &info), *cmp.Or(r.ClientCapabilities, &capabilities)
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info, capabilities = session.GetClientInfo(), reachable(session, session.GetClientCapabilities())
	}
	declared, err := json.Marshal(capabilities)
	if err != nil {
		declared = []byte("{}")
	}
	const level = "debug" // mcp-go filters by level
	return &engine.Peer{LogLevel: level, Name: info.Name, Title: info.Title, Version: info.Version, Capabilities: declared}
}
