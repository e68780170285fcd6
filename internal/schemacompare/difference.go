package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// A Difference is a location at which something fits the first schema and not the second, with a [Doubt] if that is not
// certain.
type Difference struct {
	At Location
	// Keyword is the keyword of the second schema that rejects the values. Related keywords share a name: "minimum" and
	// "maximum" for all bounds of numbers, "enum" for listed values, "oneOf" for alternatives. "false" means that the
	// second schema rejects everything. If Obstacle is set, Keyword is "$ref" or "anyOf".
	Keyword string
	// Sub and Super are the schemas of both documents at the location.
	Sub   Branch
	Super *jsondoc.Value
	// SubTypes and SuperTypes are the types that each side allows; set only if Keyword is "type".
	SubTypes, SuperTypes jsondoc.Types
	// Refused are the values that the second schema rejects or may reject; set only if the first schema allows finitely
	// many.
	Refused []*jsondoc.Value
	// Meeting is the number of alternatives of the second schema that the values may fit. If it is 0, Nearest contains
	// the differences from the most similar alternative.
	Meeting int
	Nearest []Difference
	// Doubt is the reason why there may be no difference after all; None if it is certain.
	Doubt Doubt
	// Obstacle is set if the comparison is incomplete here: a reference was not followed ("$ref"), or there were too
	// many alternatives or steps ("anyOf").
	Obstacle bool
}

// Doubt is the reason why a difference is not certain.
type Doubt uint8

// The doubts, the greatest last.
const (
	// None means that some value fits the first schema and not the second.
	None Doubt = iota
	// Undescribed means that the value is a member that the first schema allows without describing it.
	Undescribed
	// Together means that several alternatives accept a part of the values each, and perhaps together all of them.
	Together
	// Unknown means that the comparison cannot decide.
	Unknown
)

// A Location is a path into the values that two schemas describe, with the schemas along it.
type Location struct {
	Path jsondoc.Path
	// Parents are the schemas that each step of the path starts from.
	Parents []Parent
}

// Parent contains the schemas of both documents for one value.
type Parent struct {
	Sub   Branch
	Super *jsondoc.Value
}

// to returns the location one step below a value with these schemas.
func (l Location) to(step jsondoc.Step, sub Branch, super *jsondoc.Value) Location {
	return Location{append(slices.Clip(l.Path), step), append(slices.Clip(l.Parents), Parent{sub, super})}
}

func (l Location) toMember(name string, sub Branch, super *jsondoc.Value) Location {
	return l.to(jsondoc.Step{Name: name, Index: jsondoc.NamedMember}, sub, super)
}

// same reports whether the paths are equal.
func (l Location) same(other Location) bool { return slices.Equal(l.Path, other.Path) }

// doubted raises the doubt of the differences to at least doubt, in place, and returns them.
func doubted(doubt Doubt, found []Difference) []Difference {
	for i := range found {
		found[i].Doubt = max(found[i].Doubt, doubt)
	}
	return found
}

// merge appends the differences that found does not contain yet. Of two with the same keyword and path, it keeps the
// more certain one.
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
