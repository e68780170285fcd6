package jsonscan

// skip validates the value at pos and moves past it. It walks nested
// containers in a loop, so that depth costs no stack.
func (s *Scanner) skip() {
	floor := s.depth
	for s.err == nil {
		if s.enter() {
			continue // the first member or element of a container comes next
		}
		if s.leave(floor) {
			return
		}
	}
}

// enter reads the scalar at pos, or steps into the container there. It reports
// whether a value comes next: the container's first.
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
		if s.err == nil && s.peek() != '}' {
			s.fresh = false
			s.key()
			return true
		}
	case Array:
		s.push(Array)
		if s.err == nil && s.peek() != ']' {
			s.fresh = false
			return true
		}
	default:
		s.fail("a value must stand here")
	}
	return false
}

// leave moves on after a value: to the next one of the same container, or out
// of every container that ends here. It reports whether it is back at floor.
func (s *Scanner) leave(floor int) bool {
	for s.err == nil {
		if s.depth == floor {
			return true
		}
		object := s.inObject()
		closing := byte(']')
		if object {
			closing = '}'
		}
		if !s.more(closing) {
			continue // out of a container, or an error
		}
		if object {
			s.key()
		}
		return false
	}
	return false
}

// key reads a member name nobody asked for, and its colon.
func (s *Scanner) key() {
	if s.err == nil && s.peek() != '"' {
		s.fail("a member name must stand here")
		return
	}
	s.str()
	s.colon()
}

// literal reads true, false or null, of which c is the first byte.
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
			s.fail("only true, false and null are words")
			return
		}
		s.pos++
	}
}
