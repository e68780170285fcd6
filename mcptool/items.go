package mcptool

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// item is an element of a [Registry]: a *Tool, a *Prompt or a *Resource. Items are immutable.
type item interface {
	comparable
	key() string        // unique in the registry
	isEmpty() bool      // nil or the zero value
	definedAt() string  // file:line
	itemKind() itemKind // the same for all items of the type
}

// items is the items of one kind in a registry. Readers see each change completely or not at all: the first reader after
// a change makes a snapshot. Writers hold the lock of the registry.
type items[T item] struct {
	items       map[string]T // by key
	generation  atomic.Uint64
	snap        atomic.Pointer[snapshot[T]] // nil, or of an earlier generation, until a reader needs it
	subscribers []*func()
}

// snapshot is the items at one time. It is immutable.
type snapshot[T item] struct {
	items      []T // sorted by key
	byKey      map[string]T
	generation uint64
}

// subscribe adds fn to a list of funcs until stop is called. Pointers make registrations distinct, since the same func
// may be registered twice.
func subscribe[F any](mu *sync.Mutex, list *[]*F, fn F) (stop func()) {
	mu.Lock()
	defer mu.Unlock()
	added := &fn
	// Always a new slice: a notification that is running still iterates over the old one.
	*list = append(slices.Clip(*list), added)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		*list = slices.DeleteFunc(slices.Clone(*list), func(other *F) bool { return other == added })
	}
}

// load returns the newest snapshot. It locks mu, the lock of the registry, after a change.
func (s *items[T]) load(mu *sync.Mutex) *snapshot[T] {
	if n := s.snap.Load(); n != nil && n.generation == s.generation.Load() {
		return n
	}
	mu.Lock()
	defer mu.Unlock()
	if n := s.snap.Load(); n != nil && n.generation == s.generation.Load() {
		return n
	}
	n := &snapshot[T]{byKey: maps.Clone(s.items), generation: s.generation.Load()}
	for _, key := range slices.Sorted(maps.Keys(n.byKey)) {
		n.items = append(n.items, n.byKey[key])
	}
	s.snap.Store(n)
	return n
}

// check returns the mistakes that prevent adding the items: an empty item, or a key that is in use.
func (s *items[T]) check(items []T, replace bool) (mistakes []Mistake) {
	for i, t := range items {
		if t.isEmpty() {
			kind := t.itemKind()
			mistakes = append(mistakes, Mistake{Reason: fmt.Sprintf("%s %d of the call is empty", kind, i+1), Fix: "make it with " + itemWords[kind].constructor})
		}
	}
	taken := s.items
	if replace {
		taken = nil
	}
	return append(mistakes, clashes(taken, items)...)
}

// put adds items that have passed check, and returns the subscribers to call.
func (s *items[T]) put(items []T) []*func() {
	if len(items) == 0 {
		return nil
	}
	if s.items == nil {
		s.items = make(map[string]T, len(items))
	}
	for _, t := range items {
		s.items[t.key()] = t
	}
	return s.changed()
}

// putOrDeclare is like put, except that the first call counts as a change even without items: see
// [Registry.AddPrompts].
func (s *items[T]) putOrDeclare(items []T) []*func() {
	if len(items) == 0 && s.generation.Load() == 0 {
		return s.changed()
	}
	return s.put(items)
}

// remove removes the items with these keys, and returns the removed items and the subscribers to call.
func (s *items[T]) remove(keys []string) (removed []T, _ []*func()) {
	for _, key := range keys {
		if t, ok := s.items[key]; ok {
			delete(s.items, key)
			removed = append(removed, t)
		}
	}
	if removed == nil {
		return nil, nil
	}
	return removed, s.changed()
}

// changed counts a change and returns the subscribers to call.
func (s *items[T]) changed() []*func() {
	s.generation.Add(1)
	return s.subscribers
}

// clashes returns a mistake for each item whose key is in use, or is the key of an earlier item.
func clashes[T item](taken map[string]T, items []T) (mistakes []Mistake) {
	var none T
	earlier := make(map[string]T, len(items))
	for _, t := range items {
		if t == none || t.key() == "" {
			continue
		}
		other := taken[t.key()]
		if other == none {
			other = earlier[t.key()]
		}
		earlier[t.key()] = t
		kind := t.itemKind()
		switch other {
		case none:
		case t:
			mistakes = append(mistakes, Mistake{Tool: t.key(), Reason: fmt.Sprintf("the %s defined at %s is added twice", kind, t.definedAt()), Fix: "add it once"})
		default:
			mistakes = append(mistakes, Mistake{
				Tool:   t.key(),
				Reason: fmt.Sprintf("the %s defined at %s has the same %s as the one defined at %s", kind, t.definedAt(), itemWords[kind].keyName, other.definedAt()),
				Fix:    "give one of them another " + itemWords[kind].keyName,
			})
		}
	}
	return mistakes
}

// notify calls the subscribers.
func notify(subscribers ...[]*func()) {
	for _, fn := range slices.Concat(subscribers...) {
		(*fn)()
	}
}
