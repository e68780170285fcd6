package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// A Difference is a location where something fits the first schema and not the second, as far as that can be told.
type Difference struct {
	At Location
	// Keyword is what of the second schema refuses it: the keyword, or one that says the same of bounds ("minimum"), of
	// listed values ("enum") and of alternatives ("oneOf"). "false" is a schema that refuses everything. It is "$ref" or "anyOf" where Obstacle is set.
	Keyword string
	// Sub and Super are what either schema says of the location.
	Sub   Branch
	Super *jsondoc.Value
	// SubTypes and SuperTypes are the types that they leave, if the keyword is type.
	SubTypes, SuperTypes jsondoc.Types
	// Refused are the values, of those that the first schema lists, which the second one refuses, or may refuse.
	Refused []*jsondoc.Value
	// Meeting is how many alternatives of the second schema the values may fit; if none, Nearest is what differs from
	// the one that comes nearest.
	Meeting int
	Nearest []Difference
	// Doubt says whether nothing may differ in fact.
	Doubt Doubt
	// Obstacle says that the first schema cannot be compared here: it has a reference that cannot be followed, or too
	// many alternatives, or the comparison has come to its limit.
	Obstacle bool
}

// Doubt is why a difference may be none.
type Doubt uint8

// The doubts, the greatest last.
const (
	// None is that there is a value that fits the first schema and not the second.
	None Doubt = iota
	// Undescribed is that the value is a member which the first schema allows without describing it.
	Undescribed
	// Together is that several alternatives have room for a part each, and perhaps for all.
	Together
	// Unknown is that it cannot be told.
	Unknown
)

// A Location is a path into the values that two schemas describe, with what they are on the way.
type Location struct {
	Path jsondoc.Path
	// Parents are what both say of the values that each step of the path is taken in.
	Parents []Parent
}

// Parent is what both schemas say of a value.
type Parent struct {
	Sub   Branch
	Super *jsondoc.Value
}

// to returns the location of a part of a value of which both say this.
func (l Location) to(step jsondoc.Step, sub Branch, super *jsondoc.Value) Location {
	return Location{append(slices.Clip(l.Path), step), append(slices.Clip(l.Parents), Parent{sub, super})}
}

func (l Location) toMember(name string, sub Branch, super *jsondoc.Value) Location {
	return l.to(jsondoc.Step{Name: name, Index: jsondoc.NamedMember}, sub, super)
}

// same reports whether two locations have one path.
func (l Location) same(other Location) bool { return slices.Equal(l.Path, other.Path) }

// doubted returns differences with at least this doubt.
func doubted(doubt Doubt, found []Difference) []Difference {
	for i := range found {
		found[i].Doubt = max(found[i].Doubt, doubt)
	}
	return found
}

// merge appends differences that are not in the list yet. One that is there gives way to one with less doubt.
func (c *comparison) merge(found, more []Difference) []Difference {
	c.sub.spend(len(found) * len(more) / 32)
	for _, d := range more {
		i := slices.IndexFunc(found, func(known Difference) bool { return known.Keyword == d.Keyword && known.At.same(d.At) })
		switch {
		case i < 0:
			found = append(found, d)
		case d.Doubt < found[i].Doubt:
			found[i] = d
		}
	}
	return found
}
