package mcptool

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/reflectschema"
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

// watcher has the funcs of Watch of [internals].
type watcher struct {
	changed func(list int, isListed bool)
	updated func(uri string)
	limited func(tenant, uri string) // nil if not used
}

// Add adds the tools to the registry, or none of them if there is a mistake. It is a mistake if a tool with the same
// name is in the registry already, or earlier in the call, or if a tool is nil or zero. The error is a
// [*RegisterError], which for equal names has the file:line of both definitions. Resources that belong to a tool
// ([Attachment]) are added with it.
func (r *Registry) Add(tools ...*Tool) error {
	return newRegisterError(callerLocation(), r.addTools(tools, false))
}

// Replace adds the tools to the registry like [Registry.Add], except that a tool replaces one with the same name that
// is in the registry already. It is one change, with one notification; none if clients see no difference, because only
// the funcs and the limits differ. Two tools with the same name in one call are a mistake.
func (r *Registry) Replace(tools ...*Tool) error {
	return newRegisterError(callerLocation(), r.addTools(tools, true))
}

// Remove removes the tools with these names and returns the number of tools that it removed. Names that are not in the
// registry are ignored. Running calls of the tools continue. Resources that belong to a tool are removed with the last
// tool that has them.
func (r *Registry) Remove(names ...string) int {
	var removed []*Tool
	r.change(func() {
		removed = r.tools.remove(names)
		r.detach(removed)
	})
	return len(removed)
}

// Tools returns the tools sorted by name. The slice is shared: do not modify it.
func (r *Registry) Tools() []*Tool { return r.tools.load(&r.mu).items }

// Lookup returns the tool with this name, and reports whether there is one. Names are case-sensitive.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.tools.load(&r.mu).byKey[name]
	return t, ok
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

// addTools adds the tools and their resources, or returns the mistakes and adds nothing.
func (r *Registry) addTools(tools []*Tool, replace bool) (mistakes []Mistake) {
	r.change(func() {
		mistakes = r.tools.check(tools, replace)
		attached, unfit := r.checkAttached(tools)
		if mistakes = append(mistakes, unfit...); len(mistakes) > 0 {
			return
		}
		var replaced []*Tool
		for _, t := range tools {
			if old := r.tools.items[t.key()]; old != nil {
				replaced = append(replaced, old)
			}
		}
		r.tools.put(tools)
		r.attach(attached)
		r.detach(replaced)
	})
	return mistakes
}

func (t *Tool) key() string      { return t.settings.Name }
func (t *Tool) isEmpty() bool    { return t == nil || t.invoke == nil }
func (*Tool) itemKind() itemKind { return kindTool }

// listed implements [item]. For which callers a condition holds is unknown.
func (t *Tool) listed() []any {
	s := &t.settings
	if s.VisibleIf != nil {
		return nil
	}
	listed := []any{s.Info, t.annotations, s.Task, s.OmitOutputSchema, s.Attachments}
	for _, schema := range []*reflectschema.Schema{t.input, t.output.schema} {
		if schema == nil {
			listed = append(listed, nil)
		} else {
			listed = append(listed, schema.JSON())
		}
	}
	return listed
}

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
				m.Tool = t.key()
				m.Reason = fmt.Sprintf("registers the resource %s: %s", res.key(), m.Reason)
				mistakes = append(mistakes, m)
			}
		}
	}
	return attached, mistakes
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

// detach removes the resources that only these tools have.
func (r *Registry) detach(tools []*Tool) {
	var gone []string
	for _, t := range tools {
		for _, res := range t.attachedResources() {
			if r.attached[res.key()]--; r.attached[res.key()] == 0 {
				delete(r.attached, res.key())
				gone = append(gone, res.key())
			}
		}
	}
	r.resources.remove(gone)
}
