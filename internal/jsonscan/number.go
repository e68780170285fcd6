package jsonscan

// number reads a number: an optional minus, digits without a leading zero, an
// optional fraction, an optional exponent.
func (s *Scanner) number() {
	data, pos := s.data, s.pos
	if data[pos] == '-' {
		pos++
	}
	first := pos
	for pos < len(data) && '0' <= data[pos] && data[pos] <= '9' {
		pos++
	}
	if pos > first && data[first] == '0' {
		pos = first + 1
	}
	s.pos = pos
	switch {
	case pos == first:
		s.fail("a digit must stand here")
	case pos < len(data) && (data[pos] == '.' || data[pos]|0x20 == 'e'):
		s.fraction()
	}
}

// fraction reads what follows the digits of a number that is not written as an integer.
func (s *Scanner) fraction() {
	if s.at('.') {
		s.pos++
		if !s.digits() {
			return
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		s.digits()
	}
}

// digits reads one digit or more.
func (s *Scanner) digits() bool {
	end := s.pos
	for end < len(s.data) && '0' <= s.data[end] && s.data[end] <= '9' {
		end++
	}
	if s.pos == end {
		s.fail("a digit must stand here")
		return false
	}
	s.pos = end
	return true
}

func (s *Scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

// IsInteger reports whether raw, a valid JSON value, is a number written
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
