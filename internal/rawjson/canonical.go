package rawjson

import (
	"cmp"
	"slices"
)

// AppendCanonical appends a JSON value in canonical form (RFC 8785), except that numbers stay as they are written: as
// [AppendCompact], with members sorted by name, those with the same name by value.
func AppendCanonical(dst, text []byte) ([]byte, error) {
	return appendCompact(dst, text, new(sorter))
}

// A sorter sorts the members of objects in a text that is being appended, in place.
type sorter struct {
	open []member // members so far of all objects that are not complete, those of the outermost object first
	out  []byte   // scratch space for a sorted object
}

// A member is the location of a member in the text.
type member struct{ name, value, end int }

// add adds the member at the end of text, which is complete and sorted.
func (s *sorter) add(text []byte, name, value int) {
	s.open = append(s.open, member{name, value, len(text)})
}

// sort sorts the members of the innermost object, which begin with the one at index first.
func (s *sorter) sort(text []byte, first int) {
	members := s.open[first:]
	s.open = s.open[:first]
	compare := func(a, b member) int { return compareMembers(text, a, b) }
	if slices.IsSortedFunc(members, compare) {
		return
	}
	start := members[0].name
	slices.SortFunc(members, compare)
	s.out = s.out[:0]
	for _, m := range members {
		s.out = append(AppendComma(s.out), text[m.name:m.end]...)
	}
	copy(text[start:], s.out)
}

// compareMembers compares members of text by name, those with the same name by value.
func compareMembers(text []byte, a, b member) int {
	if order := compareUTF16(Unquote(text[a.name:a.value-1]), Unquote(text[b.name:b.value-1])); order != 0 {
		return order
	}
	return compareUTF16(text[a.value:a.end], text[b.value:b.end])
}

// compareUTF16 compares two texts in UTF-8 by their code units in UTF-16.
func compareUTF16(a, b []byte) int {
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
