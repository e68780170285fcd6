package gosdk

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/hosting"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

var transport = runtime.Internal(private.Key{})

// AddTools adds tools to a server of the SDK. It is [Mount] without an end, of a [runtime.Server] with the default settings,
// except that clients of all revisions get log records. Tools of different AddTools do not share limits, so add tools that
// belong together at once. A program that makes a server for each request can call AddTools with the same tools for each:
// the answers to questions are accepted by all servers of the process.
//
// The error lists all mistakes: names that occur twice, and tools that require tasks ([mcptool.TaskSupportRequired]). Then
// no tool is added. As with [mcp.Server.AddTool], a tool replaces another one that the server has under this name.
func AddTools(server *mcp.Server, tools ...*mcptool.Tool) error {
	registry := new(mcptool.Registry)
	if err := registry.Add(mcptool.Tools(tools)); err != nil {
		return err
	}
	return Mount(context.Background(), server, &runtime.Server{Tools: registry, ClientLog: runtime.ClientLogAll})
}

// Mount adds the tools, prompts and resources of s to a server of the SDK, and serves them there until ctx ends. Changes
// of the registry are applied to the server, which notifies its clients. When ctx ends, running calls are cancelled with
// the cause [runtime.ErrShutdown], and the items are removed. The package documentation lists the fields of s that have an
// effect.
//
// The error lists the mistakes of [runtime.Server.Check] and the items that the SDK cannot serve, such as tools that
// require tasks. Then nothing is added. Such an item that is registered later is left out, and logged as an error. An item
// replaces another one that the server has under this name or URI. Mount may be called while the server runs.
//
// When an item is removed, so is another one with which the program has replaced it, because the SDK cannot look up what it
// has. Use other names, or add such an item again after ctx has ended.
func Mount(ctx context.Context, server *mcp.Server, s *runtime.Server) error {
	if err := transport.CheckBesidesTasks(s); err != nil { // Follow finds the tools that require tasks
		return err
	}
	m := newMount(ctx, server, s)
	server.AddReceivingMiddleware(m.lists)
	return m.mirror.Follow(ctx, s)
}

// mount serves the items of one [runtime.Server] through a server of the SDK.
type mount struct {
	ours   *hosting.Server
	mirror hosting.Mirror
}

// newMount returns a mount. The entries that it gives to the SDK's server are replaced in lists.
func newMount(ctx context.Context, server *mcp.Server, s *runtime.Server) *mount {
	m := &mount{ours: hosting.NewServer(ctx, s), mirror: hosting.Mirror{Name: "gosdk"}}
	m.mirror.Tools.Check, m.mirror.Tools.Add = adders(server, m.addTool)
	m.mirror.Prompts.Check, m.mirror.Prompts.Add = adders(server, m.addPrompt)
	m.mirror.Resources.Check, m.mirror.Resources.Add = adders(server, m.addResource)
	m.mirror.Templates.Check, m.mirror.Templates.Add = adders(server, m.addTemplate)
	m.mirror.Tools.Remove, m.mirror.Prompts.Remove = server.RemoveTools, server.RemovePrompts
	m.mirror.Resources.Remove, m.mirror.Templates.Remove = server.RemoveResources, server.RemoveResourceTemplates
	logger := cmp.Or(s.Logger, slog.Default())
	m.mirror.Updated = func(uri string) {
		if err := server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			logger.WarnContext(ctx, "clients were not notified", slog.String("uri", uri), slog.Any("error", err))
		}
	}
	return m
}

// adders returns a func that adds an item to a server without clients, to find out whether the SDK refuses it, and one that
// adds it to the server.
func adders[Item any](server *mcp.Server, add func(*mcp.Server, Item) any) (check func(Item), _ func(Item) any) {
	check = func(item Item) {
		add(mcp.NewServer(&mcp.Implementation{Name: "check"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)}), item)
	}
	return check, func(item Item) any { return add(server, item) }
}

func (m *mount) addTool(to *mcp.Server, t *mcptool.Tool) any {
	entry := &mcp.Tool{Name: t.Info().Name, InputSchema: t.InputSchema().JSON()}
	to.AddTool(entry, m.callTool)
	return entry
}

func (m *mount) addPrompt(to *mcp.Server, p *mcptool.Prompt) any {
	entry := &mcp.Prompt{Name: p.Info().Name}
	to.AddPrompt(entry, m.getPrompt)
	return entry
}

func (m *mount) addResource(to *mcp.Server, r *mcptool.Resource) any {
	entry := &mcp.Resource{URI: r.URI(), Name: r.Info().Name}
	to.AddResource(entry, m.readResource)
	return entry
}

func (m *mount) addTemplate(to *mcp.Server, r *mcptool.Resource) any {
	entry := &mcp.ResourceTemplate{URITemplate: r.URI(), Name: r.Info().Name}
	to.AddResourceTemplate(entry, m.readResource)
	return entry
}
