// Package rawjson reads and writes JSON text without building a tree.
//
// A [Scanner] walks one JSON text from left to right. Its caller opens the
// objects and arrays it is interested in and gets everything else as raw,
// validated slices of the input:
//
//	s := rawjson.New(line, 256)
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
// A message is thus validated and split in one pass. The grammar is strictly
// that in RFC 8259. In addition, strings must be valid UTF-8 and surrogate
// escapes must come in pairs, because other text cannot be decoded without
// loss. Nesting is bounded and does not use the call stack, so deeply nested
// text costs no more than other text of the same length. The scanner allocates
// only for errors, for containers nested deeper than 64, and for names that
// have escapes and are longer than 64 bytes. It does not reject duplicate
// member names; callers check those that matter to them.
//
// Errors are sticky: after the first one every method returns zero values, so
// callers check [Scanner.Err] once, at the end.
//
// [Unquote], [AppendUnquoted], [Equal], [KindOf] and [IsInteger] interpret the
// raw slices.
//
// The functions named Append write JSON text, for code that knows the structure
// of its output. [AppendString], [AppendStrings] and [AppendText] write valid
// UTF-8 without line breaks for any input; the others document what they
// require.
package rawjson
