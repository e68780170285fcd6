package jsonwrite

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Minimal appends text, which must be valid UTF-8, as a JSON string with the fewest escapes (RFC 8259, section 7). [String]
// also escapes DEL.
func Minimal(dst []byte, text string) []byte {
	dst = append(slices.Grow(GrowForString(dst, text), len(text)+len(`""`)), '"')
	start := 0
	for i := minimalUntil(text, 0); i < len(text); i = minimalUntil(text, i+1) {
		dst = escape(append(dst, text[start:i]...), text[i], escapes[text[i]])
		start = i + 1
	}
	return append(append(dst, text[start:]...), '"')
}

// minimalUntil returns the index of the first byte at or after i that must be escaped, or the length of text.
func minimalUntil(text string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+word <= len(text); i += word {
		v := wordAt(text, i)
		controls := (v - ones*' ') & ^v & highs // exact up to the first
		if found := controls | quoteOrBackslash(v); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// ValidUTF8 returns text with U+FFFD in place of each byte that is not UTF-8.
func ValidUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune { return r }, text)
}

const (
	word, half = 8, 4 // bytes that are loaded at once

	// ShortText is the length in bytes up to which [Short] appends strings.
	ShortText = 4 * word
	shortRoom = ShortText + len(`""`)
)

// Short appends a plain text of at most [ShortText] bytes as a JSON string: ASCII that needs no escapes. It reports false, and
// returns dst, if the text is not plain or dst has no capacity for the longest one.
//
// It copies and checks words, which may overlap. That takes a third fewer instructions than calling copy and checking the bytes.
func Short(dst []byte, text string) ([]byte, bool) {
	start, n := len(dst), len(text)
	if cap(dst)-start < shortRoom || n > ShortText {
		return dst, false
	}
	room := (*[shortRoom]byte)(dst[start : start+shortRoom])
	room[0] = '"'
	var special uint64
	switch out := room[1:]; {
	case n > 2*word:
		a, b := wordAt(text, 0), wordAt(text, word)
		c, d := wordAt(text, n-2*word), wordAt(text, n-word)
		binary.LittleEndian.PutUint64(out, a)
		binary.LittleEndian.PutUint64(out[word:], b)
		binary.LittleEndian.PutUint64(out[n-2*word:], c)
		binary.LittleEndian.PutUint64(out[n-word:], d)
		special = Special(a) | Special(b) | Special(c) | Special(d)
	case n >= word:
		a, b := wordAt(text, 0), wordAt(text, n-word)
		binary.LittleEndian.PutUint64(out, a)
		binary.LittleEndian.PutUint64(out[n-word:], b)
		special = Special(a) | Special(b)
	case n >= half:
		a, b := halfWordAt(text, 0), halfWordAt(text, n-half)
		binary.LittleEndian.PutUint32(out, a)
		binary.LittleEndian.PutUint32(out[n-half:], b)
		special = Special(uint64(a)<<32 | uint64(b))
	default:
		for i := range n {
			out[i] = text[i]
			if !PlainBytes[text[i]] {
				special = 1
			}
		}
	}
	if special != 0 {
		return dst, false
	}
	room[n+1] = '"'
	return dst[:start+n+len(`""`)], true
}

// Special sets the high bit of the first byte of v that is not plain. The bits of the bytes above that one may be wrong.
func Special(v uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := v^(ones*'"'), v^(ones*'\\')
	return (v | (v - ones*' ') | (quote - ones) | (slash - ones)) & highs
}

// PlainBytes contains the bytes of plain text: ASCII that a JSON string contains without escapes.
var PlainBytes = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// wordAt returns the eight bytes of s from i on, the first one lowest. The compiler makes one load of it.
func wordAt(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// halfWordAt returns the four bytes of s from i on, the first one lowest.
func halfWordAt(s string, i int) uint32 {
	b := s[i : i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
