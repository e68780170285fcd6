package jsonscan

import "bytes"

// ValuesExceed reports whether text, which is valid JSON, holds more than most values: members and elements at any
// depth, those that hold others included. An object counts twice: as a map it takes several times the memory of any other
// value.
func ValuesExceed(text []byte, most int) bool {
	// What counts as one takes a byte at least, so most texts are too short to be counted. Others are mostly strings.
	if len(text) < most || bytes.Count(text, comma)+bytes.Count(text, array)+2*bytes.Count(text, object) < most {
		return false
	}
	n := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
		case ',', '[': // counts an empty container as if it held a value
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

// Sizes returns the number of members or elements of each object and array in text, in the order in which they begin, or
// nil if text is not valid JSON, nested at most maxDepth deep. A decoder of a large text can then allocate each of them
// at its size.
func Sizes(text []byte, maxDepth int) []uint32 {
	if Valid(text, maxDepth) != nil {
		return nil
	}
	var sizes []uint32
	var open []int // the open containers, as indices of sizes
	empty := false // the innermost has no part yet
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
			i = stringEnd(text, i)
		}
	}
	return sizes
}

// stringEnd returns the index of the quote that ends the string that begins at i, or at least len(text) if there is none.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
