package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/hosting"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

var (
	internals = mcptool.Internal(private.Key{})
	transport = runtime.Internal(private.Key{})
)

// AddTools adds tools to a server of mcp-go. It is [Mount] without an end, of a [runtime.Server]
// with the default settings, except that clients of all revisions get log records. Tools of
// different AddTools do not share limits, so add tools that belong together at once. A program that
// makes a server for each request can call AddTools with the same tools for each: the answers to
// questions are accepted by all servers of the process.
//
// The error lists all mistakes: names that occur twice, and tools that require tasks
// ([mcptool.TaskSupportRequired]). Then no tool is added. As with [server.MCPServer.AddTool], a
// tool replaces another one that the server has under this name. Call AddTools before the server
// serves its first client.
func AddTools(srv *server.MCPServer, tools ...*mcptool.Tool) error {
	registry := new(mcptool.Registry)
	if err := registry.Add(mcptool.Tools(tools)); err != nil {
		return err
	}
	return Mount(context.Background(), srv, &runtime.Server{Tools: registry, ClientLog: runtime.ClientLogAll})
}

// Mount adds the tools, prompts and resources of s to a server of mcp-go, and serves them there
// until ctx ends. Changes of the registry are applied to the server, which notifies its clients of
// lists whose changes it has declared. When ctx ends, running calls are cancelled with the cause
// [runtime.ErrShutdown], and the items are removed. The package documentation lists the fields of s
// that have an effect.
//
// The error lists the mistakes of [runtime.Server.Check] and the items that mcp-go cannot serve,
// such as tools that require tasks. Then nothing is added. Such an item that is registered later is
// left out, and logged as an error. An item replaces another one that the server has under this
// name or URI.
//
// Mount adds filters and a hook to the server, so call it before the server serves its first
// client. The registry may change at any time.
func Mount(ctx context.Context, srv *server.MCPServer, s *runtime.Server) error {
	if err := transport.CheckBesidesTasks(s); err != nil { // Follow finds the tools that require tasks
		return err
	}
	m := newMount(ctx, srv, s)
	before := srv.ListTools()
	if err := m.mirror.Follow(ctx, s); err != nil {
		for name, tool := range before { // our tool of this name was added and removed, because mcp-go has refused another
			if srv.GetTool(name) == nil {
				srv.AddTools(*tool)
			}
		}
		return err
	}
	// Options are functions, and these may be called later.
	hooks := srv.GetHooks()
	if hooks == nil {
		hooks = new(server.Hooks)
		server.WithHooks(hooks)(srv)
	}
	hooks.AddOnSuccess(m.lists)
	server.WithToolFilter(m.filterTools)(srv)
	server.WithPromptFilter(m.filterPrompts)(srv)
	return nil
}

// mount serves the items of one [runtime.Server] through a server of mcp-go.
type mount struct {
	server *server.MCPServer
	ours   *hosting.Server
	mirror hosting.Mirror
	logger *slog.Logger
	// mark is the Meta of all our entries in the server of mcp-go. They are recognized by the pointer.
	mark *mcp.Meta
}

// newMount returns a mount. The entries that it gives to the server have only what the server
// itself uses: they are replaced in lists. Their schemas accept everything, so that the server does
// not validate the arguments as well.
func newMount(ctx context.Context, srv *server.MCPServer, s *runtime.Server) *mount {
	m := &mount{server: srv, ours: hosting.NewServer(ctx, s), logger: cmp.Or(s.Logger, slog.Default()), mark: new(mcp.Meta)}
	m.mirror.Name = "mcpgo"
	m.mirror.Updated = func(string) {} // mcp-go does not know who has subscribed to a resource
	m.mirror.Tools.Remove = remover(srv.ListTools, func(t *server.ServerTool) bool { return t.Tool.Meta == m.mark }, srv.DeleteTools)
	m.mirror.Prompts.Remove = remover(srv.ListPrompts, func(p *server.ServerPrompt) bool { return p.Prompt.Meta == m.mark }, srv.DeletePrompts)
	m.mirror.Resources.Remove = remover(srv.ListResources, func(r *server.ServerResource) bool { return r.Resource.Meta == m.mark }, srv.DeleteResources)
	m.mirror.Templates.Remove = func(...string) {} // mcp-go cannot: they are hidden
	m.mirror.Tools.Add = func(t *mcptool.Tool) any {
		srv.AddTool(mcp.Tool{Meta: m.mark, Name: t.Info().Name, RawInputSchema: json.RawMessage(`{}`)}, m.callTool)
		return nil
	}
	m.mirror.Prompts.Add = func(p *mcptool.Prompt) any {
		srv.AddPrompt(mcp.Prompt{Meta: m.mark, Name: p.Info().Name}, m.getPrompt)
		return nil
	}
	m.mirror.Resources.Add = func(r *mcptool.Resource) any {
		srv.AddResource(mcp.Resource{Meta: m.mark, URI: r.URI(), Name: position()}, m.readResource)
		return nil
	}
	m.mirror.Templates.Check = func(r *mcptool.Resource) { mcp.NewResourceTemplate(r.URI(), r.Info().Name) }
	m.mirror.Templates.Add = func(r *mcptool.Resource) any {
		entry := mcp.NewResourceTemplate(r.URI(), position())
		entry.Meta = m.mark
		srv.AddResourceTemplate(entry, m.readResource)
		return nil
	}
	return m
}

// remover returns a func that deletes those entries of the server that are ours: the program may
// have replaced others since.
func remover[Entry any](list func() map[string]Entry, isOurs func(Entry) bool, remove func(...string)) func(...string) {
	return func(keys ...string) {
		has := list()
		remove(slices.DeleteFunc(keys, func(key string) bool {
			e, ok := has[key]
			return !ok || !isOurs(e)
		})...)
	}
}

// positions counts the resources and templates of all mounts.
var positions atomic.Int64

// position returns a name for the entry of a resource or template. mcp-go sorts by name, and the
// cursor of a page is the name of its last entry, even if this resource does not exist for the
// caller. So the name must not disclose anything about the resource, and must be unique.
func position() string { return fmt.Sprintf("%012d", positions.Add(1)) }
