package jsonwrite

import (
	"encoding/json"
	"maps"
	"slices"
)

// RawMembers appends the members of an object that are JSON already, in the order of their names. A value that is no
// [encoding/json.RawMessage] is left out.
func RawMembers(dst []byte, members map[string]any) []byte {
	if len(members) == 0 {
		return dst
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if raw, ok := members[name].(json.RawMessage); ok {
			dst = append(String(Comma(dst), name), ':')
			dst = append(dst, raw...)
		}
	}
	return dst
}

// Strings appends an array of strings.
func Strings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for _, text := range list {
		dst = String(Comma(dst), text)
	}
	return append(dst, ']')
}
