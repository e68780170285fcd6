package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

type accessKey struct{}

// WithAccess returns a context for requests whose caller the program itself has authenticated;
// mcp-go has no callers. Use it in the function of [server.WithHTTPContextFunc] or
// [server.WithSSEContextFunc], for example with the principal that middleware has set in the context
// of the HTTP request. Without it, clients over stdio and in the process are trusted, and all other
// callers are unauthenticated.
//
// WithAccess applies to one request: mcp-go does not bind a session to a principal. Any client that
// knows the ID of a session can answer the questions of its calls, so let middleware authenticate
// requests of all HTTP methods, and reject those without a valid token.
func WithAccess(ctx context.Context, access runtime.Access) context.Context {
	return context.WithValue(ctx, accessKey{}, &access)
}

// access returns the rights of the caller; nil for a trusted client.
func access(ctx context.Context) *runtime.Access {
	if a, ok := ctx.Value(accessKey{}).(*runtime.Access); ok {
		return a
	}
	if isLocal(server.ClientSessionFromContext(ctx)) && ctx.Value(http.ServerContextKey) == nil {
		return nil
	}
	return new(runtime.Access)
}

// isLocal reports whether the client of a session is in the process or uses stdio. It accepts only
// types of mcp-go that are used for nothing else: any other type, also one of the program, may
// receive requests from a network.
func isLocal(session server.ClientSession) bool {
	if _, ok := session.(*server.InProcessSession); ok {
		return true
	}
	t := reflect.TypeOf(session)
	// Only mcp-go can create a type with this path, but it does not export this one.
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().Name() == "stdioSession" &&
		t.Elem().PkgPath() == reflect.TypeFor[server.InProcessSession]().PkgPath()
}

// isShared reports whether other clients have the session of a request: all clients of a stateless
// transport have the one whose ID is empty, unless their revision has no sessions. A client that
// listens to it would get the messages for all of them.
func isShared(ctx context.Context) bool {
	session, isHTTP := server.ClientSessionFromContext(ctx).(server.SessionWithStreamableHTTPConfig)
	return isHTTP && session.SessionID() == "" && !server.IsModernRequest(ctx)
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
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok && !isShared(ctx) {
		info, capabilities = session.GetClientInfo(), reachable(session, session.GetClientCapabilities())
	}
	declared, err := json.Marshal(capabilities)
	if err != nil {
		declared = []byte("{}")
	}
	const level = "debug" // mcp-go filters by level
	return &engine.Peer{LogLevel: level, Name: info.Name, Title: info.Title, Version: info.Version, Capabilities: declared}
}
