package rules

import "github.com/mcptool-go/mcptool/internal/jsondoc"

// Check reads the next value and reports whether it is known to be valid: strict
// JSON that follows the rules.
func (c *Rules) Check(r *Reader) bool {
	if r.Peek() == 'n' {
		return c.Null && r.Literal("null")
	}
	c = c.Resolved()
	switch r.Peek() {
	case '"':
		text, ok := r.Text()
		return ok && c.AllowsText(text, &r.Matched)
	case '{':
		if c.Union != nil {
			return c.Union.check(r)
		}
		return c.Types&jsondoc.TypeObject != 0 && c.Choice == nil && c.checkObject(r)
	case '[':
		return c.Types&jsondoc.TypeArray != 0 && c.Choice == nil && c.checkArray(r)
	case 't':
		return r.Literal("true") && c.AllowsBool(true)
	case 'f':
		return r.Literal("false") && c.AllowsBool(false)
	default:
		number, ok := r.Number()
		return ok && c.AllowsNumber(number)
	}
}

// AllowsBool reports whether a bool is known to be valid.
func (c *Rules) AllowsBool(b bool) bool {
	return c.Types&jsondoc.TypeBool != 0 && (c.Choice == nil || c.Choice.boolean(b))
}

// AllowsText reports whether a string, which must be UTF-8, is known to be valid. It adds the work of matching a
// pattern to matched; beyond [authority.MaxPlanMatch] it does not match.
func (c *Rules) AllowsText(text []byte, matched *int) bool {
	ok := c.Types&jsondoc.TypeString != 0 && c.Text.allows(text, matched)
	if ok && c.Choice != nil {
		_, ok = c.Choice.text(text)
	}
	return ok
}

// AllowsWritten is [Rules.AllowsText] for encoding: text is the end of the bytes that were written so far, and written
// is their number. An encoder does not count the work of matching, so all bytes before text count as matched with the
// pattern of this string, as an upper estimate.
func (c *Rules) AllowsWritten(text []byte, written int) bool {
	matched := 0
	if c.Text.pattern != nil {
		matched = c.Text.pattern.Work(max(written-len(text), 0))
	}
	return c.AllowsText(text, &matched)
}

// Chosen is [Rules.AllowsText], but also returns the text as a string. If the text is
// a value of enum or const, it returns that string and does not allocate.
func (c *Rules) Chosen(text []byte, matched *int) (string, bool) {
	switch {
	case c.Types&jsondoc.TypeString == 0 || !c.Text.allows(text, matched):
		return "", false
	case c.Choice != nil:
		return c.Choice.text(text)
	default:
		return string(text), true
	}
}

// AllowsInt reports whether an integer is known to be valid.
func (c *Rules) AllowsInt(i int64) bool {
	return c.Types&jsondoc.TypeInteger != 0 && c.Number.allowsInt(i) && (c.Choice == nil || c.Choice.integer(i))
}

// AllowsNumber reports whether a number is known to be valid.
func (c *Rules) AllowsNumber(number []byte) bool {
	in := Reader{Data: number}
	if i, ok := in.Integer(); ok {
		return c.AllowsInt(i)
	}
	if c.Types&jsondoc.TypeFraction == 0 {
		return false // unknown: it may be an integer such as 1.0
	}
	if c.Choice == nil && c.Number.Bounds == nil && c.Number.Unit.Value == 0 {
		return true
	}
	f, ok := floatOf(number)
	return ok && c.AllowsFloat(number, f)
}

// AllowsFloat reports whether a number, which is f as a float64, is known to be
// valid. The caller must have checked that Types allows fractions.
func (c *Rules) AllowsFloat(number []byte, f float64) bool {
	return c.Number.allows(number, f) && (c.Choice == nil || c.Choice.fraction(f, short(number)))
}

func (c *Rules) checkArray(r *Reader) bool {
	more, ok := r.Open('[', ']')
	if !ok {
		return false
	}
	each, n := c.List.Each(), 0
	for ; more; n++ {
		if c.List.isFull(n) || !each.Check(r) {
			return false
		}
		if more, ok = r.Next(']'); !ok {
			return false
		}
	}
	return c.List.AllowsLength(n) && (!c.List.Unique || n < 2)
}

func (c *Rules) checkObject(r *Reader) bool {
	more, ok := r.Open('{', '}')
	if !ok {
		return false
	}
	var seen nameSet
	required := 0
	for more {
		name, ok := r.Name()
		if !ok || !seen.add(name) || !c.Object.AllowsName(name, &r.Matched) {
			return false
		}
		member := c.Object.Member(name)
		if member == nil || !member.Check(r) {
			return false
		}
		if c.Object.Required[string(name)] {
			required++
		}
		if more, ok = r.Next('}'); !ok {
			return false
		}
	}
	return required == len(c.Object.Required) && c.Object.AllowsLength(seen.size)
}

// nameSet is the set of names of one object, to find duplicates.
type nameSet struct {
	size int
	few  [12][]byte
	many map[string]struct{} // all names, once few is full; nil before
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
