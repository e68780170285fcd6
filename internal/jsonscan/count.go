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
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
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
