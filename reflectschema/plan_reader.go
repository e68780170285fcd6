package reflectschema

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads JSON for a plan: strict JSON as the front end wants it, in one
// pass, as long as it is written plainly. Every method that cannot go on says
// false, which means "don't know" and nothing worse; where the reader stands then
// does not matter.
type reader struct {
	data  []byte
	pos   int
	depth int // open arrays and objects

	matched int // work of matching strings with patterns, see maxPlanMatch
}

// peek skips white space and returns the byte that follows, 0 at the end.
func (r *reader) peek() byte {
	if r.pos < len(r.data) && r.data[r.pos] > ' ' {
		return r.data[r.pos]
	}
	return r.peekAfterSpace()
}

func (r *reader) peekAfterSpace() byte {
	for ; r.pos < len(r.data); r.pos++ {
		switch c := r.data[r.pos]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

// ended reports whether nothing but white space is left.
func (r *reader) ended() bool {
	r.peek()
	return r.pos == len(r.data)
}

// open steps into an object or an array, which starts with the byte c.
func (r *reader) open(c byte) bool {
	if r.peek() != c || r.depth >= maxDepth {
		return false
	}
	r.pos++
	r.depth++
	return true
}

// empty steps out of the container just opened if it ends, with the byte c, at once.
func (r *reader) empty(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.pos++
	r.depth--
	return true
}

// next moves on after a value in a container that ends with the byte c, which it
// leaves if that comes next.
func (r *reader) next(c byte) (more, ok bool) {
	switch r.peek() {
	case ',':
		r.pos++
		return true, true
	case c:
		r.pos++
		r.depth--
		return false, true
	default:
		return false, false
	}
}

// literal reads true, false or null.
func (r *reader) literal(word string) bool {
	end := r.pos + len(word)
	if end > len(r.data) || string(r.data[r.pos:end]) != word {
		return false
	}
	r.pos = end
	return true
}

// name reads the name of a member and its colon. A name with escapes could be
// another spelling of one that was there before, and is not read.
func (r *reader) name() ([]byte, bool) {
	if r.peek() != '"' {
		return nil, false
	}
	start := r.pos + 1
	end, plain := stringEnd(r.data, start)
	if !plain {
		return nil, false
	}
	r.pos = end + 1
	if r.peek() != ':' {
		return nil, false
	}
	r.pos++
	return r.data[start:end], true
}

// text reads a string. What it returns is part of the data unless there are
// escapes in it.
func (r *reader) text() ([]byte, bool) {
	if r.peek() != '"' {
		return nil, false
	}
	start := r.pos + 1
	end, plain := stringEnd(r.data, start)
	switch {
	case plain:
		r.pos = end + 1
		return r.data[start:end], true
	case end < 0:
		return nil, false
	}
	for end < len(r.data) && r.data[end] != '"' {
		if r.data[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.data) {
		return nil, false
	}
	text, err := jsontext.AppendUnquote(nil, r.data[start-1:end+1])
	r.pos = end + 1
	return text, err == nil
}

// stringEnd finds the quote that ends the string in data whose text starts at i. It stops
// before the first escape, and then plain is false; end is negative when there is
// anything that a string must not hold.
func stringEnd(data []byte, i int) (end int, plain bool) {
	for {
		i = skipPlain(data, i)
		if i >= len(data) {
			return -1, false
		}
		switch c := data[i]; {
		case c == '"':
			return i, true
		case c == '\\':
			return i, false
		case c < ' ':
			return -1, false
		default:
			char, size := utf8.DecodeRune(data[i:])
			if char == utf8.RuneError && size == 1 {
				return -1, false
			}
			i += size
		}
	}
}

// skipPlain returns the index of the first byte at or after i that a string may not
// hold as it is, or that is not ASCII; eight bytes at a time.
func skipPlain(data []byte, i int) int {
	for i+8 <= len(data) {
		if found := special(binary.LittleEndian.Uint64(data[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(data) && plainBytes[data[i]] {
		i++
	}
	return i
}

// special marks, by its high bit, the first byte of v that a string may not hold as it is, or
// that is not ASCII. What it says of the bytes above that one may be wrong.
func special(v uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := v^(ones*'"'), v^(ones*'\\')
	return (v | (v - ones*' ') | (quote - ones) | (slash - ones)) & highs
}

// plainBytes marks the bytes that a string may hold as they are, one by one.
var plainBytes = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
