package jsondoc

import (
	"cmp"
	"slices"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Canonical returns a JSON value in canonical form (RFC 8785), except that numbers stay as they are written: without white
// space, with the fewest escapes, and with members sorted by name, those with the same name by value. It returns the error
// of [rawjson.Valid] if text is not valid.
func Canonical(text []byte) ([]byte, error) {
	compact, err := rawjson.AppendCompact(nil, text)
	if err != nil {
		return nil, err
	}
	return Parse(compact).sorted().AppendTo(compact[:0]), nil
}

// sorted returns d with the members of all objects in it sorted.
func (d *Value) sorted() *Value {
	switch d.Kind {
	case rawjson.Object:
		members := slices.Clone(d.Members)
		for i, m := range members {
			members[i].Value = m.Value.sorted()
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
			items[i] = item.sorted()
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
func (d *Value) Duplicate() Path {
	const usual = 16 // levels, so that the path is allocated once
	return d.duplicate(make(Path, 0, usual))
}

// duplicate is Duplicate for the value at p.
func (d *Value) duplicate(p Path) Path {
	const few = 8 // names that are compared with each other
	var seen map[string]bool
	if len(d.Members) > few {
		seen = make(map[string]bool, len(d.Members))
	}
	for i, m := range d.Members {
		at := p.Member(m.Name)
		isNamed := func(other Member) bool { return other.Name == m.Name }
		if seen[m.Name] || seen == nil && slices.ContainsFunc(d.Members[:i], isNamed) {
			return at
		}
		if seen != nil {
			seen[m.Name] = true
		}
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
