// Package inherit resolves, key by key, what a struct inherits from the structs that it embeds. It is independent of
// tags and reflection: callers provide the items and embedded structs of a struct.
package inherit

// An Item is one key with its value, and the struct that sets it.
type Item[S comparable, V any] struct {
	Key   string
	Value V
	From  S
}

// An Override is an item of an embedded struct that is overridden by an outer struct.
type Override[S comparable, V any] struct {
	Outer, Inner Item[S, V]
}

// Rules describe the structs of a caller. Each func is called at most once per struct.
type Rules[S comparable, V any] struct {
	Own    func(S) []Item[S, V] // items of the struct itself, each key once
	Embeds func(S) []S          // structs that it embeds directly, in order
	Equal  func(a, b V) bool
}

// Resolve returns the items that apply to root. A key of a struct overrides the same key in the structs it embeds, at
// any depth. Depth alone decides nothing, so an override must be in a struct that embeds the overridden one. Items is
// therefore ordered by struct, root first, and contains a key more than once only if structs embedded side by side set
// it to different values and no outer struct sets it. Overrides has all overrides on the way, including those with
// equal values.
func Resolve[S comparable, V any](root S, rules Rules[S, V]) (items []Item[S, V], overrides []Override[S, V]) {
	r := resolver[S, V]{rules: rules, known: map[S][]Item[S, V]{}}
	return r.resolve(root), r.overrides
}

type resolver[S comparable, V any] struct {
	rules     Rules[S, V]
	known     map[S][]Item[S, V] // nil while a struct is being resolved; a struct that embeds itself adds nothing
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

// has reports whether items has the key of an item with the same value.
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
