package walk

import (
	"reflect"
	"slices"
)

// A typeItem is a keyword on the blank fields of a struct.
type typeItem struct {
	key   string
	value typeKeyword
	from  reflect.Type
}

// An inheritance determines which keywords apply to a struct. A keyword of a struct overrides the same one in the structs
// that it embeds, at any depth. Depth alone decides nothing, so an override must be in a struct that embeds the overridden
// one. Both funcs are called at most once per struct.
type inheritance struct {
	own    func(reflect.Type) []typeItem     // of the struct itself, each keyword once
	embeds func(reflect.Type) []reflect.Type // structs that it embeds directly, in order
	known  map[reflect.Type][]typeItem       // nil while a struct is being resolved; a struct that embeds itself adds nothing
}

// resolve returns the keywords that apply to t. They are ordered by struct, t first. A keyword occurs more than once only
// if structs embedded side by side set it to different values and no outer struct sets it.
func (in *inheritance) resolve(t reflect.Type) []typeItem {
	if items, ok := in.known[t]; ok {
		return items
	}
	in.known[t] = nil
	own := in.own(t)
	items := own
	for _, inner := range in.embeds(t) {
		for _, item := range in.resolve(inner) {
			isSame := func(other typeItem) bool { return other.key == item.key && other.value.equal(item.value) }
			isKey := func(outer typeItem) bool { return outer.key == item.key }
			if !slices.ContainsFunc(own, isKey) && !slices.ContainsFunc(items, isSame) {
				items = append(items, item)
			}
		}
	}
	in.known[t] = items
	return items
}
