package authority

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// duplicates returns the indexes of the first two equal items of arr, zeros if there are none. It calls spend with the
// units of work.
func duplicates(arr []any, spend func(int)) (first, second int) {
	if len(arr) < 2 {
		return 0, 0
	}
	seed := maphash.MakeSeed()
	return duplicatesBy(func(text []byte) uint64 { return maphash.Bytes(seed, text) }, arr, spend)
}

// duplicatesBy is duplicates with a given hash function. Clients must not be able to predict the hashes.
func duplicatesBy(hashOf func([]byte) uint64, arr []any, spend func(int)) (first, second int) {
	// The keys are hashes, because the texts would take as much memory as the array. The map is not allocated with its
	// final size, because the first two items may be equal.
	seen := map[uint64]int{}
	var buf, other []byte
	for i, item := range arr {
		buf = appendCanonical(buf[:0], item)
		spend(1 + len(buf)/bytesWork)
		hash := hashOf(buf)
		for first, taken := seen[hash]; taken; first, taken = seen[hash] {
			other = appendCanonical(other[:0], arr[first])
			if bytes.Equal(buf, other) {
				return first, i
			}
			hash++ // a collision, which is very rare: try the next key
		}
		seen[hash] = i
	}
	return 0, 0
}

// appendCanonical appends a text that is the same for two values exactly if they
// are equal in JSON Schema: members are sorted by name, numbers are written by
// value.
func appendCanonical(dst []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = append(jsondoc.AppendString(dst, name), ':')
			dst = append(appendCanonical(dst, v[name]), ',')
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = append(appendCanonical(dst, item), ',')
		}
		return append(dst, ']')
	case json.Number:
		return AppendDecimal(dst, string(v))
	case string:
		return jsondoc.AppendString(dst, v)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	default:
		return append(dst, "null"...)
	}
}

// AppendDecimal appends the value of the JSON number s as its significant digits
// and an exponent: 1, 1.0 and 10e-1 are all written as 1e0. Unlike exact
// arithmetic, it is as fast for 1e999 as for 1.
func AppendDecimal(dst []byte, s string) []byte {
	s, negative := strings.CutPrefix(s, "-")
	exp := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp, _ = strconv.Atoi(strings.TrimPrefix(s[i+1:], "+")) // at most three digits
		s = s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := whole + fraction
	exp -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed)
	trimmed = strings.TrimLeft(trimmed, "0")
	if trimmed == "" {
		return append(dst, '0')
	}
	if negative {
		dst = append(dst, '-')
	}
	return strconv.AppendInt(append(append(dst, trimmed...), 'e'), int64(exp), 10)
}
