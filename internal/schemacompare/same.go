package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Same reports whether two documents are certainly equivalent, because they have the same keywords except for
// annotations.
func Same(one, other *Document) bool {
	one.work, other.work = maxWork, maxWork
	e := equality{comparison: &comparison{sub: one, super: other}, open: map[[2]*jsondoc.Value]bool{}, exact: true}
	return one.draft7 == other.draft7 && e.schemas(one.root, other.root)
}

// same reports whether a schema of sub is equivalent to one of super. False may mean that it cannot decide.
func (c *comparison) same(a, b *jsondoc.Value) bool {
	e := equality{comparison: c, open: map[[2]*jsondoc.Value]bool{}}
	return c.sub.draft7 == c.super.draft7 && e.schemas(a, b)
}

// equality compares schemas structurally, following references.
type equality struct {
	*comparison
	open  map[[2]*jsondoc.Value]bool // pairs that were compared, which end recursion
	exact bool                       // anyOf differs from oneOf, even if they mean the same
}

func (e *equality) schemas(a, b *jsondoc.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	pair := [2]*jsondoc.Value{a, b}
	if e.open[pair] {
		return true // equal unless a difference is found elsewhere, which ends the comparison
	}
	e.open[pair] = true
	if !a.IsObject() || !b.IsObject() {
		return a.IsTrue() && b.IsTrue() || a.IsFalse() && b.IsFalse()
	}
	return e.sub.spend(1+len(a.Members)) && e.covers(a, b) && e.covers(b, a) && e.members(a, b)
}

// significant reports whether a keyword can make a difference.
func (e *equality) significant(keyword string) bool {
	return e.sub.asserts(keyword)
}

// covers reports whether b has each significant keyword of a.
func (e *equality) covers(a, b *jsondoc.Value) bool {
	return !slices.ContainsFunc(a.Members, func(m jsondoc.Member) bool { return e.significant(m.Name) && e.counterpart(m.Name, a, b) == nil })
}

func (e *equality) members(a, b *jsondoc.Value) bool {
	return !slices.ContainsFunc(a.Members, func(m jsondoc.Member) bool {
		return e.significant(m.Name) && !e.keyword(m.Name, m.Value, e.counterpart(m.Name, a, b))
	})
}

// counterpart returns the value of b to compare with a keyword of a: the value of the same keyword, or of oneOf for anyOf
// and of anyOf for oneOf, if they mean the same.
func (e *equality) counterpart(name string, a, b *jsondoc.Value) *jsondoc.Value {
	other := map[string]string{"anyOf": "oneOf", "oneOf": "anyOf"}[name]
	if v := b.Get(name); v != nil || e.exact || other == "" || a.Get(other) != nil || !isDiscriminated(a.Get(name).Elements()) {
		return v
	}
	return b.Get(other)
}

// isDiscriminated reports whether the alternatives are objects that require different strings in the same member, so
// that certainly no value fits two of them.
func isDiscriminated(alternatives []*jsondoc.Value) bool {
	if len(alternatives) == 0 {
		return false
	}
	return slices.ContainsFunc(alternatives[0].Get("required").Texts(), func(name string) bool {
		seen := map[string]bool{}
		return !slices.ContainsFunc(alternatives, func(s *jsondoc.Value) bool {
			tag := s.Get("properties").Get(name)
			text := tag.Get("const")
			isNew := text != nil && text.Type() == jsondoc.TypeString && !seen[text.Text()]
			seen[text.Text()] = true
			return !isNew || s.Get("type").Text() != "object" || !slices.Contains(s.Get("required").Texts(), name) ||
				s.Get("$ref") != nil || tag.Get("$ref") != nil // draft-07 ignores keywords beside $ref
		})
	})
}

// keyword compares the values of one keyword.
func (e *equality) keyword(name string, a, b *jsondoc.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	switch k, _ := jsondoc.KeywordNamed(name); {
	case name == "$ref":
		x, y := e.sub.resolve(a), e.super.resolve(b)
		return x != nil && y != nil && e.schemas(x, y)
	case k.Role == jsondoc.Reference:
		return false // its target depends on the rest of the document
	case k.Holds == jsondoc.HoldsOne && a.IsArray():
		return b.IsArray() && slices.EqualFunc(a.Items, b.Items, e.schemas)
	case k.Holds == jsondoc.HoldsOne:
		return e.schemas(a, b)
	case name == "dependencies":
		return a.Equal(b)
	case k.Holds == jsondoc.HoldsNamed:
		return len(a.Entries()) == len(b.Entries()) &&
			!slices.ContainsFunc(a.Members, func(m jsondoc.Member) bool { return !e.schemas(m.Value, e.super.get(b, m.Name)) })
	case name == "required" || name == "type" || name == "enum":
		return e.sameSet(a, b)
	default:
		return a.Equal(b)
	}
}

// sameSet compares lists without regard to order, and other values by [jsondoc.Value.Equal].
func (e *equality) sameSet(a, b *jsondoc.Value) bool {
	if !a.IsArray() || !b.IsArray() {
		return a.Equal(b)
	}
	all := func(x, y *jsondoc.Value) bool {
		return !slices.ContainsFunc(x.Items, func(v *jsondoc.Value) bool {
			return !e.sub.spend(len(y.Items)) || !slices.ContainsFunc(y.Items, v.Equal)
		})
	}
	return all(a, b) && all(b, a)
}
