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
	s.pos++
	for s.pos < len(s.data) {
		s.pos = plainEnd(s.data, s.pos)
		if s.pos >= len(s.data) {
			break
		}
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return escaped
		case c == '\\':
			escaped = true
			if !s.escape() {
				return escaped
			}
		case c < ' ':
			s.fail("control characters in strings are written as escapes")
			return escaped
		default:
			_, size := utf8.DecodeRune(s.data[s.pos:])
			if size == 1 {
				s.fail("strings are UTF-8")
				return escaped
			}
			s.pos += size
		}
	}
	s.fail("the string is not closed")
	return escaped
}

// escape reads the escape whose backslash is at pos.
func (s *Scanner) escape() bool {
	s.pos++
	if s.pos >= len(s.data) {
		s.fail("the string is not closed")
		return false
	}
	c := s.data[s.pos]
	if c != 'u' {
		if unescaped[c] == 0 {
			s.fail("no such escape")
			return false
		}
		s.pos++
		return true
	}
	r := hex4(s.data[s.pos+1:])
	if r < 0 {
		s.fail("\\u takes four hexadecimal digits")
		return false
	}
	if !utf16.IsSurrogate(r) {
		s.pos += 5
		return true
	}
	rest := s.data[s.pos+5:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || utf16.DecodeRune(r, hex4(rest[2:])) == utf8.RuneError {
		s.fail("surrogate escapes come in pairs")
		return false
	}
	s.pos += 11
	return true
}

// Unquote decodes raw, a valid JSON string with its quotes. It returns a part
// of raw when there is nothing to decode.
func Unquote(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	out := make([]byte, len(inner))
	return out[:unquote(out[:0], raw, len(inner))]
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

// unquote decodes raw, a valid JSON string with its quotes, behind dst, of
// which at most limit bytes are used, and returns the length of the result.
func unquote(dst, raw []byte, limit int) int {
	var enc [utf8.UTFMax]byte
	for raw = raw[1 : len(raw)-1]; len(raw) > 0; {
		n, one := 1, raw[:1]
		if raw[0] == '\\' {
			n, one = decodeEscape(enc[:0], raw)
		}
		if len(dst)+len(one) > limit {
			break
		}
		dst = append(dst, one...)
		raw = raw[n:]
	}
	return len(dst)
}

// decodeEscape decodes the valid escape that raw starts with: how many bytes
// it takes, and what it stands for, appended to enc.
func decodeEscape(enc, raw []byte) (int, []byte) {
	if raw[1] != 'u' {
		return 2, append(enc, unescaped[raw[1]])
	}
	r := hex4(raw[2:])
	if !utf16.IsSurrogate(r) {
		return 6, utf8.AppendRune(enc, r)
	}
	return 12, utf8.AppendRune(enc, utf16.DecodeRune(r, hex4(raw[8:])))
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
