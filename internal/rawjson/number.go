package rawjson

// number validates the number at pos and moves past it.
func (s *Scanner) number() {
	end, ok := NumberEnd(s.data, s.pos)
	if s.pos = end; !ok {
		s.fail("expected a digit")
	}
}

// NumberEnd returns the offset after the number at pos: an optional minus, digits without a leading zero, an optional
// fraction, an optional exponent. If there is no valid number, ok is false, and end is the offset of the missing digit.
func NumberEnd(data []byte, pos int) (end int, ok bool) {
	if at(data, pos, '-') {
		pos++
	}
	first := pos
	pos = digitsEnd(data, pos)
	switch {
	case pos == first:
		return pos, false
	case data[first] == '0':
		pos = first + 1
	}
	if at(data, pos, '.') {
		first = pos + 1
		if pos = digitsEnd(data, first); pos == first {
			return pos, false
		}
	}
	if at(data, pos, 'e') || at(data, pos, 'E') {
		pos++
		if at(data, pos, '+') || at(data, pos, '-') {
			pos++
		}
		first = pos
		if pos = digitsEnd(data, first); pos == first {
			return pos, false
		}
	}
	return pos, true
}

// digitsEnd returns the offset after the digits at pos.
func digitsEnd(data []byte, pos int) int {
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
