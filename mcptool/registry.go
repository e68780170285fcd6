package mcptool

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Default is the registry that [Register], [RegisterService], [RegisterPrompt] and [RegisterResource] add to. A server
// serves it if no other registry is set.
var Default = &Registry{}

// Registry is a set of tools with unique names, of prompts with unique names, and of resources with unique URIs. The
// zero value is empty and ready to use. It is safe for concurrent use: readers see each change completely or not at all.
// The cost of a change does not depend on the size of the registry; the first reader after a change sorts. It must not
// be copied after first use.
type Registry struct {
	mu        sync.Mutex // locked by writers, and by readers of updates
	tools     items[*Tool]
	prompts   items[*Prompt]
	resources items[*Resource]
	attached  map[string]int // how many tools have brought each resource along, by URI
	byURI     atomic.Pointer[resourceIndex]
	watchers  []*watcher // replaced by a change, never modified
}

// watcher has the funcs that are called after changes: see Watch of [internals].
type watcher struct {
	changed func(list int, isListed bool)
	updated func(uri string)
	limited func(tenant, uri string) // nil if not used
}

// Add adds the items to the registry, or none of them if there is a mistake. It is one change: readers see all items or
// none, and clients get one notification for each kind of item.
//
// It is a mistake if an item is nil or zero; if a tool or prompt has the name, or a resource the URI or template, of one
// that is in the registry already, or earlier in the call; and if a template matches the same URI as another template, as
// far as that is found with sample values. The error is a [*RegisterError] that lists all mistakes; for equal names and
// for overlapping templates it has the file:line of both definitions.
//
// Resources that belong to a tool ([Attachment]) are added with it. Servers declare that they have prompts or resources
// once any were added, because clients may request only lists that are declared when they connect. If all prompts are
// added later, add Prompts{} before; if all resources are, Resources{}.
func (r *Registry) Add(items ...Item) error {
	return newRegisterError(callerLocation(), r.addItems(items, false))
}

// Replace adds the items to the registry like [Registry.Add], except that an item replaces one of the same kind with the
// same name, URI or template that is in the registry already. There is no notification for a kind if clients see no
// difference, because only the funcs and the limits differ, and no resource has a [ListWith]. Two items with the same name
// in one call are a mistake, as is a resource that belongs to a tool in the registry: replace the tool.
func (r *Registry) Replace(items ...Item) error {
	return newRegisterError(callerLocation(), r.addItems(items, true))
}

// Remove removes the items with the kinds and the names, URIs or templates of these from the registry, in one change, and
// returns the number of items that it removed. Items that are not in the registry are ignored, as is a resource that
// belongs to a tool: it is removed with the last tool that has it. Running calls of the items continue.
//
// To remove an item by its name, look it up:
//
//	if refund, ok := registry.Lookup("refund"); ok {
//		registry.Remove(refund)
//	}
func (r *Registry) Remove(items ...Item) int {
	b, _ := newBatch(items)
	removed := 0
	r.change(func() {
		tools := r.tools.remove(b.tools)
		gone := r.detach(tools)
		resources := slices.DeleteFunc(b.resources, func(res *Resource) bool { return !res.isEmpty() && r.attached[res.key()] > 0 })
		removed = len(tools) + len(r.prompts.remove(b.prompts)) + len(r.resources.remove(resources))
		r.resources.remove(gone)
	})
	return removed
}

// Tools returns an iterator over the tools that are in the registry at the time of the call, sorted by name. Changes of
// the registry are allowed during the iteration, and do not affect it.
func (r *Registry) Tools() iter.Seq[*Tool] { return slices.Values(r.tools.load(&r.mu).items) }

// Prompts returns an iterator over the prompts, sorted by name, as [Registry.Tools] does over the tools.
func (r *Registry) Prompts() iter.Seq[*Prompt] { return slices.Values(r.prompts.load(&r.mu).items) }

// Resources returns an iterator over the resources, including templates, sorted by [Resource.URI], as [Registry.Tools]
// does over the tools.
func (r *Registry) Resources() iter.Seq[*Resource] {
	return slices.Values(r.resources.load(&r.mu).items)
}

// Lookup returns the tool with this name, and reports whether there is one. Names are case-sensitive.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.tools.load(&r.mu).byKey[name]
	return t, ok
}

// LookupPrompt returns the prompt with this name, and reports whether there is one. Names are case-sensitive.
func (r *Registry) LookupPrompt(name string) (*Prompt, bool) {
	p, ok := r.prompts.load(&r.mu).byKey[name]
	return p, ok
}

// LookupResource returns the resource that a client reads by the URI, and reports whether there is one: the resource
// with this URI, or else the one with a template that matches it.
func (r *Registry) LookupResource(uri string) (*Resource, bool) {
	found, _, _, ok := r.findResource(uri, nil)
	return found, ok
}

// Generations returns, for the tools, the prompts and the resources, in this order, a number that increases with every
// change of the list. For prompts and resources it is 0 until any were added, or an empty [Prompts] or [Resources].
// Whoever caches data about a list must call Generations before reading the list: then the cached data may be newer
// than the number, but never older.
func (internals) Generations(r *Registry) [3]uint64 {
	return [...]uint64{r.tools.generation.Load(), r.prompts.generation.Load(), r.resources.generation.Load()}
}

// Changes returns how often the lists have changed for clients. A change that replaces items by others that look the same
// in lists is not counted.
func (internals) Changes(r *Registry) [3]uint64 {
	return [...]uint64{r.tools.changes.Load(), r.prompts.changes.Load(), r.resources.changes.Load()}
}

// Watch calls changed after each change of a list, with its index in Generations and whether it is one of the Changes, and
// updated with the URI of each [Registry.ResourceUpdated], until stop is called; limited, which may be nil, is for
// [Registry.ResourceUpdatedFor], and with the URI "" for [Registry.ResourceListChangedFor]. A call that has begun may end
// after stop returns. The funcs run in the goroutine that made the change, without a lock, so they may use the registry.
// Concurrent changes may call them concurrently.
func (internals) Watch(r *Registry, changed func(list int, isListed bool), updated func(uri string), limited func(tenant, uri string)) (stop func()) {
	added := &watcher{changed, updated, limited}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watchers = append(slices.Clip(r.watchers), added)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.watchers = slices.DeleteFunc(slices.Clone(r.watchers), func(w *watcher) bool { return w == added })
	}
}

// change runs fn, which may change the lists, with the lock, and then notifies the watchers of those that have changed.
func (r *Registry) change(fn func()) {
	r.mu.Lock()
	before, listedBefore := internals{}.Generations(r), internals{}.Changes(r)
	fn()
	after, listedAfter, watchers := internals{}.Generations(r), internals{}.Changes(r), r.watchers
	r.mu.Unlock()
	for list := range after {
		for _, w := range watchers {
			if after[list] != before[list] {
				w.changed(list, listedAfter[list] != listedBefore[list])
			}
		}
	}
}

// addItems adds the items and the resources of the tools, or returns the mistakes and adds nothing.
func (r *Registry) addItems(items []Item, replace bool) (mistakes []Mistake) {
	b, mistakes := newBatch(items)
	r.change(func() {
		replaced := r.tools.withKeysOf(b.tools)
		attached, unfit := r.checkAttached(b)
		mistakes = slices.Concat(mistakes,
			check(r.tools.items, b.tools, replace), unfit,
			check(r.prompts.items, b.prompts, replace),
			checkResources(r.resources.items, b.resources, replace),
			r.checkOwners(b.resources, replaced, replace))
		if len(mistakes) > 0 {
			return
		}
		r.tools.put(b.tools)
		r.attach(attached)
		r.resources.remove(r.detach(replaced))
		r.prompts.putOrDeclare(b.prompts)
		r.resources.putOrDeclare(b.resources)
	})
	return mistakes
}

// checkAttached returns the resources of the tools of the batch, and why they cannot be added. A resource with the URI of
// one that another tool has brought is the same resource: extensions derive the URI from the content.
func (r *Registry) checkAttached(b batch) (attached []*Resource, mistakes []Mistake) {
	var taken map[string]*Resource // in the registry, or in the batch itself
	brought := map[string]bool{}
	for _, t := range b.tools {
		if t.isEmpty() {
			continue
		}
		for _, res := range t.attachedResources() {
			attached = append(attached, res)
			if taken == nil {
				taken = r.resources.with(b.resources)
			}
			if brought[res.key()] || r.attached[res.key()] > 0 && taken[res.key()] == r.resources.items[res.key()] {
				continue
			}
			brought[res.key()] = true
			for _, m := range checkResources(taken, []*Resource{res}, false) {
				m.Tool = t.key()
				m.Reason = fmt.Sprintf("registers the resource %s: %s", res.key(), m.Reason)
				mistakes = append(mistakes, m)
			}
		}
	}
	return attached, mistakes
}

// checkOwners returns a mistake for each resource that would replace one of a tool, unless the tool is replaced as well.
func (r *Registry) checkOwners(resources []*Resource, replaced []*Tool, replace bool) (mistakes []Mistake) {
	if !replace {
		return nil // the URI is in use, which check reports
	}
	released := map[string]int{}
	for _, t := range replaced {
		for _, res := range t.attachedResources() {
			released[res.key()]++
		}
	}
	for _, res := range resources {
		if !res.isEmpty() && r.attached[res.key()] > released[res.key()] {
			mistakes = append(mistakes, Mistake{Tool: res.key(), Reason: "the resource with this URI belongs to a tool", Fix: "replace the tool"})
		}
	}
	return mistakes
}

// attach adds resources of tools.
func (r *Registry) attach(resources []*Resource) {
	var added []*Resource
	for _, res := range resources {
		if r.attached == nil {
			r.attached = map[string]int{}
		}
		if r.attached[res.key()]++; r.attached[res.key()] == 1 {
			added = append(added, res)
		}
	}
	r.resources.put(added)
}

// detach returns the resources that only these tools have, and which no tool has from now on.
func (r *Registry) detach(tools []*Tool) (gone []*Resource) {
	for _, t := range tools {
		for _, res := range t.attachedResources() {
			if r.attached[res.key()]--; r.attached[res.key()] == 0 {
				delete(r.attached, res.key())
				gone = append(gone, r.resources.items[res.key()])
			}
		}
	}
	return gone
}
