package rawjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// plainName returns where the name of the next member of the innermost open object begins and ends, including its
// quotes, if the name is written as encoders usually write it: ASCII without escapes, with no white space before it and
// before its colon. Otherwise end is 0.
func (s *Scanner) plainName() (start, end int) {
	data, pos := s.data, s.pos
	if !s.fresh {
		if pos >= len(data) || data[pos] != ',' {
			return 0, 0
		}
		pos++
	}
	end = plainString(data, pos)
	if end == 0 || end >= len(data) || data[end] != ':' || s.err != nil {
		return 0, 0
	}
	return pos, end
}

// plainScalar returns the offset after the value at pos if it is a plain string, or a non-negative integer directly
// before a comma or the end of a container; otherwise 0.
func plainScalar(data []byte, pos int) (end int) {
	if pos >= len(data) {
		return 0
	}
	if data[pos] == '"' {
		return plainString(data, pos)
	}
	end = pos
	for end < len(data) && data[end]-'0' <= 9 {
		end++
	}
	if end == len(data) || end == pos || data[pos] == '0' && end > pos+1 {
		return 0
	}
	if c := data[end]; c != ',' && c != '}' && c != ']' {
		return 0
	}
	return end
}

// plainString returns the offset after the string at pos if it is ASCII without escapes; otherwise 0.
func plainString(data []byte, pos int) (end int) {
	if pos >= len(data) || data[pos] != '"' {
		return 0
	}
	if end = plainEnd(data, pos+1); end >= len(data) || data[end] != '"' {
		return 0
	}
	return end + 1
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
