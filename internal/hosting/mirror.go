package hosting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

var internals = mcptool.Internal(private.Key{})

// Mirror keeps the items of a registry in the server of another framework. Set the exported fields
// before Follow.
type Mirror struct {
	Name      string // of the integration, for errors
	Tools     Kind[*mcptool.Tool]
	Prompts   Kind[*mcptool.Prompt]
	Resources Kind[*mcptool.Resource] // whose URIs have no variables
	Templates Kind[*mcptool.Resource]
	// Updated gets the URIs of resources that have changed.
	Updated func(uri string)

	mu     sync.Mutex
	closed bool
}

// Kind adds items of one kind to the other server, and removes them.
type Kind[Item comparable] struct {
	// Add adds an item, or replaces the one with this name, URI or template. A panic is an error.
	// The entry is for the integration.
	Add func(Item) (entry any, err error)
	// Remove removes items by their names, URIs or templates.
	Remove func(keys ...string)

	mu    sync.Mutex
	added map[string]Added[Item] // the map is not modified
}

// Added is an item that the other server has, and its entry.
type Added[Item any] struct {
	Item  Item
	Entry any
}

// Follow adds the items of s, follows the changes of its registry until ctx ends, and then removes
// them. If an item cannot be added, for example because it is a tool that requires tasks, the error
// lists all of them, and nothing is added. Such an item that is registered later is logged and left
// out.
func (m *Mirror) Follow(ctx context.Context, s *runtime.Server) error {
	logger := cmp.Or(s.Logger, slog.Default())
	stop := internals.Watch(s.Registry(), func(int) {
		if err := m.sync(s.Registry()); err != nil {
			logger.ErrorContext(ctx, "an item cannot be added to the server of the other framework", slog.Any("error", err))
		}
	}, m.Updated)
	end := func() {
		stop()
		m.close()
	}
	if err := m.sync(s.Registry()); err != nil {
		end()
		return err
	}
	context.AfterFunc(ctx, end)
	return nil
}

// sync gives the other server the items that the registry has. The error lists the items that are
// not accepted.
func (m *Mirror) sync(r *mcptool.Registry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	var resources, templates []*mcptool.Resource
	for _, res := range r.Resources() {
		if internals.IsTemplate(res) {
			templates = append(templates, res)
		} else {
			resources = append(resources, res)
		}
	}
	return errors.Join(
		m.Tools.update(m.Name, r.Tools(), func(t *mcptool.Tool) string { return t.Info().Name }),
		m.Prompts.update(m.Name, r.Prompts(), func(p *mcptool.Prompt) string { return p.Info().Name }),
		m.Resources.update(m.Name, resources, (*mcptool.Resource).URI),
		m.Templates.update(m.Name, templates, (*mcptool.Resource).URI),
	)
}

// close removes all items.
func (m *Mirror) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	_, _ = m.Tools.update("", nil, nil), m.Prompts.update("", nil, nil) // there is nothing to add that could fail
	_, _ = m.Resources.update("", nil, nil), m.Templates.update("", nil, nil)
}

// Added returns the items that the other server has, by their names, URIs or templates. The map
// must not be modified.
func (k *Kind[Item]) Added() map[string]Added[Item] {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.added
}

// update adds the items that are new, and removes those that are not in now. Until it has ended,
// Added waits, so that entries that the other server has are known.
func (k *Kind[Item]) update(integration string, now []Item, key func(Item) string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var mistakes []error
	added := map[string]Added[Item]{}
	for _, item := range now {
		name := key(item)
		a, ok := k.added[name]
		if !ok || a.Item != item {
			entry, err := k.try(item)
			if err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s: %s: %w", integration, name, err))
				continue
			}
			a = Added[Item]{item, entry}
		}
		added[name] = a
	}
	for name := range k.added {
		if _, ok := added[name]; !ok {
			k.Remove(name)
		}
	}
	k.added = added
	return errors.Join(mistakes...)
}

// try adds an item.
func (k *Kind[Item]) try(item Item) (entry any, err error) {
	if t, ok := any(item).(*mcptool.Tool); ok && internals.Settings(t).Task == mcptool.TaskSupportRequired {
		return nil, errors.New("it requires tasks, which are not available in the server of another framework; use mcptool.TaskSupportOptional")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return k.Add(item)
}
