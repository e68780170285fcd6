package mcptool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Default is the registry that [Register] and [RegisterService] add tools to. A server without a registry of its own
// serves its tools.
var Default = &Registry{}

// Registry is a set of tools with unique names. The zero value is empty and ready to use. It is safe for concurrent
// use: readers take no lock, and see each change completely or not at all. It must not be copied after first use.
type Registry struct {
	mu       sync.Mutex // held by writers
	snap     atomic.Pointer[snapshot]
	watchers []*watcher
}

// snapshot is the state of a registry between two changes. It never changes.
type snapshot struct {
	tools      []*Tool // by name
	byName     map[string]*Tool
	generation uint64
}

// watcher makes each registration distinct, since the same func may be registered twice.
type watcher struct{ fn func() }

// Add adds the tools to the registry, or none of them if there is a mistake. It is a mistake if a tool with the same
// name is in the registry already, or earlier in the call, or if a tool is nil or zero. The error is a
// [*RegisterError], which for equal names has the file:line of both definitions.
func (r *Registry) Add(tools ...*Tool) error {
	return newRegisterError(callerLocation(), r.put(tools, false))
}

// Replace adds the tools to the registry like [Registry.Add], except that a tool replaces one with the same name that
// is in the registry already. It is one change, with one notification. Two tools with the same name in one call are a
// mistake.
func (r *Registry) Replace(tools ...*Tool) error {
	return newRegisterError(callerLocation(), r.put(tools, true))
}

// Remove removes the tools with these names and returns the number of tools that it removed. Names that are not in the
// registry are ignored. Running calls of the tools continue.
func (r *Registry) Remove(names ...string) int {
	removed := 0
	r.update(func(byName map[string]*Tool) bool {
		for _, name := range names {
			if _, ok := byName[name]; ok {
				delete(byName, name)
				removed++
			}
		}
		return removed > 0
	})
	return removed
}

// Tools returns the tools sorted by name. The slice is shared: do not modify it.
func (r *Registry) Tools() []*Tool { return r.load().tools }

// Lookup returns the tool with this name, and reports whether there is one. Names are case-sensitive.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.load().byName[name]
	return t, ok
}

// Generation returns a number that increases with every change. Use it to cache data derived from [Registry.Tools], and
// call it before Tools: then the cached data may be newer than the number, but never older.
func (r *Registry) Generation() uint64 { return r.load().generation }

// OnChange registers fn, which is called after each change until stop is called; a call of fn that has begun may end
// after stop returns. Calls of fn run in the goroutine that made the change, without a lock, so fn may use the
// registry. Concurrent changes may call fn concurrently.
func (r *Registry) OnChange(fn func()) (stop func()) {
	w := &watcher{fn}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A new slice each time: the change under way goes on reading the old one.
	r.watchers = append(slices.Clip(r.watchers), w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.watchers = slices.DeleteFunc(slices.Clone(r.watchers), func(other *watcher) bool { return other == w })
	}
}

var emptySnapshot = &snapshot{}

func (r *Registry) load() *snapshot {
	if s := r.snap.Load(); s != nil {
		return s
	}
	return emptySnapshot
}

// put adds the tools, or returns why it adds none of them.
func (r *Registry) put(tools []*Tool, replace bool) (mistakes []Mistake) {
	for i, t := range tools {
		if t == nil || t.invoke == nil {
			mistakes = append(mistakes, Mistake{Reason: fmt.Sprintf("tool %d of the call is empty", i+1), Fix: "make it with New or NewRaw"})
		}
	}
	r.update(func(byName map[string]*Tool) bool {
		taken := byName
		if replace {
			taken = nil
		}
		mistakes = append(mistakes, clashes(taken, tools)...)
		if len(mistakes) > 0 {
			return false
		}
		for _, t := range tools {
			byName[t.name] = t
		}
		return len(tools) > 0
	})
	return mistakes
}

// clashes returns a mistake for each tool whose name is taken, or given to an
// earlier one of the tools.
func clashes(taken map[string]*Tool, tools []*Tool) (mistakes []Mistake) {
	earlier := make(map[string]*Tool, len(tools))
	for _, t := range tools {
		if t == nil || t.name == "" {
			continue
		}
		other := taken[t.name]
		if other == nil {
			other = earlier[t.name]
		}
		earlier[t.name] = t
		switch other {
		case nil:
		case t:
			mistakes = append(mistakes, Mistake{Tool: t.name, Reason: "the tool defined at " + t.location + " is added twice", Fix: "add it once"})
		default:
			mistakes = append(mistakes, Mistake{
				Tool:   t.name,
				Reason: fmt.Sprintf("the tool defined at %s has the name of the one defined at %s", t.origin(), other.origin()),
				Fix:    "give one of them another name",
			})
		}
	}
	return mistakes
}

// origin returns where the tool was defined, and by which method of a service.
func (t *Tool) origin() string {
	if t.method == "" {
		return t.location
	}
	return t.location + " by the method " + t.method
}

// update is the only way to change a registry. The edit gets a copy to modify, and reports whether to keep it.
func (r *Registry) update(edit func(byName map[string]*Tool) (changed bool)) {
	for _, w := range r.swap(edit) {
		w.fn()
	}
}

// swap makes the change and returns the watchers to call.
func (r *Registry) swap(edit func(byName map[string]*Tool) (changed bool)) []*watcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.load()
	byName := make(map[string]*Tool, len(old.byName)+1)
	maps.Copy(byName, old.byName)
	if !edit(byName) {
		return nil
	}
	tools := slices.SortedFunc(maps.Values(byName), func(a, b *Tool) int { return cmp.Compare(a.name, b.name) })
	r.snap.Store(&snapshot{tools: tools, byName: byName, generation: old.generation + 1})
	return r.watchers
}
