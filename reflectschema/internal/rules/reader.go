package rules

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// Reader reads strict JSON, as [authority.Parse] accepts it, in one pass. It does
// not support unusual spellings. A method that returns false did not find what it
// reads, or does not support its spelling; it does not mean that the JSON is
// invalid. The position of the reader is then undefined.
type Reader struct {
	Data  []byte
	Pos   int
	Depth int // open arrays and objects

	Matched int // work of matching strings with patterns, see [authority.MaxPlanMatch]

	Memory Memory // limits decoded values; checks do not use it

	room []byte  // for the text of strings with escapes, see Text
	lent *[]byte // from rooms, if room was borrowed
}

const (
	// LongData is the size of data, in bytes, from which on Borrow is worth its cost.
	LongData = 4 << 10
	// maxRoom is the capacity of the largest room that is kept, in bytes.
	maxRoom = 256 << 10
)

// rooms is a pool of buffers for the texts of strings with escapes. Allocating one takes as long as reading the string.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// Borrow takes a buffer from a pool for the texts of strings with escapes. The caller must call Return after reading.
func (r *Reader) Borrow() {
	if lent, ok := rooms.Get().(*[]byte); ok {
		r.room, r.lent = *lent, lent
	}
}

// Return returns the buffer that Borrow has taken.
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

// Open enters an object or array, which starts with the first byte and ends with the last. It reports whether it contains
// values; if it is empty, Open leaves it.
func (r *Reader) Open(first, last byte) (more, ok bool) {
	if r.Peek() != first || r.Depth >= authority.MaxDepth {
		return false, false
	}
	r.Pos++
	if r.Peek() == last {
		r.Pos++
		return false, true
	}
	r.Depth++
	return true, true
}

// Next moves past the comma after a value in a container, or past the closing byte c,
// which leaves the container. It reports whether more values follow.
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

// Name reads the name of a member and its colon.
func (r *Reader) Name() ([]byte, bool) {
	if r.Peek() != '"' {
		return nil, false
	}
	start := r.Pos
	end, escaped, problem := rawjson.StringEnd(r.Data, start)
	if problem != "" {
		return nil, false
	}
	r.Pos = end
	if r.Peek() != ':' {
		return nil, false
	}
	r.Pos++
	if escaped {
		return rawjson.Unquote(r.Data[start:end]), true
	}
	return r.Data[start+1 : end-1], true
}

// Text reads a string. The result is a part of the data or, if the string has
// escapes, only valid until the next call.
func (r *Reader) Text() ([]byte, bool) {
	if r.Peek() != '"' {
		return nil, false
	}
	end, escaped, problem := rawjson.StringEnd(r.Data, r.Pos)
	if problem != "" {
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
	r.room = rawjson.AppendUnquoted(r.room[:0], raw)
	return r.room, true
}

// Value reads the next value, which must be valid JSON, and returns its text.
func (r *Reader) Value() []byte {
	r.Peek()
	s := rawjson.New(r.Data[r.Pos:], rawjson.MaxDepth)
	raw := s.Value()
	r.Pos += len(raw)
	return raw
}

// Memory is how many bytes of memory a decoded value may still take. It is negative after the limit was exceeded. A nil
// Memory is unlimited.
type Memory int

// Take subtracts bytes, and reports whether the limit was not exceeded.
func (m *Memory) Take(bytes int) bool {
	if m == nil {
		return true
	}
	*m -= Memory(bytes)
	return *m >= 0
}

// Has reports whether bytes are left.
func (m *Memory) Has(bytes int) bool { return m == nil || *m >= Memory(bytes) }
