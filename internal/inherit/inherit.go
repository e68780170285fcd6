// Package inherit decides what a struct takes over from the structs that it embeds, key by key. It knows neither tags
// nor reflection: its callers say what a struct sets and what it embeds.
package inherit

// An Item is one key with its value, and the struct that sets it.
type Item[S comparable, V any] struct {
	Key   string
	Value V
	From  S
}

// An Override is an item of an embedded struct whose place is taken by that of a struct around it.
type Override[S comparable, V any] struct {
	Outer, Inner Item[S, V]
}

// Rules are how the structs of a caller are read. Each func is called at most once per struct.
type Rules[S comparable, V any] struct {
	Own    func(S) []Item[S, V] // what the struct itself sets, each key once
	Embeds func(S) []S          // what it embeds, directly, in order
	Equal  func(a, b V) bool
}

// Resolve returns what holds for root. A key that a struct sets takes the place of that key in the structs it embeds, at
// any depth; depth alone decides nothing, so that whoever writes an override embeds what it overrides. Items is therefore
// ordered by struct, root first, and holds a key more than once only if structs embedded beside each other set it to
// different values and none around them sets it. Overrides are all that took place on the way, equal values included.
func Resolve[S comparable, V any](root S, rules Rules[S, V]) (items []Item[S, V], overrides []Override[S, V]) {
	r := resolver[S, V]{rules: rules, known: map[S][]Item[S, V]{}}
	return r.resolve(root), r.overrides
}

type resolver[S comparable, V any] struct {
	rules     Rules[S, V]
	known     map[S][]Item[S, V] // nil while a struct is being resolved: one that embeds itself adds nothing
	overrides []Override[S, V]
}

func (r *resolver[S, V]) resolve(s S) []Item[S, V] {
	if items, ok := r.known[s]; ok {
		return items
	}
	r.known[s] = nil
	own := r.rules.Own(s)
	items := own
	for _, inner := range r.rules.Embeds(s) {
		for _, item := range r.resolve(inner) {
			if outer, ok := find(own, item.Key); ok {
				r.overrides = append(r.overrides, Override[S, V]{outer, item})
			} else if !r.has(items, item) {
				items = append(items, item)
			}
		}
	}
	r.known[s] = items
	return items
}

// has reports whether the value of an item is among items already.
func (r *resolver[S, V]) has(items []Item[S, V], item Item[S, V]) bool {
	for _, other := range items {
		if other.Key == item.Key && r.rules.Equal(other.Value, item.Value) {
			return true
		}
	}
	return false
}

// find returns the first item with the key.
func find[S comparable, V any](items []Item[S, V], key string) (item Item[S, V], ok bool) {
	for _, item := range items {
		if item.Key == key {
			return item, true
		}
	}
	return item, false
}
