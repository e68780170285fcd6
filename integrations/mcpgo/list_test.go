package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type idIn struct {
	ID int `json:"id"`
}

// addItems adds items of every kind to a registry. Those named b exist only for an admin.
func addItems(t *testing.T, r *mcptool.Registry, group string) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		access := mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return true })
		if name == "b" {
			access = mcptool.Scopes("admin")
		}
		prompt, promptErr := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name(name+group), access)
		resource, resourceErr := mcptool.NewResource(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name(name), mcptool.URI("note://"+name+group), access)
		template, templateErr := mcptool.NewResource(func(context.Context, idIn) (string, error) { return "", nil }, mcptool.Name(name), mcptool.URI("note://"+name+group+"/{id}"), access)
		if err := errors.Join(promptErr, resourceErr, templateErr, r.Add(newTool(t, name+group, done, access), prompt, resource, template)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCursors: the cursors of lists do not have names of items that do not exist for the caller, and
// the pages have all others, also if two mounts have resources of the same names.
func TestCursors(t *testing.T) {
	t.Parallel()
	srv := server.NewMCPServer("demo", "1", server.WithPaginationLimit(1))
	for _, group := range []string{"1", "2"} {
		r := new(mcptool.Registry)
		addItems(t, r, group)
		if err := mcpgo.Mount(t.Context(), srv, &runtime.Server{Tools: r}); err != nil {
			t.Fatal(err)
		}
	}
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		entries := 0
		for cursor := ""; ; {
			_, message, result := answer(t.Context(), t, srv, method, fmt.Sprintf(`{"cursor":%q}`, cursor))
			var page struct {
				Tools, Prompts, Resources, ResourceTemplates []any
				NextCursor                                   string
			}
			if err := json.Unmarshal([]byte(result), &page); err != nil {
				t.Fatalf("%s: %s %v", method, message, err)
			}
			entries += len(page.Tools) + len(page.Prompts) + len(page.Resources) + len(page.ResourceTemplates)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
			if name, err := base64.StdEncoding.DecodeString(cursor); err != nil || bytes.HasPrefix(name, []byte("b")) {
				t.Errorf("%s: a cursor has %q %v", method, name, err)
			}
		}
		if entries != 4 {
			t.Errorf("%s has %d entries, want 4", method, entries)
		}
	}
}

// TestListsPrivate checks that lists with our items are private regardless of the server's settings, because
// they depend on the caller.
func TestListsPrivate(t *testing.T) {
	t.Parallel()
	for _, registry := range []*mcptool.Registry{new(mcptool.Registry), hosting.Registry(t)} {
		srv := mount(t, registry, server.WithCacheHints(60_000, mcp.CacheScopePublic))
		srv.AddTool(mcp.NewTool("native"), native)
		_, message, result := answer(t.Context(), t, srv, "tools/list", `{`+modernMeta+`}`)
		isPrivate := strings.Contains(result, `"cacheScope":"private"`) && strings.Contains(result, `"ttlMs":0`)
		if n := len(slices.Collect(registry.Tools())); message != "" || isPrivate != (n > 0) {
			t.Errorf("a list with %d of our tools: %s %s", n, message, result)
		}
	}
}
