package rawjson

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is the upper limit of the depth that [New] accepts. Decoders of the
// values that a [Scanner] returns are recursive.
const MaxDepth = 1024

// ErrDepth means that containers are nested deeper than the scanner allows.
// The text may be valid JSON.
var ErrDepth = errors.New("JSON is nested too deeply")

// SyntaxError describes the first error in a JSON text.
type SyntaxError struct {
	Offset  int    // the number of bytes before the error
	Problem string // a phrase without the offset, such as "expected a colon, got '}'"
}

// tooEarly is the problem of a truncated text.
const tooEarly = "unexpected end of input"

// Error returns the problem and the offset, in one line.
func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + strconv.Itoa(e.Offset) + ": " + e.Problem
}

// Kind is the kind of a JSON value, which its first byte determines.
type Kind byte

// The kinds. Bool is the kind of both true and false.
const (
	Invalid Kind = 0 // no value starts here
	Null    Kind = 'n'
	Bool    Kind = 't'
	Number  Kind = '0'
	String  Kind = '"'
	Object  Kind = '{'
	Array   Kind = '['
)

// Scanner walks one JSON text. It is not safe for concurrent use. Use [New].
type Scanner struct {
	data    []byte
	pos     int
	depth   int
	max     int
	fresh   bool // no member or element of the innermost open container was read yet
	err     error
	scratch [nameLimit]byte // for the decoded text of names with escapes; longer ones are allocated
}

// nameLimit is longer than the member names that callers look for.
const nameLimit = 64

// New returns a scanner for the JSON text in data. Containers may nest
// maxDepth deep; 0, negative values and values above [MaxDepth] mean MaxDepth.
// The slices that the scanner returns are parts of data, except for names with
// escapes.
func New(data []byte, maxDepth int) Scanner {
	var s Scanner
	s.Reset(data, maxDepth)
	return s
}

// Reset sets s to the scanner that [New] returns, without copying a Scanner.
func (s *Scanner) Reset(data []byte, maxDepth int) {
	if maxDepth <= 0 || maxDepth > MaxDepth {
		maxDepth = MaxDepth
	}
	*s = Scanner{data: data, max: maxDepth}
}

// Valid returns an error unless data is exactly one JSON value, nested at most
// maxDepth deep (see [New]), with optional white space around it. The error is
// a [*SyntaxError] or [ErrDepth].
func Valid(data []byte, maxDepth int) error {
	s := New(data, maxDepth)
	s.Value()
	s.End()
	return s.Err()
}

// Lookup returns the value of a member of object, valid JSON or nil. It returns nil if object is not an object, or if the
// member is absent or null. If the member is repeated, the last value that is not null counts.
func Lookup(object []byte, name string) (value []byte) {
	if KindOf(object) != Object {
		return nil
	}
	s := New(object, 0)
	s.OpenObject()
	for found, ok := s.Member(); ok; found, ok = s.Member() {
		isWanted := string(found) == name
		if v := s.Value(); isWanted && KindOf(v) != Null {
			value = v
		}
	}
	return value
}

// Err returns the first error: nil, a [*SyntaxError], or [ErrDepth].
func (s *Scanner) Err() error { return s.err }

// Next returns the kind of the next value without reading it, [Invalid] if
// there is none or after an error.
func (s *Scanner) Next() Kind {
	if s.err != nil {
		return Invalid
	}
	return kinds[s.peek()]
}

// Offset returns the offset of the next byte that is not white space, where
// the next value starts; see [Scanner.Since].
func (s *Scanner) Offset() int {
	if s.err == nil {
		s.peek()
	}
	return s.pos
}

// Since returns the text of a container that was read to its end. Offset is
// the result of [Scanner.Offset] before the container was opened. It returns
// nil after an error.
func (s *Scanner) Since(offset int) []byte {
	if s.err != nil {
		return nil
	}
	return s.data[offset:s.pos:s.pos]
}

// OpenObject enters the object that comes next; [Scanner.Member] then returns
// its members. Any other value is an error.
func (s *Scanner) OpenObject() {
	if s.err == nil && s.peek() != '{' {
		s.fail("expected an object")
	}
	s.push()
}

// OpenArray enters the array that comes next; [Scanner.Element] then moves to
// its elements. Any other value is an error.
func (s *Scanner) OpenArray() {
	if s.err == nil && s.peek() != '[' {
		s.fail("expected an array")
	}
	s.push()
}

// Member moves to the next member of the innermost open object. It returns the decoded
// name, valid until the next call of Member, and true; the caller must then read the value
// with [Scanner.Value] or by opening it. At the end of the object it leaves the object and
// returns false. It also returns false after an error.
func (s *Scanner) Member() ([]byte, bool) {
	if !s.more('}') {
		return nil, false
	}
	raw, escaped := s.name()
	switch {
	case raw == nil:
		return nil, false
	case escaped:
		return AppendUnquoted(s.scratch[:0], raw), true
	default:
		return raw[1 : len(raw)-1], true
	}
}

// name reads the name of a member with its quotes, and moves past the colon. It returns nil after an error.
func (s *Scanner) name() (raw []byte, escaped bool) {
	if s.peek() != '"' {
		s.fail("expected a name")
		return nil, false
	}
	start := s.pos
	escaped = s.str()
	if s.err != nil {
		return nil, false
	}
	raw = s.data[start:s.pos]
	if s.peek() != ':' {
		s.fail("expected a colon")
		return nil, false
	}
	s.pos++
	return raw, escaped
}

// Element moves to the next element of the innermost open array and reports whether
// there is one; the caller must then read it. At the end of the array it leaves the array.
func (s *Scanner) Element() bool { return s.more(']') }

// Value reads the next value, of any kind, and returns its text without the
// white space around it. It returns nil after an error.
func (s *Scanner) Value() []byte {
	if s.err != nil {
		return nil
	}
	c := s.peek()
	start := s.pos
	switch kinds[c] {
	case String:
		s.str()
	case Number:
		end, ok := NumberEnd(s.data, start)
		if s.pos = end; !ok {
			s.fail("expected a digit")
		}
	case Bool, Null:
		s.literal(c)
	case Object:
		s.push()
		for _, ok := s.Member(); ok; _, ok = s.Member() {
			s.Value()
		}
	case Array:
		s.push()
		for s.Element() {
			s.Value()
		}
	default:
		s.fail("expected a value")
	}
	if s.err != nil {
		return nil
	}
	return s.data[start:s.pos:s.pos]
}

// End records an error if anything but white space is left.
func (s *Scanner) End() {
	if s.err != nil {
		return
	}
	if s.peek(); s.pos < len(s.data) {
		s.fail("unexpected data after the value")
	}
}

// more moves past the separator before the next member or element, or past
// the closing byte.
func (s *Scanner) more(closing byte) bool {
	if s.err != nil {
		return false
	}
	c := s.peek()
	switch {
	case c == closing:
		s.pos++
		s.depth--
		s.fresh = false
		return false
	case s.fresh:
		s.fresh = false
		return true
	case c == ',':
		s.pos++
		return true
	}
	s.fail("expected a comma or the end of the array or object")
	return false
}

// literal reads true, false or null; c is its first byte.
func (s *Scanner) literal(c byte) {
	word := "null"
	switch c {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	for i := range len(word) {
		if s.pos >= len(s.data) || s.data[s.pos] != word[i] {
			s.fail("expected true, false or null")
			return
		}
		s.pos++
	}
}

// push enters the container whose opening byte is at pos.
func (s *Scanner) push() {
	if s.err != nil {
		return
	}
	if s.depth >= s.max {
		s.err = ErrDepth
		return
	}
	s.depth++
	s.pos++
	s.fresh = true
}

// peek skips white space and returns the byte that follows, 0 at the end.
func (s *Scanner) peek() byte {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// fail records a problem at the current position, unless there is an error
// already.
func (s *Scanner) fail(problem string) {
	if s.err != nil {
		return
	}
	if s.pos >= len(s.data) {
		problem = tooEarly
	} else if strings.HasPrefix(problem, "expected") {
		found, _ := utf8.DecodeRune(s.data[s.pos:])
		problem += ", got " + strconv.QuoteRune(found)
	}
	s.err = &SyntaxError{Offset: min(s.pos, len(s.data)), Problem: problem}
}

// kinds maps the first byte of a value to its kind.
var kinds = [256]Kind{
	'{': Object, '[': Array, '"': String, 't': Bool, 'f': Bool, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// NumberEnd returns the offset after the number at pos: an optional minus, digits without a leading zero, an optional
// fraction, an optional exponent. If there is no valid number, ok is false, and end is the offset of the missing digit.
func NumberEnd(data []byte, pos int) (end int, ok bool) {
	if at(data, pos, '-') {
		pos++
	}
	first := pos
	pos = DigitsEnd(data, pos)
	switch {
	case pos == first:
		return pos, false
	case data[first] == '0':
		pos = first + 1
	}
	if at(data, pos, '.') {
		first = pos + 1
		if pos = DigitsEnd(data, first); pos == first {
			return pos, false
		}
	}
	if at(data, pos, 'e') || at(data, pos, 'E') {
		pos++
		if at(data, pos, '+') || at(data, pos, '-') {
			pos++
		}
		first = pos
		if pos = DigitsEnd(data, first); pos == first {
			return pos, false
		}
	}
	return pos, true
}

// DigitsEnd returns the offset after the digits at pos.
func DigitsEnd(data []byte, pos int) int {
	for pos < len(data) && data[pos]-'0' <= 9 {
		pos++
	}
	return pos
}

func at(data []byte, pos int, c byte) bool { return pos < len(data) && data[pos] == c }

// IsInteger reports whether raw, a valid JSON value or empty, is a number
// without fraction and exponent.
func IsInteger(raw []byte) bool {
	if len(raw) == 0 || kinds[raw[0]] != Number {
		return false
	}
	for _, c := range raw[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
