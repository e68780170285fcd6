package reflectschema

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
)

// unwritable says what the type writes for which the written schema has no place, of the differences from the derived
// schema to the written one. That the written one promises more is not said: results are held against it.
func (a *agreement) unwritable(d schemacompare.Difference) TypeErrors {
	at := a.member(d.At)
	if d.Obstacle || d.Doubt == schemacompare.Unknown {
		return nil
	}
	switch d.Keyword {
	case "type":
		known := d.SubTypes &^ jsondoc.TypeNull // which the author may rule out
		if known == 0 || known&d.SuperTypes != 0 {
			return nil
		}
		return TypeErrors{at.disagree(fmt.Sprintf("the schema says %s, and the Go type writes %s", d.SuperTypes, known), `write "type":`+known.Keyword())}
	case "enum":
		return a.noneOf(d)
	case "false":
		return a.noPlace(d)
	case "required":
		name := d.At.Path[len(d.At.Path)-1].Name
		isClosed := slices.ContainsFunc(d.Sub.With("additionalProperties"), (*jsondoc.Value).RefusesAll)
		switch {
		case slices.Contains(d.Sub.Names(), name):
			return TypeErrors{at.disagree("the schema requires it, and the Go type may leave it out", `drop it from "required", or drop omitempty or omitzero from the field`)}
		case isClosed:
			return TypeErrors{a.unknownMember(at, name, d.Sub.Names())}
		}
	}
	return nil
}

// noneOf says that the type writes other values than those that the schema lists.
func (a *agreement) noneOf(d schemacompare.Difference) TypeErrors {
	listed := schemacompare.Branch{d.Super}.Listed()
	isLeft := func(v *jsondoc.Value) bool { return !v.IsNull() && !slices.Contains(d.Refused, v) }
	if d.Refused == nil || slices.ContainsFunc(d.Sub.Listed(), isLeft) || d.Sub.Listed() == nil {
		return nil
	}
	d.Refused = listed
	return a.values(d, "write")
}

// noPlace says that the schema has no place for a member.
func (a *agreement) noPlace(d schemacompare.Difference) TypeErrors {
	at := a.member(d.At)
	last := len(d.At.Path) - 1
	if last >= 0 && d.At.Path[last].Index == jsondoc.NamedMember && d.At.Parents[last].Super.Get("properties").Get(d.At.Path[last].Name) == nil {
		return TypeErrors{at.disagree("the Go type writes it, and the schema has no place for it", `describe it, or leave the field out with json:"-"`)}
	}
	return TypeErrors{at.disagree("the schema refuses every value, and the Go type writes one", "describe it")}
}

// unwritten says what the written schema promises that the type never writes, of the differences from the written schema
// to the derived one.
func (a *agreement) unwritten(d schemacompare.Difference) TypeErrors {
	if d.Obstacle {
		return TypeErrors{a.member(d.At).incomparable()}
	}
	switch last := len(d.At.Path) - 1; {
	case d.Doubt == schemacompare.Unknown, last >= 0 && d.At.Path[last].Index == jsondoc.MemberNames:
	case d.Keyword == "enum" && d.Sub.Listed() != nil:
		return a.values(d, "write")
	case d.Keyword == "false" && last >= 0 && d.At.Path[last].Index == jsondoc.NamedMember:
		return TypeErrors{a.refused(d)}
	case d.Keyword == "propertyNames":
		return a.key(d)
	}
	return nil
}
