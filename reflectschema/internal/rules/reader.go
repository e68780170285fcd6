package rules

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// Reader reads JSON for a plan: strict JSON as the front end wants it, in one
// pass, as long as it is written plainly. Every method that cannot go on says
// false, which means "don't know" and nothing worse; where the reader stands then
// does not matter.
type Reader struct {
	Data  []byte
	Pos   int
	Depth int // open arrays and objects

	Matched int // work of matching strings with patterns, see maxPlanMatch

	Memory Memory // for what is decoded; checks take none

	room []byte  // for the text of a string with escapes, see Text
	lent *[]byte // room, if that is borrowed
}

const (
	// longData is the size from which on it pays to borrow, in bytes.
	longData = 4 << 10
	// maxRoom is the largest room that is kept, in bytes.
	maxRoom = 256 << 10
)

// rooms is room for the texts of strings with escapes: to allocate it takes as long as to read the string.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// Borrow gives the reader room for the texts of strings with escapes if its data is long. Call Return when it has read.
func (r *Reader) Borrow() {
	if len(r.Data) < longData {
		return
	}
	if lent, ok := rooms.Get().(*[]byte); ok {
		r.room, r.lent = *lent, lent
	}
}

// Return gives back what Borrow has given.
func (r *Reader) Return() {
	if r.lent != nil && cap(r.room) <= maxRoom {
		*r.lent = r.room
		rooms.Put(r.lent)
	}
}

// Peek skips white space and returns the byte that follows, 0 at the end.
func (r *Reader) Peek() byte {
	if r.Pos < len(r.Data) && r.Data[r.Pos] > ' ' {
		return r.Data[r.Pos]
	}
	return r.peekAfterSpace()
}

func (r *Reader) peekAfterSpace() byte {
	for ; r.Pos < len(r.Data); r.Pos++ {
		switch c := r.Data[r.Pos]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

// Ended reports whether nothing but white space is left.
func (r *Reader) Ended() bool {
	r.Peek()
	return r.Pos == len(r.Data)
}

// Open steps into an object or an array, which starts with the byte c.
func (r *Reader) Open(c byte) bool {
	if r.Peek() != c || r.Depth >= authority.MaxDepth {
		return false
	}
	r.Pos++
	r.Depth++
	return true
}

// Empty steps out of the container just opened if it ends, with the byte c, at once.
func (r *Reader) Empty(c byte) bool {
	if r.Peek() != c {
		return false
	}
	r.Pos++
	r.Depth--
	return true
}

// Next moves on after a value in a container that ends with the byte c, which it
// leaves if that comes next.
func (r *Reader) Next(c byte) (more, ok bool) {
	switch r.Peek() {
	case ',':
		r.Pos++
		return true, true
	case c:
		r.Pos++
		r.Depth--
		return false, true
	default:
		return false, false
	}
}

// Literal reads true, false or null.
func (r *Reader) Literal(word string) bool {
	end := r.Pos + len(word)
	if end > len(r.Data) || string(r.Data[r.Pos:end]) != word {
		return false
	}
	r.Pos = end
	return true
}

// Name reads the name of a member and its colon. A name with escapes could be
// another spelling of one that was there before, and is not read.
func (r *Reader) Name() ([]byte, bool) {
	if r.Peek() != '"' {
		return nil, false
	}
	start := r.Pos + 1
	end, plain := StringEnd(r.Data, start)
	if !plain {
		return nil, false
	}
	r.Pos = end + 1
	if r.Peek() != ':' {
		return nil, false
	}
	r.Pos++
	return r.Data[start:end], true
}

// Text reads a string. What it returns is part of the data, or if there are
// escapes in it, memory that the next call uses again.
func (r *Reader) Text() ([]byte, bool) {
	if r.Peek() != '"' {
		return nil, false
	}
	start := r.Pos + 1
	end, plain := StringEnd(r.Data, start)
	switch {
	case plain:
		r.Pos = end + 1
		return r.Data[start:end], true
	case end < 0:
		return nil, false
	}
	first := end
	for !plain { // at the backslash at end
		if end, plain = StringEnd(r.Data, end+len(`\n`)); end < 0 {
			return nil, false
		}
	}
	if cap(r.room) < end-start {
		r.room = make([]byte, 0, end-start)
	}
	text, ok := unescape(r.room[:0], r.Data[start:end], first-start)
	if !ok {
		var err error
		text, err = jsontext.AppendUnquote(text[:0], r.Data[start-1:end+1])
		ok = err == nil
	}
	r.Pos = end + 1
	return text, ok
}

// unescape appends the text of a string whose first escape is at first, and has nothing that a string must not hold. It
// reports false if there is an escape of more than one character: \u, or one that does not exist.
func unescape(dst, text []byte, first int) ([]byte, bool) {
	for next := first; next >= 0; next = bytes.IndexByte(text, '\\') {
		if next+1 >= len(text) {
			return dst, false
		}
		c := unescaped[text[next+1]]
		if c == 0 {
			return dst, false
		}
		dst = append(append(dst, text[:next]...), c)
		text = text[next+len(`\n`):]
	}
	return append(dst, text...), true
}

// unescaped maps the character behind a backslash to what it stands for; 0 where that is not one character.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// StringEnd finds the quote that ends the string in data whose text starts at i. It stops
// before the first escape, and then plain is false; end is negative when there is
// anything that a string must not hold.
func StringEnd(data []byte, i int) (end int, plain bool) {
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
		if found := Special(binary.LittleEndian.Uint64(data[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(data) && PlainBytes[data[i]] {
		i++
	}
	return i
}

// Special marks, by its high bit, the first byte of v that a string may not hold as it is, or
// that is not ASCII. What it says of the bytes above that one may be wrong.
func Special(v uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := v^(ones*'"'), v^(ones*'\\')
	return (v | (v - ones*' ') | (quote - ones) | (slash - ones)) & highs
}

// PlainBytes marks the bytes that a string may hold as they are, one by one.
var PlainBytes = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
