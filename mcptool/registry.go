package mcptool

import (
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
// use: readers take no lock, and see each change completely or not at all. A change costs what it changes, whatever the
// number of tools; the first reader after it sorts them. It must not be copied after first use.
type Registry struct {
	snap atomic.Pointer[snapshot]

	mu          sync.Mutex       // held by writers
	tools       map[string]*Tool // by name, as the newest snapshot has them
	subscribers []*subscriber
}

// snapshot is the state of a registry between two changes. It never changes: the first reader replaces one that has
// changes by one that has them in its tools.
type snapshot struct {
	tools      []*Tool          // by name, without the changes
	byName     map[string]*Tool // the same
	changes    *change          // the newest, nil if there are none
	generation uint64
}

// change is a change that is not in the tools of a snapshot yet.
type change struct {
	added   []*Tool  // each in place of the tool with its name, if there is one
	removed []string // names
	before  *change  // nil if there is none
	size    int      // tools and names in this change and all before it
}

// subscriber makes each registration distinct, since the same func may be registered twice.
type subscriber struct{ fn func() }

// Add adds the tools to the registry, or none of them if there is a mistake. It is a mistake if a tool with the same
// name is in the registry already, or earlier in the call, or if a tool is nil or zero. The error is a
// [*RegisterError], which for equal names has the file:line of both definitions.
func (r *Registry) Add(tools ...*Tool) error {
	if mistakes := r.put(tools, false); len(mistakes) > 0 {
		return newRegisterError(callerLocation(), mistakes)
	}
	return nil
}

// Replace adds the tools to the registry like [Registry.Add], except that a tool replaces one with the same name that
// is in the registry already. It is one change, with one notification. Two tools with the same name in one call are a
// mistake.
func (r *Registry) Replace(tools ...*Tool) error {
	if mistakes := r.put(tools, true); len(mistakes) > 0 {
		return newRegisterError(callerLocation(), mistakes)
	}
	return nil
}

// Remove removes the tools with these names and returns the number of tools that it removed. Names that are not in the
// registry are ignored. Running calls of the tools continue.
func (r *Registry) Remove(names ...string) int {
	removed, subscribers := r.remove(names)
	notify(subscribers)
	return removed
}

// remove is Remove without the notification: it returns the subscribers to call.
func (r *Registry) remove(names []string) (int, []*subscriber) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var removed []string
	for _, name := range names {
		if _, ok := r.tools[name]; ok {
			delete(r.tools, name)
			removed = append(removed, name)
		}
	}
	if removed == nil {
		return 0, nil
	}
	return len(removed), r.publish(&change{removed: removed})
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
func (r *Registry) Generation() uint64 { return r.newest().generation }

// OnChange registers fn, which is called after each change until stop is called; a call of fn that has begun may end
// after stop returns. Calls of fn run in the goroutine that made the change, without a lock, so fn may use the
// registry. Concurrent changes may call fn concurrently.
func (r *Registry) OnChange(fn func()) (stop func()) {
	w := &subscriber{fn}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A new slice each time: the change under way goes on reading the old one.
	r.subscribers = append(slices.Clip(r.subscribers), w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.subscribers = slices.DeleteFunc(slices.Clone(r.subscribers), func(other *subscriber) bool { return other == w })
	}
}

var emptySnapshot = &snapshot{}

// newest returns the newest snapshot, which may have changes.
func (r *Registry) newest() *snapshot {
	if s := r.snap.Load(); s != nil {
		return s
	}
	return emptySnapshot
}

// load returns the newest snapshot with its changes in its tools.
func (r *Registry) load() *snapshot {
	s := r.newest()
	if s.changes == nil {
		return s
	}
	merged := s.merge()
	r.snap.CompareAndSwap(s, merged) // otherwise there is a newer one, or another reader was faster
	return merged
}

// merge returns the snapshot with its changes in its tools.
func (s *snapshot) merge() *snapshot {
	changed := map[string]*Tool{} // nil for those that are removed
	for c := s.changes; c != nil; c = c.before {
		for _, t := range c.added {
			if _, later := changed[t.name]; !later {
				changed[t.name] = t
			}
		}
		for _, name := range c.removed {
			if _, later := changed[name]; !later {
				changed[name] = nil
			}
		}
	}
	next := &snapshot{
		tools:      make([]*Tool, 0, len(s.tools)+len(changed)),
		byName:     make(map[string]*Tool, len(s.tools)+len(changed)),
		generation: s.generation,
	}
	keep := func(t *Tool) {
		next.tools = append(next.tools, t)
		next.byName[t.name] = t
	}
	rest := s.tools
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		for len(rest) > 0 && rest[0].name < name {
			keep(rest[0])
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].name == name {
			rest = rest[1:]
		}
		if t := changed[name]; t != nil {
			keep(t)
		}
	}
	for _, t := range rest {
		keep(t)
	}
	return next
}

// put adds the tools, or returns why it adds none of them.
func (r *Registry) put(tools []*Tool, replace bool) []Mistake {
	mistakes, subscribers := r.add(tools, replace)
	notify(subscribers)
	return mistakes
}

// add is put without the notification: it returns the subscribers to call.
func (r *Registry) add(tools []*Tool, replace bool) (mistakes []Mistake, _ []*subscriber) {
	for i, t := range tools {
		if t == nil || t.invoke == nil {
			mistakes = append(mistakes, Mistake{Reason: fmt.Sprintf("tool %d of the call is empty", i+1), Fix: "make it with New or NewRaw"})
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.tools
	if replace {
		taken = nil
	}
	mistakes = append(mistakes, clashes(taken, tools)...)
	if len(mistakes) > 0 || len(tools) == 0 {
		return mistakes, nil
	}
	if r.tools == nil {
		r.tools = make(map[string]*Tool, len(tools))
	}
	for _, t := range tools {
		r.tools[t.name] = t
	}
	return nil, r.publish(&change{added: slices.Clone(tools)})
}

// clashes returns a mistake for each of the tools that cannot be added because of its name.
func (r *Registry) clashes(tools []*Tool) []Mistake {
	r.mu.Lock()
	defer r.mu.Unlock()
	return clashes(r.tools, tools)
}

// publish shows readers a change and returns the subscribers to call. The caller holds r.mu.
func (r *Registry) publish(c *change) []*subscriber {
	old := r.newest()
	c.size = len(c.added) + len(c.removed)
	if old.changes != nil {
		c.before = old.changes
		c.size += old.changes.size
	}
	next := &snapshot{tools: old.tools, byName: old.byName, changes: c, generation: old.generation + 1}
	if c.size > 2*len(r.tools)+minChanges { // nobody reads: what was replaced or removed must not be kept forever
		next = next.merge()
	}
	r.snap.Store(next)
	return r.subscribers
}

// minChanges is how many changes of a small registry are kept until somebody reads it.
const minChanges = 64

// clashes returns a mistake for each tool whose name is taken, or given to an
// earlier one of the tools.
func clashes(taken map[string]*Tool, tools []*Tool) (mistakes []Mistake) {
	var earlier map[string]*Tool
	if len(tools) > 1 {
		earlier = make(map[string]*Tool, len(tools))
	}
	for _, t := range tools {
		if t == nil || t.name == "" {
			continue
		}
		other := taken[t.name]
		if other == nil {
			other = earlier[t.name]
		}
		if earlier != nil {
			earlier[t.name] = t
		}
		switch other {
		case nil:
		case t:
			mistakes = append(mistakes, Mistake{Tool: t.name, Reason: "the tool defined at " + t.location.String() + " is added twice", Fix: "add it once"})
		default:
			mistakes = append(mistakes, Mistake{
				Tool:   t.name,
				Reason: fmt.Sprintf("the tool defined at %s has the same name as the one defined at %s", t.origin(), other.origin()),
				Fix:    "give one of them another name",
			})
		}
	}
	return mistakes
}

// origin returns where the tool was defined, and by which method of a service.
func (t *Tool) origin() string {
	if t.method == "" {
		return t.location.String()
	}
	return t.location.String() + " by the method " + t.method
}

// notify calls the subscribers.
func notify(subscribers []*subscriber) {
	for _, w := range subscribers {
		w.fn()
	}
}
