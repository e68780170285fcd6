package rawjson

// skip validates the value at pos and moves past it. It walks nested
// containers in a loop, not by recursion, so that depth costs no stack.
func (s *Scanner) skip() {
	floor := s.depth
	for next := s.enter(); s.err == nil; {
		switch {
		case next:
			next = s.enter()
		case s.depth == floor:
			return
		default:
			next = s.advance()
		}
	}
}

// enter reads the scalar at pos, or enters the container there. It reports
// whether a value of the container comes next.
func (s *Scanner) enter() bool {
	switch c := s.peek(); kinds[c] {
	case String:
		s.str()
	case Number:
		s.number()
	case Bool, Null:
		s.literal(c)
	case Object:
		s.push(Object)
		s.skipPlainMembers()
		return s.advance()
	case Array:
		s.push(Array)
		return s.advance()
	default:
		s.fail("expected a value")
	}
	return false
}

// skipPlainMembers moves past the next members of the innermost open object as long as [plainScalar] can read them.
func (s *Scanner) skipPlainMembers() {
	for {
		_, end := s.plainName()
		if end == 0 {
			return
		}
		if end = plainScalar(s.data, end+1); end == 0 {
			return
		}
		s.pos, s.fresh = end, false
	}
}

// advance moves to the next value of the innermost open container and reports whether
// there is one. At the end of the container it leaves it.
func (s *Scanner) advance() bool {
	if s.inObject() {
		_, ok := s.Member()
		return ok
	}
	return s.Element()
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
