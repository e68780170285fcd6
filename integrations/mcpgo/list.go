package mcpgo

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
)

// filterTools is a [server.ToolFilterFunc].
func (m *mount) filterTools(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	return filter(ctx, m, &m.mirror.Tools, tools, toolKey)
}

// filterPrompts is a [server.PromptFilterFunc].
func (m *mount) filterPrompts(ctx context.Context, prompts []mcp.Prompt) []mcp.Prompt {
	return filter(ctx, m, &m.mirror.Prompts, prompts, promptKey)
}

// filter removes our entries that do not exist for the caller, so that the server answers as if it
// did not have them. It gets lists and, alone, the entry of a requested item. The engine checks
// that as well, but errors of handlers have another code.
func filter[Item comparable, Entry any](ctx context.Context, m *mount, k *hosting.Kind[Item], entries []Entry, key func(Entry) (string, *mcp.Meta)) []Entry {
	added, who, client := k.Added(), access(ctx), clientOf(ctx)
	info := mcptool.CallInfo{
		ProtocolVersion: revision(ctx, nil), Capabilities: client.Capabilities,
		Client: mcptool.ClientInfo{Name: client.Name, Title: client.Title, Version: client.Version},
	}
	if who != nil {
		info.Tenant, info.Principal, info.Claims = who.Tenant, who.Principal, who.Claims
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		name, mark := key(e)
		if mark != m.mark {
			return false
		}
		a, ok := added[name]
		if !ok || !transport.Allows(who, internals.Runner(a.Item)) {
			return true
		}
		visible, _ := internals.VisibleTo(ctx, internals.Runner(a.Item), info) // the engine, which lists the entry again, logs the error
		return !visible
	})
}

// lists is a [server.OnSuccessHookFunc] that replaces our entries in lists by those that a server
// of this module sends: mcp-go has one entry for all revisions and callers.
func (m *mount) lists(ctx context.Context, _ any, _ mcp.MCPMethod, message, result any) {
	switch page := result.(type) {
	case *mcp.ListToolsResult:
		r, _ := message.(*mcp.ListToolsRequest)
		l := listing{m, r.PaginatedRequest, r.Header, &page.CacheableResult}
		page.Tools = replace(ctx, l, &m.mirror.Tools, page.Tools, toolKey)
	case *mcp.ListPromptsResult:
		r, _ := message.(*mcp.ListPromptsRequest)
		l := listing{m, r.PaginatedRequest, r.Header, &page.CacheableResult}
		page.Prompts = replace(ctx, l, &m.mirror.Prompts, page.Prompts, promptKey)
	case *mcp.ListResourcesResult:
		r, _ := message.(*mcp.ListResourcesRequest)
		l := listing{m, r.PaginatedRequest, r.Header, &page.CacheableResult}
		page.Resources = replace(ctx, l, &m.mirror.Resources, page.Resources, func(r mcp.Resource) (string, *mcp.Meta) { return r.URI, r.Meta })
	case *mcp.ListResourceTemplatesResult:
		r, _ := message.(*mcp.ListResourceTemplatesRequest)
		l := listing{m, r.PaginatedRequest, r.Header, &page.CacheableResult}
		page.ResourceTemplates = replace(ctx, l, &m.mirror.Templates, page.ResourceTemplates, func(t mcp.ResourceTemplate) (string, *mcp.Meta) { return t.URITemplate.Raw(), t.Meta })
	}
}

// toolKey returns the name of an entry, and its mark.
func toolKey(t mcp.Tool) (string, *mcp.Meta) { return t.Name, t.Meta }

// promptKey is toolKey for prompts.
func promptKey(p mcp.Prompt) (string, *mcp.Meta) { return p.Name, p.Meta }

// listing is a request for a list.
type listing struct {
	mount   *mount
	request mcp.PaginatedRequest
	header  http.Header
	hints   *mcp.CacheableResult
}

// replace returns a page with our entries for the sender of the request, without those that do not
// exist for the sender. If there are any, clients must not share the page.
func replace[Item comparable, Entry any](ctx context.Context, l listing, k *hosting.Kind[Item], page []Entry, key func(Entry) (string, *mcp.Meta)) []Entry {
	isOurs := func(e Entry) bool {
		_, mark := key(e)
		return mark == l.mount.mark
	}
	var ours []string
	for _, e := range page {
		if isOurs(e) {
			name, _ := key(e)
			ours = append(ours, name)
		}
	}
	if ours == nil {
		return page
	}
	if server.IsModernRequest(ctx) {
		l.hints.SetCacheHints(0, mcp.CacheScopePrivate)
	}
	visible, err := entries[Entry](ctx, l, ours)
	if err != nil {
		l.mount.logger.ErrorContext(ctx, "items are missing in a list", slog.String("method", l.request.Method), slog.Any("error", err))
	}
	added := k.Added()
	shown := make([]Entry, 0, len(page)) // never null in JSON
	for _, e := range page {
		if !isOurs(e) {
			shown = append(shown, e)
			continue
		}
		name, _ := key(e)
		e, isVisible := visible[name]
		_, isAdded := added[name] // false for a template that mcp-go could not remove
		if isVisible && isAdded {
			shown = append(shown, e)
		}
	}
	return shown
}

// entries returns the entries with these names, URIs or templates that the engine sends to the sender
// of the request.
func entries[Entry any](ctx context.Context, l listing, wanted []string) (map[string]Entry, error) {
	params := mcp.PaginatedParams{Meta: metaFor(ctx, l.request.Params.Meta)}
	list, err := hosting.Entries(wanted, func(cursor string) (json.RawMessage, error) {
		params.Cursor = mcp.Cursor(cursor)
		return l.mount.do(ctx, l.request.Method, l.header, params)
	})
	if err != nil {
		return nil, err
	}
	all := map[string]Entry{}
	for name, raw := range list {
		var e Entry
		if err := decode(raw, &e); err != nil {
			return nil, err
		}
		all[name] = e
	}
	return all, nil
}

// decode decodes an entry. It keeps the text of the schemas of a tool, whose members mcp-go does
// not know all.
func decode(raw json.RawMessage, entry any) error {
	t, ok := entry.(*mcp.Tool)
	if !ok {
		return json.Unmarshal(raw, entry)
	}
	var decoded struct {
		mcp.Tool
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
	}
	err := json.Unmarshal(raw, &decoded)
	*t = decoded.Tool
	t.RawInputSchema, t.RawOutputSchema, t.Execution = decoded.InputSchema, decoded.OutputSchema, nil
	return err
}
