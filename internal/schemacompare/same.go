package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Same reports whether two documents are certainly equivalent, because they have the same keywords except for
// annotations.
func Same(one, other *Document) bool {
	one.work, other.work = maxWork, maxWork
	c := comparison{sub: one, super: other}
	return c.same(one.root, other.root)
}

// same reports whether a schema of sub is equivalent to one of super. False may mean that it cannot decide.
func (c *comparison) same(a, b *jsondoc.Value) bool {
	e := equality{comparison: c, open: map[[2]*jsondoc.Value]bool{}}
	return c.sub.draft7 == c.super.draft7 && e.schemas(a, b)
}

// equality compares schemas structurally, following references.
type equality struct {
	*comparison
	open map[[2]*jsondoc.Value]bool // pairs that were compared, which end recursion
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
		return a.Kind == b.Kind && a.IsBool()
	}
	return e.sub.spend(1+len(a.Members)) && e.covers(a, b) && e.covers(b, a) && e.members(a, b)
}

// significant reports whether a keyword can make a difference.
func (e *equality) significant(keyword string) bool {
	return e.sub.asserts(keyword)
}

// covers reports whether b has each significant keyword of a.
func (e *equality) covers(a, b *jsondoc.Value) bool {
	return !slices.ContainsFunc(a.Members, func(m jsondoc.Member) bool { return e.significant(m.Name) && b.Get(m.Name) == nil })
}

func (e *equality) members(a, b *jsondoc.Value) bool {
	return !slices.ContainsFunc(a.Members, func(m jsondoc.Member) bool {
		return e.significant(m.Name) && !e.keyword(m.Name, m.Value, b.Get(m.Name))
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
