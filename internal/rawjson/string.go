package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str validates the string whose opening quote is at pos and moves past it.
// It reports whether the string has escapes.
func (s *Scanner) str() (escaped bool) {
	end, escaped, problem := StringEnd(s.data, s.pos)
	if s.pos = end; problem != "" {
		s.fail(problem)
	}
	return escaped
}

// StringEnd returns the offset after the string whose opening quote is at pos, and whether it has escapes. If the
// string is not valid, problem describes the error, and end is its offset.
func StringEnd(data []byte, pos int) (end int, escaped bool, problem string) {
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

// escapeAt returns the offset after the escape at pos, or a problem and its offset.
func escapeAt(data []byte, pos int) (end int, problem string) {
	pos++
	switch {
	case pos >= len(data):
		return pos, tooEarly
	case data[pos] != 'u' && unescaped[data[pos]] == 0:
		return pos - 1, "invalid escape in a string"
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
		return pos - 1, "unpaired surrogate in a string"
	}
	return pos + 11, ""
}

// Unquote decodes raw, a valid JSON string with its quotes. If the string has
// no escapes, the result is a part of raw.
func Unquote(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	return AppendUnquoted(make([]byte, 0, len(inner)), raw)
}

// AppendUnquoted appends the decoded text of raw, a valid JSON string with its
// quotes.
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

// appendEscape appends the character of the valid escape at the start of raw, and returns the rest of raw. An escaped
// surrogate pair is one escape.
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

// Equal reports whether raw, a valid JSON value or empty, is a string whose decoded text
// is text. Text must not contain a backslash.
func Equal(raw []byte, text string) bool {
	return KindOf(raw) == String && (string(raw[1:len(raw)-1]) == text || string(Unquote(raw)) == text)
}

// KindOf returns the kind of raw, a valid JSON value without white space
// around it; [Invalid] if raw is empty.
func KindOf(raw []byte) Kind {
	if len(raw) == 0 {
		return Invalid
	}
	return kinds[raw[0]]
}

// hex4 returns the value of the first four bytes of b as hexadecimal digits,
// -1 if they are not.
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

// unescaped maps the byte after a backslash to the escaped character, 0 if
// there is no such escape. It does not contain \u.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// TextEnd returns the index of the first byte at or after i that a JSON string cannot contain unescaped: a quote, a
// backslash, a control character, or a byte that is not valid UTF-8. It returns len(data) if there is none.
func TextEnd(data []byte, i int) int {
	for {
		i = plainEnd(data, i)
		if i >= len(data) || data[i] < utf8.RuneSelf {
			return i
		}
		_, size := utf8.DecodeRune(data[i:])
		if size == 1 {
			return i
		}
		i += size
	}
}

// plainEnd returns the offset of the first byte at or after pos that is not in [Plain], len(data) if there is none.
func plainEnd(data []byte, pos int) int {
	const word = 8
	for ; pos+word <= len(data); pos += word {
		if found := Special(binary.LittleEndian.Uint64(data[pos:])); found != 0 {
			return pos + bits.TrailingZeros64(found)/8
		}
	}
	for pos < len(data) && Plain[data[pos]] {
		pos++
	}
	return pos
}

// Special returns a mask for v, eight bytes of text in little-endian order, in which the high bit of the first byte
// that is not in [Plain] is set; 0 if all bytes are in Plain. The high bits of later bytes may be wrong.
func Special(v uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := v^ones*'"', v^ones*'\\'
	return (v | (v - ones*' ') | (quote - ones) | (backslash - ones)) & highs
}

// Plain is the set of bytes that need no escape and no check for UTF-8 in a JSON string: ASCII from the space on,
// without quotes and backslashes.
var Plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
