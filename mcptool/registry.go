package mcptool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Default is the registry that [Register] and [RegisterService] add to, and the one that a server without its own
// registry serves.
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

// Add adds the tools, or none of them if there is any mistake. A name that is taken, in the registry or earlier in
// the call, is a mistake; the [*RegisterError] names the file:line of both definitions.
func (r *Registry) Add(tools ...*Tool) error {
	return newRegisterError(callerLocation(), r.put(tools, false))
}

// Replace adds the tools; a tool whose name is taken replaces the other. It is one change with one notification, or
// none if there is any mistake. Two tools with the same name in one call are a mistake.
func (r *Registry) Replace(tools ...*Tool) error {
	return newRegisterError(callerLocation(), r.put(tools, true))
}

// Remove removes the tools with these names and returns the number of tools removed. Running calls finish.
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

// Lookup returns the tool with this name. Names are matched exactly.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.load().byName[name]
	return t, ok
}

// Generation returns a number that increases with every change, as a key for caching what is derived from
// [Registry.Tools]. Get it before the tools: the cached value may then be newer than its number, but never older.
func (r *Registry) Generation() uint64 { return r.load().generation }

// OnChange registers fn to be called after each change until stop is called; a call of fn that is running then may
// still finish. fn runs in the goroutine that made the change, with no lock held, so it may use the registry;
// concurrent changes may call it concurrently.
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
