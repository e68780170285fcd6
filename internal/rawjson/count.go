package rawjson

import "bytes"

// ValuesExceed reports whether text, which must be valid JSON, has more than most values. Containers and the values
// inside them are counted at every depth. An object counts twice, because as a map it takes several times the memory of
// any other value.
func ValuesExceed(text []byte, most int) bool {
	// Each value takes at least one byte, so most texts are too short to exceed the limit. The second condition is
	// cheap and avoids the loop for texts that consist mainly of long strings.
	if len(text) < most || bytes.Count(text, comma)+bytes.Count(text, array)+2*bytes.Count(text, object) < most {
		return false
	}
	n := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = SkipString(text, i)
		case ',', '[': // counts an empty array as if it had an element
			n++
		case '{':
			n += 2
		}
		if n > most {
			return true
		}
	}
	return false
}

var comma, array, object = []byte{','}, []byte{'['}, []byte{'{'}

// Sizes returns the number of members or elements of each object and array in text, in the order in which they begin,
// so that a decoder can allocate each of them with its final size. It returns nil if text is not valid JSON or nests
// more than maxDepth deep (see [New]).
func Sizes(text []byte, maxDepth int) []uint32 {
	if Valid(text, maxDepth) != nil {
		return nil
	}
	var sizes []uint32
	var open []int // the open containers, as indexes in sizes
	empty := false // the innermost open container has just been opened
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case ' ', '\t', '\n', '\r':
			continue
		case ']', '}':
			open = open[:len(open)-1]
			empty = false
			continue
		}
		if empty || c == ',' {
			sizes[open[len(open)-1]]++
		}
		empty = false
		switch c {
		case '[', '{':
			open = append(open, len(sizes))
			sizes = append(sizes, 0)
			empty = true
		case '"':
			i = SkipString(text, i)
		}
	}
	return sizes
}

// SkipString returns the index of the closing quote of the string that begins at i, or at least len(text) if there is
// none. It does not validate the string; see [StringEnd].
func SkipString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
