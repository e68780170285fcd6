package reflectschema

// check passes over the next value and reports whether it is known to be valid:
// strict JSON that follows the rules.
func (c *rules) check(r *reader) bool {
	if r.peek() == 'n' {
		return c.null && r.literal("null")
	}
	c = c.resolved()
	switch r.peek() {
	case '"':
		text, ok := r.text()
		return ok && c.allowsText(text, &r.matched)
	case '{':
		if c.union != nil {
			return c.union.check(r)
		}
		return c.types&typeObject != 0 && c.choice == nil && c.checkObject(r)
	case '[':
		return c.types&typeArray != 0 && c.choice == nil && c.checkArray(r)
	case 't':
		return r.literal("true") && c.allowsBool(true)
	case 'f':
		return r.literal("false") && c.allowsBool(false)
	default:
		number, ok := r.number()
		return ok && c.allowsNumber(number)
	}
}

// allowsBool reports whether a bool is known to be valid.
func (c *rules) allowsBool(b bool) bool {
	return c.types&typeBool != 0 && (c.choice == nil || c.choice.boolean(b))
}

// allowsText reports whether a string is known to be valid; see [textRules.allows].
func (c *rules) allowsText(text []byte, matched *int) bool {
	if c.types&typeString == 0 || !c.text.allows(text, matched) {
		return false
	}
	return c.choice == nil || c.choice.hasText(text)
}

// allowsWritten is allowsText for a string at the end of so many bytes that are written. Writing keeps no count of the
// matching: all that is written counts as matched with the pattern at hand, which is more.
func (c *rules) allowsWritten(text []byte, written int) bool {
	matched := 0
	if c.text.pattern != nil {
		matched = c.text.pattern.work(max(written-len(text), 0))
	}
	return c.allowsText(text, &matched)
}

// chosen is allowsText for a string that is to be kept: one that the schema lists
// need not be copied.
func (c *rules) chosen(text []byte, matched *int) (string, bool) {
	switch {
	case c.types&typeString == 0 || !c.text.allows(text, matched):
		return "", false
	case c.choice != nil:
		return c.choice.text(text)
	default:
		return string(text), true
	}
}

// allowsInt reports whether an integer is known to be valid.
func (c *rules) allowsInt(i int64) bool {
	return c.types&typeInteger != 0 && c.number.allowsInt(i) && (c.choice == nil || c.choice.integer(i))
}

// allowsNumber reports whether a number is known to be valid.
func (c *rules) allowsNumber(number []byte) bool {
	in := reader{data: number}
	if i, ok := in.integer(); ok {
		return c.allowsInt(i)
	}
	if c.types&typeFraction == 0 {
		return false // it may still be an integer, such as 1.0
	}
	if c.choice == nil && c.number.bounds == nil && c.number.unit.value == 0 {
		return true
	}
	_, f, ok := (&reader{data: number}).float()
	return ok && c.allowsFloat(number, f)
}

// allowsFloat reports whether a number, of which f is the float64, is known to be
// valid where fractions are.
func (c *rules) allowsFloat(number []byte, f float64) bool {
	return c.number.allows(number, f) && (c.choice == nil || c.choice.fraction(f, short(number)))
}

func (c *rules) checkArray(r *reader) bool {
	if !r.open('[') {
		return false
	}
	each, n := c.list.each(), 0
	if !r.empty(']') {
		for more := true; more; n++ {
			if c.list.isFull(n) || !each.check(r) {
				return false
			}
			var ok bool
			if more, ok = r.next(']'); !ok {
				return false
			}
		}
	}
	return c.list.allowsLength(n) && (!c.list.unique || n < 2)
}

func (c *rules) checkObject(r *reader) bool {
	if !r.open('{') {
		return false
	}
	var seen nameSet
	required := 0
	if !r.empty('}') {
		for more := true; more; {
			name, ok := r.name()
			if !ok || !seen.add(name) || !c.object.allowsName(name, &r.matched) {
				return false
			}
			member := c.object.member(name)
			if member == nil || !member.check(r) {
				return false
			}
			if c.object.required[string(name)] {
				required++
			}
			if more, ok = r.next('}'); !ok {
				return false
			}
		}
	}
	return required == len(c.object.required) && c.object.allowsLength(seen.size)
}

// nameSet holds the names of one object, to find those given twice.
type nameSet struct {
	size int
	few  [12][]byte
	many map[string]struct{} // all of them, once few is full
}

// add reports whether a name is new.
func (s *nameSet) add(name []byte) bool {
	if s.many == nil {
		for _, n := range s.few[:s.size] {
			if string(n) == string(name) {
				return false
			}
		}
		if s.size < len(s.few) {
			s.few[s.size] = name
			s.size++
			return true
		}
		s.many = make(map[string]struct{}, 2*len(s.few))
		for _, n := range s.few {
			s.many[string(n)] = struct{}{}
		}
	}
	if _, ok := s.many[string(name)]; ok {
		return false
	}
	s.many[string(name)] = struct{}{}
	s.size++
	return true
}
