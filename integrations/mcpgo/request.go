package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/hosting"
)

// callTool implements [server.ToolHandlerFunc]. An error of the engine is an isError result,
// because a server of mcp-go answers all errors of handlers with the code of internal errors.
func (m *mount) callTool(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	params := req.Params
	params.Meta = metaFor(ctx, params.Meta)
	raw, err := m.do(ctx, "tools/call", req.Header, params)
	if e, ok := errors.AsType[*hosting.Error](err); ok {
		if strings.HasPrefix(e.Message, fmt.Sprintf("unknown tool %q", params.Name)) {
			return nil, fmt.Errorf("tool '%s' not found: %w", params.Name, server.ErrToolNotFound)
		}
		return mcp.NewToolResultError(e.Message), nil
	}
	if err != nil {
		return nil, err
	}
	res := new(mcp.CallToolResult)
	if err := json.Unmarshal(raw, res); err != nil {
		return nil, err
	}
	return res, finish(&res.Result, raw, res.InputRequests)
}

// getPrompt implements [server.PromptHandlerFunc].
func (m *mount) getPrompt(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	params := req.Params
	params.Meta = metaFor(ctx, params.Meta)
	raw, err := m.do(ctx, "prompts/get", req.Header, params)
	if err != nil {
		if strings.HasPrefix(err.Error(), fmt.Sprintf("unknown prompt %q", params.Name)) {
			err = fmt.Errorf("prompt '%s' not found: %w", params.Name, server.ErrPromptNotFound)
		}
		return nil, err
	}
	res, err := mcp.ParseGetPromptResult(&raw)
	if err != nil {
		return nil, err
	}
	return res, finish(&res.Result, raw, res.InputRequests)
}

// readResource implements [server.ResourceHandlerFunc].
func (m *mount) readResource(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	params := req.Params
	params.Meta = metaFor(ctx, params.Meta)
	raw, err := m.do(ctx, "resources/read", req.Header, params)
	if err != nil {
		if err.Error() == "Resource not found" {
			err = fmt.Errorf("handler not found for resource URI '%s': %w", params.URI, server.ErrResourceNotFound)
		}
		return nil, err
	}
	res, err := mcp.ParseReadResourceResult(&raw)
	if err != nil {
		return nil, err
	}
	if res.NeedsInput() {
		return nil, errors.New("the resource needs input from the client, which it cannot request in a server of mcp-go")
	}
	return res.Contents, nil
}

// finish removes the name of the server, since mcp-go sends its own, and sets the forms of requests
// to their text.
func finish(res *mcp.Result, raw json.RawMessage, requests mcp.InputRequests) error {
	if res.Meta != nil {
		delete(res.Meta.AdditionalFields, mcp.MetaKeyServerInfo)
	}
	return keepForms(raw, requests)
}

// do serves a request with the engine, and returns its result.
func (m *mount) do(ctx context.Context, method string, header http.Header, params any) (json.RawMessage, error) {
	from := hosting.Origin{Access: access(ctx)}
	if !server.IsModernRequest(ctx) {
		from.Revision, from.Peer = revision(ctx, header), clientOf(ctx)
	} else if len(header) > 0 {
		from.Header = header
	}
	return m.ours.Do(ctx, method, params, from, &client{ctx, m.server})
}

// metaFor returns the _meta of a request for the engine. If mcp-go serves the request as one with a
// handshake, it does not name a revision.
func metaFor(ctx context.Context, meta *mcp.Meta) *mcp.Meta {
	if meta == nil {
		return nil
	}
	fields := hosting.WithoutTasks(meta.AdditionalFields)
	if !server.IsModernRequest(ctx) {
		delete(fields, mcp.MetaKeyProtocolVersion)
	}
	return &mcp.Meta{ProgressToken: meta.ProgressToken, AdditionalFields: fields}
}
