package main

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner reads strict JSON (RFC 8259). After the first error it is bad, and its results are undefined.
type scanner struct {
	text []byte
	at   int
	bad  bool

	unescaped []byte // decoded strings that had escapes
}

// depth is the maximum nesting depth of skipped values.
const depth = 64

func (s *scanner) fail() { s.bad, s.at = true, len(s.text) }

// space skips white space and returns the byte after it, 0 at the end.
func (s *scanner) space() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take skips white space and the byte c, and reports whether c was next.
func (s *scanner) take(c byte) bool {
	if s.space() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(c byte) {
	if !s.take(c) {
		s.fail()
	}
}

// end fails unless only white space follows.
func (s *scanner) end() {
	if s.space(); s.at < len(s.text) {
		s.fail()
	}
}

// next moves to the next element or member of a container that ends with c; it reports whether there is one. first is
// true before the first call.
func (s *scanner) next(c byte, first *bool) bool {
	if s.take(c) || s.bad {
		return false
	}
	if !*first {
		s.expect(',')
	}
	*first = false
	return !s.bad
}

// member moves to the next member of an object and returns its name.
func (s *scanner) member(first *bool) (name []byte, ok bool) {
	if !s.next('}', first) {
		return nil, false
	}
	name = s.str()
	s.expect(':')
	return name, !s.bad
}

// ordinary is the set of unescaped ASCII bytes in strings.
var ordinary = func() (set [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

// ordinaryUntil returns the index of the first byte of text, starting at at, that is not ordinary. It checks eight
// bytes at a time.
func ordinaryUntil[T string | []byte](text T, at int) int {
	for ; at+8 <= len(text); at += 8 {
		part := text[at : at+8]
		v := uint64(part[0]) | uint64(part[1])<<8 | uint64(part[2])<<16 | uint64(part[3])<<24 |
			uint64(part[4])<<32 | uint64(part[5])<<40 | uint64(part[6])<<48 | uint64(part[7])<<56
		const ones, highs = 0x0101010101010101, 0x8080808080808080
		quote, backslash := v^ones*'"', v^ones*'\\'
		if (v|(v-ones*' ')|(quote-ones)|(backslash-ones))&highs != 0 {
			break
		}
	}
	for at < len(text) && ordinary[text[at]] {
		at++
	}
	return at
}

// str reads a string. The result is part of the text, unless it has escapes.
func (s *scanner) str() []byte {
	s.expect('"')
	text, begin := s.text, s.at
	at := ordinaryUntil(text, begin)
	if at < len(text) && text[at] == '"' {
		s.at = at + 1
		return text[begin:at]
	}
	return s.unusual(begin, at)
}

// unusual reads the rest of a string that starts at begin and is ordinary up to at.
func (s *scanner) unusual(begin, at int) []byte {
	text := s.text
	start := len(s.unescaped)
	isEscaped := false
	for at < len(text) {
		if at = ordinaryUntil(text, at); at == len(text) {
			break
		}
		switch c := text[at]; {
		case c == '"':
			s.at = at + 1
			if isEscaped {
				s.unescaped = append(s.unescaped, text[begin:at]...)
				return s.unescaped[start:]
			}
			return text[begin:at]
		case c == '\\':
			s.unescaped = append(s.unescaped, text[begin:at]...)
			isEscaped = true
			s.at = at + 1
			s.unescaped = utf8.AppendRune(s.unescaped, s.escape())
			if s.bad {
				return nil
			}
			at, begin = s.at, s.at
		case c < ' ':
			s.fail()
			return nil
		case c < utf8.RuneSelf:
			at++
		default:
			r, size := utf8.DecodeRune(text[at:])
			if r == utf8.RuneError && size == 1 {
				s.fail()
				return nil
			}
			at += size
		}
	}
	s.fail()
	return nil
}

// escape reads an escape after the backslash.
func (s *scanner) escape() rune {
	if s.at == len(s.text) {
		s.fail()
		return 0
	}
	c := s.text[s.at]
	s.at++
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i])
	}
	if c != 'u' {
		s.fail()
		return 0
	}
	r := s.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if s.bad || !bytes.HasPrefix(s.text[s.at:], []byte(`\u`)) {
		s.fail()
		return 0
	}
	s.at += len(`\u`)
	r = utf16.DecodeRune(r, s.hex())
	if r == utf8.RuneError {
		s.fail()
	}
	return r
}

func (s *scanner) hex() rune {
	if s.at+4 > len(s.text) {
		s.fail()
		return 0
	}
	n, err := strconv.ParseUint(string(s.text[s.at:s.at+4]), 16, 16)
	if err != nil {
		s.fail()
		return 0
	}
	s.at += 4
	return rune(n)
}

// number reads a number and reports whether it consists only of digits after an optional minus.
func (s *scanner) number() (text []byte, isPlain bool) {
	s.space()
	begin := s.at
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	if whole := s.digits(); whole == 0 || whole > 1 && s.text[s.at-whole] == '0' {
		s.fail()
		return nil, false
	}
	isPlain = true
	if s.at < len(s.text) && s.text[s.at] == '.' {
		isPlain = false
		s.at++
		if s.digits() == 0 {
			s.fail()
			return nil, false
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		isPlain = false
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			s.fail()
			return nil, false
		}
	}
	return s.text[begin:s.at], isPlain
}

// digits skips digits and returns their number.
func (s *scanner) digits() int {
	begin := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' < 10 {
		s.at++
	}
	return s.at - begin
}

// integer reads a number without a fraction.
func (s *scanner) integer() int {
	text, isPlain := s.number()
	if isPlain && len(text) < 18 {
		n, i := 0, 0
		if text[0] == '-' {
			i = 1
		}
		for _, c := range text[i:] {
			n = n*10 + int(c-'0')
		}
		if i == 1 {
			n = -n
		}
		return n
	}
	f := s.parse(text)
	n := int(f)
	if float64(n) != f {
		s.fail()
	}
	return n
}

// float reads a number.
func (s *scanner) float() float64 {
	text, _ := s.number()
	return s.parse(text)
}

func (s *scanner) parse(text []byte) float64 {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		s.fail()
	}
	return f
}

// boolean reads true or false.
func (s *scanner) boolean() bool {
	if s.space() == 't' {
		s.word("true")
		return true
	}
	s.word("false")
	return false
}

func (s *scanner) word(word string) {
	if end := s.at + len(word); end > len(s.text) || string(s.text[s.at:end]) != word {
		s.fail()
		return
	}
	s.at += len(word)
}

// skip reads any value.
func (s *scanner) skip(levels int) {
	if levels == 0 {
		s.fail()
		return
	}
	first := true
	switch s.space() {
	case '{':
		s.at++
		for _, ok := s.member(&first); ok; _, ok = s.member(&first) {
			s.skip(levels - 1)
		}
	case '[':
		s.at++
		for s.next(']', &first) {
			s.skip(levels - 1)
		}
	case '"':
		s.str()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}
