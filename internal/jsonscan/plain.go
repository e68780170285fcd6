package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// plainName returns where the name of the next member of the innermost open object begins and ends, with its quotes, if it
// is written as encoders write it: without escapes, and with no white space before it and before its colon. Otherwise end is
// 0.
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

// plainScalar returns the offset behind the value at pos if it is a plain string or an integer, with a comma or the end
// of a container right behind an integer; otherwise 0.
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

// plainString returns the offset behind the string at pos if it is ASCII without escapes, and 0 if anything else is there.
func plainString(data []byte, pos int) (end int) {
	if pos >= len(data) || data[pos] != '"' {
		return 0
	}
	if end = plainEnd(data, pos+1); end >= len(data) || data[end] != '"' {
		return 0
	}
	return end + 1
}

// plainEnd returns the offset of the first byte at or after pos that a string may not hold as it is, or that is not ASCII.
func plainEnd(data []byte, pos int) int {
	const word = 8
	for ; pos+word <= len(data); pos += word {
		if found := plainBytes(binary.LittleEndian.Uint64(data[pos:])); found < word {
			return pos + found
		}
	}
	for pos < len(data) && plain[data[pos]] {
		pos++
	}
	return pos
}

// plainBytes returns how many of the bytes of v, from the first on, are plain.
func plainBytes(v uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := v^ones*'"', v^ones*'\\'
	// Each term marks, by its high bit, the first byte that is not plain for one reason; what
	// it says of the bytes above that one may be wrong.
	found := v | (v - ones*' ') | (quote - ones) | (backslash - ones)
	return bits.TrailingZeros64(found&highs) / 8
}

// plain marks the bytes a string may hold as they are, one at a time: ASCII
// but quotes, backslashes and control characters.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
