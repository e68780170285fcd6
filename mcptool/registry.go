package mcptool

import (
	"fmt"
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
	updates   []*func(uri string)
}

// Add adds the tools to the registry, or none of them if there is a mistake. It is a mistake if a tool with the same
// name is in the registry already, or earlier in the call, or if a tool is nil or zero. The error is a
// [*RegisterError], which for equal names has the file:line of both definitions. Resources that belong to a tool
// ([Attachment]) are added with it.
func (r *Registry) Add(tools ...*Tool) error { return registerErrorHere(r.addTools(tools, false)) }

// Replace adds the tools to the registry like [Registry.Add], except that a tool replaces one with the same name that
// is in the registry already. It is one change, with one notification. Two tools with the same name in one call are a
// mistake.
func (r *Registry) Replace(tools ...*Tool) error { return registerErrorHere(r.addTools(tools, true)) }

// Remove removes the tools with these names and returns the number of tools that it removed. Names that are not in the
// registry are ignored. Running calls of the tools continue. Resources that belong to a tool are removed with the last
// tool that has them.
func (r *Registry) Remove(names ...string) int {
	r.mu.Lock()
	removed, subscribers := r.tools.remove(names)
	more := r.detach(removed)
	r.mu.Unlock()
	notify(subscribers, more)
	return len(removed)
}

// Tools returns the tools sorted by name. The slice is shared: do not modify it.
func (r *Registry) Tools() []*Tool { return r.tools.load(&r.mu).items }

// Lookup returns the tool with this name, and reports whether there is one. Names are case-sensitive.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.tools.load(&r.mu).byKey[name]
	return t, ok
}

// Generation returns a number that increases with every change of the tools. Use it to cache data derived from
// [Registry.Tools], and call it before Tools: then the cached data may be newer than the number, but never older.
func (r *Registry) Generation() uint64 { return r.tools.generation.Load() }

// OnChange registers fn, which is called after each change of the tools until stop is called; a call of fn that has begun
// may end after stop returns. Calls of fn run in the goroutine that made the change, without a lock, so fn may use the
// registry. Concurrent changes may call fn concurrently.
func (r *Registry) OnChange(fn func()) (stop func()) {
	return subscribe(&r.mu, &r.tools.subscribers, fn)
}

// addTools adds the tools and their resources, or returns the mistakes and adds nothing.
func (r *Registry) addTools(tools []*Tool, replace bool) []Mistake {
	r.mu.Lock()
	mistakes := r.tools.check(tools, replace)
	attached, unfit := r.checkAttached(tools)
	if mistakes = append(mistakes, unfit...); len(mistakes) > 0 {
		r.mu.Unlock()
		return mistakes
	}
	var replaced []*Tool
	for _, t := range tools {
		if old := r.tools.items[t.name]; old != nil {
			replaced = append(replaced, old)
		}
	}
	subscribers := r.tools.put(tools)
	more := r.attach(attached)
	rest := r.detach(replaced)
	r.mu.Unlock()
	notify(subscribers, more, rest)
	return nil
}

// clashes returns a mistake for each tool that cannot be added because of its name.
func (r *Registry) clashes(tools []*Tool) []Mistake {
	r.mu.Lock()
	defer r.mu.Unlock()
	return clashes(r.tools.items, tools)
}

// registerErrorHere returns the mistakes as an error with the location of the call of the registry's method; nil for
// none.
func registerErrorHere(mistakes []Mistake) error {
	if len(mistakes) == 0 {
		return nil
	}
	return newRegisterError(callerLocation(), mistakes)
}

func (t *Tool) key() string      { return t.name }
func (t *Tool) isEmpty() bool    { return t == nil || t.invoke == nil }
func (*Tool) itemKind() itemKind { return kindTool }

// definedAt returns the location where the tool was defined, with the method if it is from a service.
func (t *Tool) definedAt() string {
	if t.method == "" {
		return t.location.String()
	}
	return t.location.String() + " by the method " + t.method
}

// checkAttached returns the resources of the tools to add, and why they cannot be added. A resource with the URI of one
// that another tool has brought is the same resource: extensions derive the URI from the content.
func (r *Registry) checkAttached(tools []*Tool) (attached []*Resource, mistakes []Mistake) {
	brought := map[string]bool{}
	for _, t := range tools {
		if t.isEmpty() {
			continue
		}
		for _, res := range t.attachedResources() {
			attached = append(attached, res)
			if brought[res.key()] || r.attached[res.key()] > 0 {
				continue
			}
			brought[res.key()] = true
			for _, m := range r.checkResources([]*Resource{res}, false) {
				m.Tool = t.name
				m.Reason = fmt.Sprintf("registers the resource %s: %s", res.key(), m.Reason)
				mistakes = append(mistakes, m)
			}
		}
	}
	return attached, mistakes
}

// attach adds resources of tools, and returns the subscribers to call.
func (r *Registry) attach(resources []*Resource) []*func() {
	var added []*Resource
	for _, res := range resources {
		if r.attached == nil {
			r.attached = map[string]int{}
		}
		if r.attached[res.key()]++; r.attached[res.key()] == 1 {
			added = append(added, res)
		}
	}
	return r.resources.put(added)
}

// detach removes the resources that only these tools have, and returns the subscribers to call.
func (r *Registry) detach(tools []*Tool) []*func() {
	var gone []string
	for _, t := range tools {
		for _, res := range t.attachedResources() {
			if r.attached[res.key()]--; r.attached[res.key()] == 0 {
				delete(r.attached, res.key())
				gone = append(gone, res.key())
			}
		}
	}
	_, subscribers := r.resources.remove(slices.Clip(gone))
	return subscribers
}
