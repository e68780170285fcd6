package gosdk

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/hosting"
)

// lists is a [mcp.Middleware] that replaces our entries in lists by those that a server of this module sends: the SDK has
// one entry for all revisions and callers. Since lists depend on the caller, clients must not share them.
func (m *mount) lists(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil {
			return nil, err
		}
		l := listing{m, req, method}
		switch page := res.(type) {
		case *mcp.ListToolsResult:
			shown := *page
			shown.CacheScope = "private"
			shown.Tools, err = replace(ctx, l, &m.mirror.Tools, page.Tools, func(t *mcp.Tool) string { return t.Name })
			return &shown, err
		case *mcp.ListPromptsResult:
			shown := *page
			shown.CacheScope = "private"
			shown.Prompts, err = replace(ctx, l, &m.mirror.Prompts, page.Prompts, func(p *mcp.Prompt) string { return p.Name })
			return &shown, err
		case *mcp.ListResourcesResult:
			shown := *page
			shown.CacheScope = "private"
			shown.Resources, err = replace(ctx, l, &m.mirror.Resources, page.Resources, func(r *mcp.Resource) string { return r.URI })
			return &shown, err
		case *mcp.ListResourceTemplatesResult:
			shown := *page
			shown.CacheScope = "private"
			shown.ResourceTemplates, err = replace(ctx, l, &m.mirror.Templates, page.ResourceTemplates, func(t *mcp.ResourceTemplate) string { return t.URITemplate })
			return &shown, err
		}
		return res, nil
	}
}

// listing is a request for a list.
type listing struct {
	mount  *mount
	req    mcp.Request
	method string
}

// replace returns a page of the SDK with our entries for the sender of the request, without those that do not exist for
// the sender.
func replace[Item comparable, Entry any](ctx context.Context, l listing, k *hosting.Kind[Item], page []*Entry, key func(*Entry) string) ([]*Entry, error) {
	added := k.Added()
	isOurs := func(e *Entry) bool { return added[key(e)].Entry == any(e) }
	var ours []string
	for _, e := range page {
		if isOurs(e) {
			ours = append(ours, key(e))
		}
	}
	if ours == nil {
		return page, nil
	}
	visible, err := entries[Entry](ctx, l, ours)
	if err != nil {
		return nil, err
	}
	shown := make([]*Entry, 0, len(page)) // never null in JSON
	for _, e := range page {
		if isOurs(e) {
			e = visible[key(e)]
		}
		if e != nil {
			shown = append(shown, e)
		}
	}
	return shown, nil
}

// entries returns the entries with these keys that the engine sends to the sender of the request.
func entries[Entry any](ctx context.Context, l listing, wanted []string) (map[string]*Entry, error) {
	params := mcp.ListToolsParams{Meta: l.req.GetParams().GetMeta()} // other lists have the same params
	list, err := hosting.Entries(wanted, func(cursor string) (json.RawMessage, error) {
		params.Cursor = cursor
		return l.mount.do(ctx, l.req, l.method, &params)
	})
	if err != nil {
		return nil, err
	}
	all := map[string]*Entry{}
	for key, raw := range list {
		e := new(Entry)
		if err := json.Unmarshal(raw, e); err != nil {
			return nil, err
		}
		if t, ok := any(e).(*mcp.Tool); ok {
			if err := setSchemas(t, raw); err != nil {
				return nil, err
			}
		}
		all[key] = e
	}
	return all, nil
}

// setSchemas sets the schemas of an entry to their text: the SDK decodes them to maps, which are encoded in another order.
func setSchemas(t *mcp.Tool, entry json.RawMessage) error {
	var text struct{ InputSchema, OutputSchema json.RawMessage }
	err := json.Unmarshal(entry, &text)
	if t.InputSchema = text.InputSchema; text.OutputSchema != nil {
		t.OutputSchema = text.OutputSchema
	}
	return err
}
