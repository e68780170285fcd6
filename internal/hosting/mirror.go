package hosting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
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
	// Check, if set, adds an item to another server than the one that is used, to find out whether
	// it is refused. A panic is an error.
	Check func(Item)
	// Add adds an item, or replaces the one with this name, URI or template. A panic is an error.
	// The entry is for the integration.
	Add func(Item) (entry any)
	// Remove removes items by their names, URIs or templates. It should leave those that the program
	// has replaced since. It may modify keys.
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
	logger, registry := cmp.Or(s.Logger, slog.Default()), transport.Registry(s)
	if err := m.check(s); err != nil {
		return err
	}
	stop := internals.Watch(registry, func(int, bool) {
		if err := m.sync(s, false); err != nil {
			logger.ErrorContext(ctx, "an item cannot be added to the server of the other framework", slog.Any("error", err))
		}
	}, m.Updated, nil) // other frameworks have no tenants
	if err := m.sync(s, true); err != nil {
		stop()
		return err
	}
	context.AfterFunc(ctx, func() {
		stop()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.close()
	})
	return nil
}

func toolName(t *mcptool.Tool) string     { return t.Info().Name }
func promptName(p *mcptool.Prompt) string { return p.Info().Name }

// selected returns the items that the server selects.
func selected[Item any](s *runtime.Server, items iter.Seq[Item]) []Item {
	return slices.DeleteFunc(slices.Collect(items), func(item Item) bool { return !transport.Selects(s, internals.Runner(item)) })
}

// resources returns the resources that the server selects, and the templates.
func resources(s *runtime.Server) (fixed, templates []*mcptool.Resource) {
	for _, res := range selected(s, transport.Registry(s).Resources()) {
		if internals.IsTemplate(res) {
			templates = append(templates, res)
		} else {
			fixed = append(fixed, res)
		}
	}
	return fixed, templates
}

// check returns an error that lists the items that cannot be added. Adding and removing them would
// remove items of the program that have the same names.
func (m *Mirror) check(s *runtime.Server) error {
	r := transport.Registry(s)
	fixed, templates := resources(s)
	return errors.Join(
		m.Tools.checkAll(m.Name, selected(s, r.Tools()), toolName),
		m.Prompts.checkAll(m.Name, selected(s, r.Prompts()), promptName),
		m.Resources.checkAll(m.Name, fixed, (*mcptool.Resource).URI),
		m.Templates.checkAll(m.Name, templates, (*mcptool.Resource).URI),
	)
}

// sync gives the other server the items that the server has and selects. The error lists the items that are
// not accepted. With isFirst, an error closes m before it adds items of other kinds than tools.
func (m *Mirror) sync(s *runtime.Server, isFirst bool) error {
	r := transport.Registry(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	err := m.Tools.update(m.Name, selected(s, r.Tools()), toolName)
	if err == nil || !isFirst {
		fixed, templates := resources(s)
		err = errors.Join(err,
			m.Prompts.update(m.Name, selected(s, r.Prompts()), promptName),
			m.Resources.update(m.Name, fixed, (*mcptool.Resource).URI),
			m.Templates.update(m.Name, templates, (*mcptool.Resource).URI),
		)
	}
	if err != nil && isFirst {
		m.close()
	}
	return err
}

// close removes all items.
func (m *Mirror) close() {
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

// checkAll returns an error that lists the items that cannot be added.
func (k *Kind[Item]) checkAll(integration string, items []Item, key func(Item) string) error {
	var mistakes []error
	for _, item := range items {
		if err := k.check(item); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %s: %w", integration, key(item), err))
		}
	}
	return errors.Join(mistakes...)
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
			entry, err := k.add(item)
			if err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s: %s: %w", integration, name, err))
				continue
			}
			a = Added[Item]{item, entry}
		}
		added[name] = a
	}
	var removed []string
	for name := range k.added {
		if _, ok := added[name]; !ok {
			removed = append(removed, name)
		}
	}
	if removed != nil {
		slices.Sort(removed)
		k.Remove(removed...)
	}
	k.added = added
	return errors.Join(mistakes...)
}

// check returns why an item cannot be added.
func (k *Kind[Item]) check(item Item) (err error) {
	if t, ok := any(item).(*mcptool.Tool); ok && internals.Settings(t).Task == mcptool.TaskSupportRequired {
		return errors.New("it requires tasks, which are not available in the server of another framework; use mcptool.TaskSupportOptional")
	}
	defer recovered(&err)
	if k.Check != nil {
		k.Check(item)
	}
	return nil
}

// add adds an item.
func (k *Kind[Item]) add(item Item) (entry any, err error) {
	if err := k.check(item); err != nil {
		return nil, err
	}
	defer recovered(&err)
	return k.Add(item), nil
}

// recovered makes a panic of the other framework an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
}
