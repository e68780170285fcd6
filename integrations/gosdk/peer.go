package gosdk

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

// access returns the rights of a caller. A request over HTTP without a token is from an unauthenticated caller; the client
// of any other transport is trusted. Requests of SSEHandler differ from those over stdio only in the context of net/http:
// the SDK has no other mark.
func access(ctx context.Context, extra *mcp.RequestExtra) *runtime.Access {
	token := auth.TokenInfoFromContext(ctx) // of the connection, for HTTP with SSE, whose requests have no extra
	if extra != nil {
		token = extra.TokenInfo
	}
	switch {
	case token != nil:
		return &runtime.Access{Principal: token.UserID, Scopes: token.Scopes}
	case extra != nil || ctx.Value(http.ServerContextKey) != nil:
		return &runtime.Access{}
	default:
		return nil
	}
}

// peer describes the client of a handshake, and returns the revision. The SDK chooses the newest one with a handshake if it
// does not support the requested one.
func peer(p *mcp.InitializeParams) (revision string, _ *engine.Peer) {
	revision = "2025-11-25"
	client := &engine.Peer{Capabilities: json.RawMessage("{}"), LogLevel: "debug"} // the SDK filters by level
	if p == nil {
		return revision, client
	}
	if transport.HasHandshake(p.ProtocolVersion) {
		revision = p.ProtocolVersion
	}
	if i := p.ClientInfo; i != nil {
		client.Name, client.Title, client.Version = i.Name, i.Title, i.Version
	}
	if p.Capabilities != nil {
		client.Capabilities = capabilities(p.Capabilities)
	}
	return revision, client
}

// capabilities returns those that the client has declared. The SDK's encoding of the struct has roots in any case.
func capabilities(c *mcp.ClientCapabilities) json.RawMessage {
	declared := map[string]json.RawMessage{}
	for name, value := range map[string]any{
		"experimental": c.Experimental, "extensions": c.Extensions, "roots": c.RootsV2, "sampling": c.Sampling, "elicitation": c.Elicitation,
	} {
		if raw, err := json.Marshal(value); err == nil && string(raw) != "null" {
			declared[name] = raw
		}
	}
	raw, _ := json.Marshal(declared) // the values are JSON
	return raw
}
