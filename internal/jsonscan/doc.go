// Package jsonscan checks JSON text and finds the parts of it, without
// building anything.
//
// A [Scanner] walks one JSON text from left to right. Its caller opens the
// objects and arrays it is interested in and takes everything else as a raw
// slice of the input, already known to be valid:
//
//	s := jsonscan.New(line, 256)
//	s.OpenObject()
//	for name, ok := s.Member(); ok; name, ok = s.Member() {
//		if string(name) == "method" {
//			method = s.Value()
//			continue
//		}
//		s.Value()
//	}
//	s.End()
//	if err := s.Err(); err != nil { … }
//
// So a message is validated and taken apart in one pass. The grammar is RFC
// 8259, strictly; beyond it, strings must be valid UTF-8 and their surrogate
// escapes must come in pairs, because text that breaks this cannot be decoded
// without loss. Nesting is bounded and needs no stack: a depth bomb costs what
// any other text of its length costs. Nothing is allocated, unless containers
// nest deeper than 64. Repeated member names are for the caller to judge; only it knows
// which matter.
//
// Errors stick: after the first one every method gives its zero answer, so a
// caller checks [Scanner.Err] once, at the end.
//
// [Unquote] and its siblings read the raw slices.
package jsonscan
