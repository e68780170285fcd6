package gosdk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

var (
	internals = mcptool.Internal(private.Key{})
	transport = runtime.Internal(private.Key{})
)

// AddTools adds tools to a server of the SDK. It is [Mount] without an end, of a [runtime.Server] with the default settings,
// except that clients of all revisions get log records. Tools of different AddTools do not share limits, so add tools that
// belong together at once.
//
// The error lists all mistakes: names that occur twice, and tools that require tasks ([mcptool.TaskSupportRequired]). Then
// no tool is added. As with [mcp.Server.AddTool], a tool replaces another one that the server has under this name.
func AddTools(server *mcp.Server, tools ...*mcptool.Tool) error {
	registry := new(mcptool.Registry)
	if err := registry.Add(tools...); err != nil {
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
func Mount(ctx context.Context, server *mcp.Server, s *runtime.Server) error {
	if err := s.Check(); err != nil {
		return err
	}
	m := newMount(ctx, server, s)
	logger := cmp.Or(s.Logger, slog.Default())
	server.AddReceivingMiddleware(m.lists)
	stop := internals.Watch(s.Registry(), func(int) {
		if err := m.sync(); err != nil {
			logger.Error("the server of the SDK does not accept an item", slog.Any("error", err))
		}
	}, func(uri string) {
		if err := server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			logger.Warn("clients were not notified", slog.String("uri", uri), slog.Any("error", err))
		}
	})
	end := func() {
		stop()
		m.close()
	}
	if err := m.sync(); err != nil {
		end()
		return err
	}
	context.AfterFunc(ctx, end)
	return nil
}

// mount serves the items of one [runtime.Server] through a server of the SDK.
type mount struct {
	ours     *runtime.Server
	endpoint engine.Endpoint
	ids      atomic.Int64 // of requests to the endpoint

	mu        sync.Mutex
	closed    bool
	tools     published[*mcptool.Tool, mcp.Tool]
	prompts   published[*mcptool.Prompt, mcp.Prompt]
	resources published[*mcptool.Resource, mcp.Resource]
	templates published[*mcptool.Resource, mcp.ResourceTemplate]
}

// newMount returns a mount. The entries that it gives to the SDK's server are replaced in lists.
func newMount(ctx context.Context, server *mcp.Server, s *runtime.Server) *mount {
	m := &mount{ours: s, endpoint: transport.Endpoint(ctx, s)}
	m.tools.remove, m.prompts.remove = server.RemoveTools, server.RemovePrompts
	m.resources.remove, m.templates.remove = server.RemoveResources, server.RemoveResourceTemplates
	m.tools.add = func(t *mcptool.Tool) (*mcp.Tool, error) {
		if internals.Settings(t).Task == mcptool.TaskSupportRequired {
			return nil, errors.New("it requires tasks, which the SDK does not support; use mcptool.TaskSupportOptional")
		}
		entry := &mcp.Tool{Name: t.Info().Name, InputSchema: t.InputSchema().JSON()}
		server.AddTool(entry, m.callTool)
		return entry, nil
	}
	m.prompts.add = func(p *mcptool.Prompt) (*mcp.Prompt, error) {
		entry := &mcp.Prompt{Name: p.Info().Name}
		server.AddPrompt(entry, m.getPrompt)
		return entry, nil
	}
	m.resources.add = func(r *mcptool.Resource) (*mcp.Resource, error) {
		entry := &mcp.Resource{URI: r.URI(), Name: r.Info().Name}
		server.AddResource(entry, m.readResource)
		return entry, nil
	}
	m.templates.add = func(r *mcptool.Resource) (*mcp.ResourceTemplate, error) {
		entry := &mcp.ResourceTemplate{URITemplate: r.URI(), Name: r.Info().Name}
		server.AddResourceTemplate(entry, m.readResource)
		return entry, nil
	}
	return m
}

// sync gives the SDK's server the items that the registry has. The error lists the items that are not accepted.
func (m *mount) sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	r := m.ours.Registry()
	var resources, templates []*mcptool.Resource
	for _, res := range r.Resources() {
		if internals.IsTemplate(res) {
			templates = append(templates, res)
		} else {
			resources = append(resources, res)
		}
	}
	return errors.Join(
		m.tools.update(r.Tools(), func(t *mcptool.Tool) string { return t.Info().Name }),
		m.prompts.update(r.Prompts(), func(p *mcptool.Prompt) string { return p.Info().Name }),
		m.resources.update(resources, (*mcptool.Resource).URI),
		m.templates.update(templates, (*mcptool.Resource).URI),
	)
}

// close removes all items.
func (m *mount) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	_, _ = m.tools.update(nil, nil), m.prompts.update(nil, nil) // there is nothing to add that could fail
	_, _ = m.resources.update(nil, nil), m.templates.update(nil, nil)
}

// published has the items of one kind that the SDK's server has. The keys are names, URIs or templates.
type published[Item comparable, Entry any] struct {
	add     func(Item) (*Entry, error)
	remove  func(keys ...string)
	items   map[string]Item
	entries map[string]*Entry // in the lists of the SDK's server; the map is not modified
}

// update adds the items that are new, and removes those that are not in now.
func (p *published[Item, Entry]) update(now []Item, key func(Item) string) error {
	var mistakes []error
	items, entries := map[string]Item{}, map[string]*Entry{}
	for _, item := range now {
		k := key(item)
		entry := p.entries[k]
		if entry == nil || p.items[k] != item {
			added, err := p.try(item)
			if err != nil {
				mistakes = append(mistakes, fmt.Errorf("gosdk: %s: %w", k, err))
				continue
			}
			entry = added
		}
		items[k], entries[k] = item, entry
	}
	for k := range p.entries {
		if entries[k] == nil {
			p.remove(k)
		}
	}
	p.items, p.entries = items, entries
	return errors.Join(mistakes...)
}

// try adds an item. The SDK panics if it does not accept it.
func (p *published[Item, Entry]) try(item Item) (entry *Entry, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return p.add(item)
}
