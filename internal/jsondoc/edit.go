package jsondoc

import "slices"

// replaced returns list with item i set to value. The first call that changes an item copies original, so list is
// either original or that copy.
func replaced[T comparable](list, original []T, i int, value T) []T {
	if original[i] == value {
		return list
	}
	if &list[0] == &original[0] {
		list = slices.Clone(original)
	}
	list[i] = value
	return list
}

// WithParts returns d with these members and items, or d itself if they are the slices that d has.
func (d *Value) WithParts(members []Member, items []*Value) *Value {
	if same(members, d.Members) && same(items, d.Items) {
		return d
	}
	copied := *d
	copied.Members, copied.Items = members, items
	return &copied
}

// same reports whether two slices of the same length share their array.
func same[T any](a, b []T) bool { return len(a) == 0 || &a[0] == &b[0] }

// With returns d with a member set to value. A new member is added at the end.
func (d *Value) With(name string, value *Value) *Value {
	copied := *d
	copied.Members = make([]Member, 0, len(d.Members)+1)
	for _, m := range d.Members {
		if m.Name == name {
			m.Value, value = value, nil
		}
		copied.Members = append(copied.Members, m)
	}
	if value != nil {
		copied.Members = append(copied.Members, Member{name, value})
	}
	return &copied
}

// Without returns d without the members with these names.
func (d *Value) Without(names ...string) *Value {
	copied := *d
	copied.Members = nil
	for _, m := range d.Members {
		keep := true
		for _, name := range names {
			keep = keep && m.Name != name
		}
		if keep {
			copied.Members = append(copied.Members, m)
		}
	}
	return &copied
}
