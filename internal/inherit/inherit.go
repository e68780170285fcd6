// Package inherit resolves, key by key, what a struct inherits from the structs that it embeds. It is independent of
// tags and reflection: callers provide the items and embedded structs of a struct.
package inherit

import "slices"

// An Item is one key with its value, and the struct that sets it.
type Item[S comparable, V any] struct {
	Key   string
	Value V
	From  S
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
// it to different values and no outer struct sets it.
func Resolve[S comparable, V any](root S, rules Rules[S, V]) []Item[S, V] {
	r := resolver[S, V]{rules: rules, known: map[S][]Item[S, V]{}}
	return r.resolve(root)
}

type resolver[S comparable, V any] struct {
	rules Rules[S, V]
	known map[S][]Item[S, V] // nil while a struct is being resolved; a struct that embeds itself adds nothing
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
			isSame := func(other Item[S, V]) bool { return other.Key == item.Key && r.rules.Equal(other.Value, item.Value) }
			isKey := func(outer Item[S, V]) bool { return outer.Key == item.Key }
			if !slices.ContainsFunc(own, isKey) && !slices.ContainsFunc(items, isSame) {
				items = append(items, item)
			}
		}
	}
	r.known[s] = items
	return items
}
