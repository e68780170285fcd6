package jsonscan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string whose opening quote is at pos. It reports whether the
// string holds escapes.
func (s *Scanner) str() (escaped bool) {
	if s.err != nil {
		return false
	}
	end, escaped, problem := stringAt(s.data, s.pos)
	if s.pos = end; problem != "" {
		s.fail(problem)
	}
	return escaped
}

// StringEnd returns the offset behind the string whose opening quote is at pos, and whether it has escapes. It reports
// false if the string is not valid.
func StringEnd(data []byte, pos int) (end int, escaped, ok bool) {
	end, escaped, problem := stringAt(data, pos)
	return end, escaped, problem == ""
}

// stringAt is StringEnd with a problem, and its offset, if the string is not valid.
func stringAt(data []byte, pos int) (end int, escaped bool, problem string) {
	for pos++; ; {
		pos = TextEnd(data, pos)
		switch {
		case pos >= len(data):
			return pos, escaped, tooEarly
		case data[pos] == '"':
			return pos + 1, escaped, ""
		case data[pos] < ' ':
			return pos, escaped, "control character in a string: write it as an escape"
		case data[pos] != '\\':
			return pos, escaped, "invalid UTF-8 in a string"
		}
		escaped = true
		if pos, problem = escapeAt(data, pos); problem != "" {
			return pos, escaped, problem
		}
	}
}

// escapeAt returns the offset behind the escape at pos.
func escapeAt(data []byte, pos int) (end int, problem string) {
	pos++
	switch {
	case pos >= len(data):
		return pos, tooEarly
	case data[pos] != 'u' && unescaped[data[pos]] == 0:
		return pos - 1, "no such escape in a string"
	case data[pos] != 'u':
		return pos + 1, ""
	}
	r := hex4(data[pos+1:])
	if r < 0 {
		return pos - 1, "\\u in a string without four hexadecimal digits"
	}
	if !utf16.IsSurrogate(r) {
		return pos + 5, ""
	}
	rest := data[pos+5:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || utf16.DecodeRune(r, hex4(rest[2:])) == utf8.RuneError {
		return pos - 1, "half of a surrogate pair in a string"
	}
	return pos + 11, ""
}

// Unquote decodes raw, a valid JSON string with its quotes. It returns a part
// of raw when there is nothing to decode.
func Unquote(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	return AppendUnquoted(make([]byte, 0, len(inner)), raw)
}

// AppendUnquoted appends the text of raw, a valid JSON string with its quotes.
func AppendUnquoted(dst, raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		dst, raw = appendEscape(dst, raw[i:])
	}
}

// appendEscape appends the character of the valid escape that raw starts with, and returns what follows the escape.
func appendEscape(dst, raw []byte) (after, rest []byte) {
	if raw[1] != 'u' {
		return append(dst, unescaped[raw[1]]), raw[2:]
	}
	r := hex4(raw[2:])
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), raw[6:]
	}
	return utf8.AppendRune(dst, utf16.DecodeRune(r, hex4(raw[8:]))), raw[12:]
}

// Equal reports whether raw, a valid JSON value, is a string that says text, which holds
// no backslash.
func Equal(raw []byte, text string) bool {
	return KindOf(raw) == String && (string(raw[1:len(raw)-1]) == text || string(Unquote(raw)) == text)
}

// KindOf returns the kind of raw, a valid JSON value without white space
// around it; [Invalid] when it is empty.
func KindOf(raw []byte) Kind {
	if len(raw) == 0 {
		return Invalid
	}
	return kinds[raw[0]]
}

// hex4 reads four hexadecimal digits; -1 if they are not there.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unescaped maps the byte after a backslash to what the two stand for; 0 is no
// escape (and \u is not in the table).
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}
