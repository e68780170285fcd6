package mcptool

import (
	"fmt"
	"maps"
	"slices"
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

// items is the items of one kind in a registry. Readers take no lock, and see each change completely or not at all. The
// cost of a change depends only on its size, not on the number of items: the first reader after it sorts. Writers hold
// the lock of the registry.
type items[T item] struct {
	snap        atomic.Pointer[snapshot[T]]
	empty       snapshot[T]  // the first one
	items       map[string]T // by key, as the newest snapshot has them
	subscribers []*subscriber
}

// snapshot is the items at one time. It is immutable: the first reader replaces a snapshot with pending changes by a
// merged one.
type snapshot[T item] struct {
	items      []T          // by key, without the changes
	byKey      map[string]T // the same
	changes    *change[T]   // pending, the newest first; nil if there are none
	generation uint64
}

// change is a pending change, which the items of the snapshot do not include yet.
type change[T item] struct {
	added   []T        // each replaces the item with its key, if any
	removed []string   // keys
	before  *change[T] // nil if there is none
	size    int        // number of items and keys in this change and all before it
}

// subscriber makes each registration distinct, since the same func may be registered twice.
type subscriber struct{ fn func() }

// onChange registers fn. The caller must hold the lock, also when it calls stop.
func (s *items[T]) onChange(fn func()) (stop func()) {
	w := &subscriber{fn}
	// Always a new slice: a notification that is running still iterates over the old one.
	s.subscribers = append(slices.Clip(s.subscribers), w)
	return func() {
		s.subscribers = slices.DeleteFunc(slices.Clone(s.subscribers), func(other *subscriber) bool { return other == w })
	}
}

// newest returns the newest snapshot, which may have pending changes.
func (s *items[T]) newest() *snapshot[T] {
	if n := s.snap.Load(); n != nil {
		return n
	}
	return &s.empty
}

// load returns the newest snapshot with its pending changes merged.
func (s *items[T]) load() *snapshot[T] {
	n := s.newest()
	if n.changes == nil {
		return n
	}
	merged := n.merge()
	s.snap.CompareAndSwap(n, merged) // fails if there is a newer snapshot, or another reader has merged this one
	return merged
}

// merge returns the snapshot with its pending changes in its items.
func (s *snapshot[T]) merge() *snapshot[T] {
	var none T
	changed := map[string]T{} // zero for removed items
	for c := s.changes; c != nil; c = c.before {
		for _, t := range c.added {
			if _, later := changed[t.key()]; !later {
				changed[t.key()] = t
			}
		}
		for _, key := range c.removed {
			if _, later := changed[key]; !later {
				changed[key] = none
			}
		}
	}
	next := &snapshot[T]{
		items:      make([]T, 0, len(s.items)+len(changed)),
		byKey:      make(map[string]T, len(s.items)+len(changed)),
		generation: s.generation,
	}
	keep := func(t T) {
		next.items = append(next.items, t)
		next.byKey[t.key()] = t
	}
	rest := s.items
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		for len(rest) > 0 && rest[0].key() < key {
			keep(rest[0])
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].key() == key {
			rest = rest[1:]
		}
		if t := changed[key]; t != none {
			keep(t)
		}
	}
	for _, t := range rest {
		keep(t)
	}
	return next
}

// check returns the mistakes that prevent adding the items: an empty item, or a key that is in use.
func (s *items[T]) check(items []T, replace bool) (mistakes []Mistake) {
	for i, t := range items {
		if t.isEmpty() {
			kind := t.itemKind()
			mistakes = append(mistakes, Mistake{Reason: fmt.Sprintf("%s %d of the call is empty", kind, i+1), Fix: "make it with " + kind.constructor()})
		}
	}
	taken := s.items
	if replace {
		taken = nil
	}
	return append(mistakes, clashes(taken, items)...)
}

// put adds items that have passed check, and returns the subscribers to call.
func (s *items[T]) put(items []T) []*subscriber {
	if len(items) == 0 {
		return nil
	}
	if s.items == nil {
		s.items = make(map[string]T, len(items))
	}
	for _, t := range items {
		s.items[t.key()] = t
	}
	return s.publish(&change[T]{added: slices.Clone(items)})
}

// putOrDeclare is like put, except that the first call counts as a change even without items: see
// [Registry.AddPrompts].
func (s *items[T]) putOrDeclare(items []T) []*subscriber {
	if len(items) == 0 && s.newest().generation == 0 {
		return s.publish(&change[T]{})
	}
	return s.put(items)
}

// remove removes the items with these keys, and returns the removed items and the subscribers to call.
func (s *items[T]) remove(keys []string) (removed []T, _ []*subscriber) {
	var found []string
	for _, key := range keys {
		if t, ok := s.items[key]; ok {
			delete(s.items, key)
			found, removed = append(found, key), append(removed, t)
		}
	}
	if found == nil {
		return nil, nil
	}
	return removed, s.publish(&change[T]{removed: found})
}

// publish shows readers a change and returns the subscribers to call.
func (s *items[T]) publish(c *change[T]) []*subscriber {
	old := s.newest()
	c.size = len(c.added) + len(c.removed)
	if old.changes != nil {
		c.before = old.changes
		c.size += old.changes.size
	}
	next := &snapshot[T]{items: old.items, byKey: old.byKey, changes: c, generation: old.generation + 1}
	if c.size > 2*len(s.items)+minChanges { // without readers nothing merges, and removed items would stay
		next = next.merge()
	}
	s.snap.Store(next)
	return s.subscribers
}

// minChanges is the number of pending changes that are kept even in a small registry.
const minChanges = 64

// clashes returns a mistake for each item whose key is in use, or is the key of an earlier item.
func clashes[T item](taken map[string]T, items []T) (mistakes []Mistake) {
	var none T
	var earlier map[string]T
	if len(items) > 1 {
		earlier = make(map[string]T, len(items))
	}
	for _, t := range items {
		if t == none || t.key() == "" {
			continue
		}
		other := taken[t.key()]
		if other == none {
			other = earlier[t.key()]
		}
		if earlier != nil {
			earlier[t.key()] = t
		}
		kind := t.itemKind()
		switch other {
		case none:
		case t:
			mistakes = append(mistakes, Mistake{Tool: t.key(), Reason: fmt.Sprintf("the %s defined at %s is added twice", kind, t.definedAt()), Fix: "add it once"})
		default:
			mistakes = append(mistakes, Mistake{
				Tool:   t.key(),
				Reason: fmt.Sprintf("the %s defined at %s has the same %s as the one defined at %s", kind, t.definedAt(), kind.keyName(), other.definedAt()),
				Fix:    "give one of them another " + kind.keyName(),
			})
		}
	}
	return mistakes
}

// notify calls the subscribers.
func notify(subscribers ...[]*subscriber) {
	for _, list := range subscribers {
		for _, w := range list {
			w.fn()
		}
	}
}
