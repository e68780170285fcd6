package rules

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
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
	start := r.Pos
	end, escaped, ok := jsonscan.StringEnd(r.Data, start)
	if escaped || !ok {
		return nil, false
	}
	r.Pos = end
	if r.Peek() != ':' {
		return nil, false
	}
	r.Pos++
	return r.Data[start+1 : end-1], true
}

// Text reads a string. What it returns is part of the data, or if there are
// escapes in it, memory that the next call uses again.
func (r *Reader) Text() ([]byte, bool) {
	if r.Peek() != '"' {
		return nil, false
	}
	end, escaped, ok := jsonscan.StringEnd(r.Data, r.Pos)
	if !ok {
		return nil, false
	}
	raw := r.Data[r.Pos:end]
	r.Pos = end
	if !escaped {
		return raw[1 : len(raw)-1], true
	}
	if cap(r.room) < len(raw) {
		r.room = make([]byte, 0, len(raw))
	}
	r.room = jsonscan.AppendUnquoted(r.room[:0], raw)
	return r.room, true
}
