package jsondoc

import (
	"cmp"
	"slices"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Sorted returns d with the members of all objects in it sorted by name, in the order of RFC 8785. Members with the same
// name are sorted by value.
func (d *Value) Sorted() *Value {
	switch d.Kind {
	case rawjson.Object:
		members := slices.Clone(d.Members)
		for i, m := range members {
			members[i].Value = m.Value.Sorted()
		}
		slices.SortFunc(members, func(a, b Member) int {
			if order := compareUTF16(a.Name, b.Name); order != 0 {
				return order
			}
			return compareUTF16(string(a.Value.AppendTo(nil)), string(b.Value.AppendTo(nil)))
		})
		return d.WithParts(members, nil)
	case rawjson.Array:
		items := slices.Clone(d.Items)
		for i, item := range items {
			items[i] = item.Sorted()
		}
		return d.WithParts(nil, items)
	default:
		return d
	}
}

// compareUTF16 compares two texts in UTF-8 by their code units in UTF-16.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(rank(a[i]), rank(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// rank returns the position of a byte of UTF-8 in the order of UTF-16. UTF-8 sorts by code point. In UTF-16, surrogates
// sort before U+E000 to U+FFFF, whose first bytes in UTF-8 are 0xEE and 0xEF.
func rank(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c + 0x10
	}
	return c
}

// Duplicate returns the path of the first member in d whose name an earlier member of the same object has, nil if there
// is none.
func (d *Value) Duplicate() Path { return d.duplicate(nil) }

// duplicate is Duplicate for the value at p.
func (d *Value) duplicate(p Path) Path {
	seen := make(map[string]bool, len(d.Members))
	for _, m := range d.Members {
		at := p.Member(m.Name)
		if seen[m.Name] {
			return at
		}
		seen[m.Name] = true
		if found := m.Value.duplicate(at); found != nil {
			return found
		}
	}
	for i, item := range d.Items {
		if found := item.duplicate(p.Element(i)); found != nil {
			return found
		}
	}
	return nil
}
