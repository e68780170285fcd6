package mcptool

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
)

// item is what a [Registry] contains: a *Tool, a *Prompt or a *Resource. Items are immutable.
type item interface {
	comparable
	key() string        // unique in the registry
	isEmpty() bool      // nil or the zero value
	definedAt() string  // file:line
	itemKind() itemKind // the same for all items of the type
}

// items is the items of one kind in a registry. Readers take no lock, and see each change completely or not at all. A change
// costs what it changes, whatever the number of items; the first reader after it sorts them. Writers hold the lock of the
// registry.
type items[T item] struct {
	snap        atomic.Pointer[snapshot[T]]
	empty       snapshot[T]  // the first one
	items       map[string]T // by key, as the newest snapshot has them
	subscribers []*subscriber
}

// snapshot is the items between two changes. It never changes: the first reader replaces one that has changes by
// one that has them in its items.
type snapshot[T item] struct {
	items      []T          // by key, without the changes
	byKey      map[string]T // the same
	changes    *change[T]   // the newest, nil if there are none
	generation uint64
}

// change is a change that is not in the items of a snapshot yet.
type change[T item] struct {
	added   []T        // each in place of the item with its key, if there is one
	removed []string   // keys
	before  *change[T] // nil if there is none
	size    int        // items and keys in this change and all before it
}

// subscriber makes each registration distinct, since the same func may be registered twice.
type subscriber struct{ fn func() }

// onChange registers fn; stop is to be called with the lock held, too.
func (s *items[T]) onChange(fn func()) (stop func()) {
	w := &subscriber{fn}
	// A new slice each time: the change under way goes on reading the old one.
	s.subscribers = append(slices.Clip(s.subscribers), w)
	return func() {
		s.subscribers = slices.DeleteFunc(slices.Clone(s.subscribers), func(other *subscriber) bool { return other == w })
	}
}

// newest returns the newest snapshot, which may have changes.
func (s *items[T]) newest() *snapshot[T] {
	if n := s.snap.Load(); n != nil {
		return n
	}
	return &s.empty
}

// load returns the newest snapshot with its changes in its items.
func (s *items[T]) load() *snapshot[T] {
	n := s.newest()
	if n.changes == nil {
		return n
	}
	merged := n.merge()
	s.snap.CompareAndSwap(n, merged) // otherwise there is a newer one, or another reader was faster
	return merged
}

// merge returns the snapshot with its changes in its items.
func (s *snapshot[T]) merge() *snapshot[T] {
	var none T
	changed := map[string]T{} // none for those that are removed
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

// check returns why the items cannot be added: one that is empty, or whose key is taken.
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

// put adds items that check has accepted, and returns the subscribers to call.
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

// putOrDeclare is put, except that no items are a change, too, if it is the first one: see [Registry.AddPrompts].
func (s *items[T]) putOrDeclare(items []T) []*subscriber {
	if len(items) == 0 && s.newest().generation == 0 {
		return s.publish(&change[T]{})
	}
	return s.put(items)
}

// remove removes the items with these keys, and returns those that were there and the subscribers to call.
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
	if c.size > 2*len(s.items)+minChanges { // nobody reads: what was replaced or removed must not be kept forever
		next = next.merge()
	}
	s.snap.Store(next)
	return s.subscribers
}

// minChanges is how many changes of a small set are kept until somebody reads it.
const minChanges = 64

// clashes returns a mistake for each item whose key is taken, or is that of an earlier one.
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
