package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/hosting"
)

// callTool implements [mcp.ToolHandler].
func (m *mount) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	params, res := *req.Params, new(mcp.CallToolResult)
	raw, needed, err := m.serve(ctx, req, "tools/call", &params, res, unknown("tool", params.Name))
	if err != nil {
		return nil, err
	}
	if needed != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{}, InputRequests: needed.requests, RequestState: needed.state}, nil
	}
	// The SDK decodes structured content to a map, which loses the order of members and the exact numbers.
	var text struct{ StructuredContent json.RawMessage }
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, err
	}
	if text.StructuredContent != nil {
		res.StructuredContent = text.StructuredContent
	}
	return res, nil
}

// getPrompt implements [mcp.PromptHandler].
func (m *mount) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	params, res := *req.Params, new(mcp.GetPromptResult)
	_, needed, err := m.serve(ctx, req, "prompts/get", &params, res, unknown("prompt", params.Name))
	if needed != nil {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}, InputRequests: needed.requests, RequestState: needed.state}, nil
	}
	return res, err
}

// readResource implements [mcp.ResourceHandler].
func (m *mount) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	params, res := *req.Params, new(mcp.ReadResourceResult)
	_, needed, err := m.serve(ctx, req, "resources/read", &params, res, mcp.ResourceNotFoundError(params.URI))
	if needed != nil {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}, InputRequests: needed.requests, RequestState: needed.state}, nil
	}
	return res, err
}

// unknown returns the error of the SDK for an item that the server does not have.
func unknown(kind, name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown %s %q", kind, name)}
}

// serve serves a request with the engine. It decodes the result to res, and also returns its text, or else the input that
// is needed from the client. If the item does not exist for the caller, the error is missing, the same as if the server
// of the SDK did not have it; suggestions of similar names are removed.
func (m *mount) serve(ctx context.Context, req mcp.Request, method string, params mcp.Params, res mcp.Result, missing error) (json.RawMessage, *neededInput, error) {
	raw, err := m.do(ctx, req, method, params)
	if err != nil {
		if strings.HasPrefix(err.Error(), missing.Error()) {
			err = missing
		}
		return nil, nil, err
	}
	if needed, err := decodeNeeded(raw); needed != nil || err != nil {
		return nil, needed, err
	}
	if err := json.Unmarshal(raw, res); err != nil {
		return nil, nil, err
	}
	delete(res.GetMeta(), mcp.MetaKeyServerInfo) // the SDK sends its own
	return raw, nil, nil
}

// do serves a request with the engine, and returns its result. It sets the _meta of params.
func (m *mount) do(ctx context.Context, req mcp.Request, method string, params mcp.Params) (json.RawMessage, error) {
	session, ok := req.GetSession().(*mcp.ServerSession)
	if !ok {
		return nil, errors.New("gosdk: the request has no session")
	}
	meta := mcp.Meta(hosting.WithoutTasks(params.GetMeta()))
	params.SetMeta(meta)
	from := hosting.Origin{Access: access(ctx, req.GetExtra())}
	if meta[mcp.MetaKeyProtocolVersion] == nil {
		from.Revision, from.Peer = peer(session.InitializeParams())
	}
	raw, err := m.ours.Do(ctx, method, params, from, &client{ctx, session})
	if e, ok := errors.AsType[*hosting.Error](err); ok {
		return nil, &jsonrpc.Error{Code: int64(e.Code), Message: e.Message, Data: e.Data}
	}
	return raw, err
}
