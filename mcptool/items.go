package mcptool

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// item is a type of elements of a [Registry]: *Tool, *Prompt or *Resource. Items are immutable.
type item interface {
	comparable
	key() string        // unique in the registry
	isEmpty() bool      // nil or the zero value
	definedAt() string  // file:line
	itemKind() itemKind // the same for all items of the type
	listed() []any      // what clients see of it in lists; nil: unknown
}

// items is the items of one kind in a registry. Readers see each change completely or not at all: the first reader after
// a change makes a snapshot. Writers hold the lock of the registry.
type items[T item] struct {
	items      map[string]T                // by key
	generation atomic.Uint64               // increases with every change
	changes    atomic.Uint64               // increases with every change that clients see
	snap       atomic.Pointer[snapshot[T]] // nil, or of an earlier generation, until a reader needs it
}

// snapshot is the items at one time. It is immutable.
type snapshot[T item] struct {
	items      []T // sorted by key
	byKey      map[string]T
	generation uint64
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

// check returns the mistakes that prevent adding the items: an empty item, or a key that is taken, unless replace is true.
func check[T item](taken map[string]T, items []T, replace bool) (mistakes []Mistake) {
	for i, t := range items {
		if t.isEmpty() {
			kind := t.itemKind()
			mistakes = append(mistakes, Mistake{Reason: fmt.Sprintf("%s %d of the call is empty", kind, i+1), Fix: "make it with " + itemWords[kind].constructor})
		}
	}
	if replace {
		taken = nil
	}
	return append(mistakes, clashes(taken, items)...)
}

// withKeysOf returns the items that have the keys of others.
func (s *items[T]) withKeysOf(others []T) (found []T) {
	for _, t := range others {
		if t.isEmpty() {
			continue
		}
		if known, ok := s.items[t.key()]; ok {
			found = append(found, known)
		}
	}
	return found
}

// with returns the items by key, as if the others had been put.
func (s *items[T]) with(others []T) map[string]T {
	all := make(map[string]T, len(s.items)+len(others))
	maps.Copy(all, s.items)
	for _, t := range others {
		if !t.isEmpty() {
			all[t.key()] = t
		}
	}
	return all
}

// put adds items that have passed check.
func (s *items[T]) put(items []T) {
	if len(items) == 0 {
		return
	}
	if s.items == nil {
		s.items = make(map[string]T, len(items))
	}
	isChange := false
	for _, t := range items {
		old, isKnown := s.items[t.key()]
		isChange = isChange || !isKnown || old != t && (t.listed() == nil || !reflect.DeepEqual(old.listed(), t.listed()))
		s.items[t.key()] = t
	}
	s.generation.Add(1)
	if isChange {
		s.changes.Add(1)
	}
}

// changed records a change that clients see.
func (s *items[T]) changed() {
	s.generation.Add(1)
	s.changes.Add(1)
}

// putOrDeclare is like put, except that the first slice that is not nil counts as a change even if it is empty: see
// [Registry.Add].
func (s *items[T]) putOrDeclare(items []T) {
	if items != nil && len(items) == 0 && s.generation.Load() == 0 {
		s.changed()
	}
	s.put(items)
}

// remove removes the items with the keys of others, and returns them.
func (s *items[T]) remove(others []T) (removed []T) {
	for _, t := range others {
		if t.isEmpty() {
			continue
		}
		if known, ok := s.items[t.key()]; ok {
			delete(s.items, t.key())
			removed = append(removed, known)
		}
	}
	if removed != nil {
		s.changed()
	}
	return removed
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
			fix := "give one of them another " + itemWords[kind].keyName
			if isOfAnotherService(t, other) {
				fix += ", or all tools of one service a prefix with the option NamePrefix"
			}
			mistakes = append(mistakes, Mistake{
				Tool:   t.key(),
				Reason: fmt.Sprintf("the %s defined at %s has the same %s as the one defined at %s", kind, t.definedAt(), itemWords[kind].keyName, other.definedAt()),
				Fix:    fix,
			})
		}
	}
	return mistakes
}

// isOfAnotherService reports whether two tools were defined by different calls, and one of them by a method of a service.
func isOfAnotherService[T item](t, other T) bool {
	a, _ := any(t).(*Tool)
	b, _ := any(other).(*Tool)
	return a != nil && a.location != b.location && (a.method != "" || b.method != "")
}
