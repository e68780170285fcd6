package reflectschema

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// readable leaves out the differences that follow from others: what is asked of a value that may have a wrong type, or that
// is not one of those which the type lists; and what is asked of members that no object should have.
func readable(found []schemacompare.Difference) []schemacompare.Difference {
	return slices.DeleteFunc(slices.Clone(found), func(d schemacompare.Difference) bool {
		return slices.ContainsFunc(found, func(cause schemacompare.Difference) bool { return follows(d, cause) })
	})
}

// follows reports whether a difference is there because of another one.
func follows(d, cause schemacompare.Difference) bool {
	at, from := d.At.Path, cause.At.Path
	if d.Keyword == "required" || d.Keyword == "propertyNames" { // it is about the object
		at = at[:len(at)-1]
	}
	switch cause.Keyword {
	case "type":
		if cause.SubTypes&^cause.SuperTypes == jsondoc.TypeNull && cause.SubTypes != jsondoc.TypeNull || d.Keyword == "type" && len(at) == len(from) {
			return false // what is beside null can still be compared
		}
	case "enum":
		if cause.Refused != nil || d.Keyword == "enum" || d.Keyword == "type" {
			return false
		}
	case "additionalProperties":
		return d.Doubt == schemacompare.Undescribed && isBelow(at, from[:len(from)-1])
	default:
		return false
	}
	isSame := len(d.Sub) >= len(cause.Sub) && slices.Equal(d.Sub[:len(cause.Sub)], cause.Sub)
	return d.Keyword != "default" && isBelow(at, from) && (isSame || len(at) > len(from))
}

func isBelow(at, from jsondoc.Path) bool {
	return len(at) >= len(from) && slices.Equal(at[:len(from)], from)
}

// unreadable says what fits the written schema and is not read by the type. Patterns, and whatever else cannot
// be told, are taken for as strict as those of the type.
func (a *agreement) unreadable(d schemacompare.Difference) TypeErrors {
	at := a.member(d.At)
	one := func(e *TypeError) TypeErrors { return TypeErrors{e} }
	if d.Obstacle {
		return one(at.incomparable())
	}
	if last := len(d.At.Path) - 1; last >= 0 && d.At.Path[last].Index == jsondoc.MemberNames && len(d.Sub) == 1 {
		return a.anyName(d)
	}
	switch d.Keyword {
	case "format", "pattern":
		if len(d.Sub.With(d.Keyword)) == 0 && len(d.Sub.With("format"))+len(d.Sub.With("pattern")) > 0 || d.Keyword == "pattern" && len(d.Sub.With("pattern")) > 0 {
			return nil
		}
		return one(at.lacks(d.Keyword, string(d.Super.Get(d.Keyword).Raw)))
	case "propertyNames":
		return a.key(d)
	}
	if d.Doubt == schemacompare.Unknown {
		return nil
	}
	switch d.Keyword {
	case "default":
		return one(at.disagree(fmt.Sprintf("the schema says that the default is %s, and the Go type fills in %s",
			shown(d.Sub.With("default")[0]), shown(d.Super.Get("default"))), "write the same one"))
	case "type":
		return one(at.otherType(d))
	case "enum":
		if d.Refused == nil {
			return one(at.disagree("the Go type reads only "+show.List(schemacompare.Branch{d.Super}.Listed(), shown)+", and the schema lets other values through", "list them under enum"))
		}
		return a.values(d, "read")
	case "false", "additionalProperties":
		return one(a.refused(d))
	case "required":
		name := d.At.Path[len(d.At.Path)-1].Name
		fix := `add it to "required", or make the field a pointer`
		if !slices.Contains(d.Sub.Names(), name) {
			fix = `describe it and add it to "required", or make the field a pointer`
		}
		return one(at.disagree("the Go type requires it, and the schema does not", fix))
	case "minimum", "maximum":
		isWhole := d.Super.Get("type").Types()&jsondoc.TypeFraction == 0
		keyword, bound, excluded := schemacompare.Branch{d.Super}.Bound(d.Keyword == "minimum", isWhole)
		if !excluded {
			keyword = d.Keyword
		}
		return one(at.lacks(keyword, show.Rat(bound)))
	default:
		return one(at.lacks(d.Keyword, string(d.Super.Get(d.Keyword).AppendTo(nil))))
	}
}

// shown shows a value.
func shown(v *jsondoc.Value) string { return show.Clip(string(v.AppendTo(nil)), show.MaxText) }

// incomparable says that a part of the schema cannot be compared.
func (l goLocation) incomparable() *TypeError {
	return l.disagree("the schema refers to a part of itself in a way that cannot be compared, or has too many alternatives",
		`write each $ref as "#/$defs/name"`)
}

// lacks says that the schema does not ask for what the type asks for.
func (l goLocation) lacks(keyword, value string) *TypeError {
	return l.disagree(fmt.Sprintf("the Go type asks for %s %s, and the schema for less", keyword, show.Clip(value, show.MaxText)),
		fmt.Sprintf("write %q:%s, or what is stricter", keyword, show.Clip(value, 4*show.MaxText)))
}

// otherType says which types the schema lets through and the type does not read.
func (l goLocation) otherType(d schemacompare.Difference) *TypeError {
	said, known := d.SubTypes, d.SuperTypes
	fix := `write "type":` + known.Keyword()
	switch {
	case said&known == 0:
		return l.disagree(fmt.Sprintf("the schema says %s, and the Go type reads %s", said, known), fix)
	case said == jsondoc.AnyType:
		return l.disagree(fmt.Sprintf("the schema lets everything through, and the Go type reads %s", known), fix)
	case said&^known == jsondoc.TypeNull:
		return l.disagree("the schema lets null through, and the Go type refuses it", `drop it, or write jsonschema:"nullable" on a pointer, slice or map`)
	default:
		return l.disagree(fmt.Sprintf("the schema lets %s through, and the Go type reads %s", said&^known, known), fix)
	}
}

// values says which values the schema lists that are none of the type. An output may always be null.
func (a *agreement) values(d schemacompare.Difference, verb string) (errs TypeErrors) {
	for _, v := range d.Refused {
		if a.output && v.IsNull() {
			continue
		}
		errs = append(errs, a.member(d.At).disagree(fmt.Sprintf("the schema lists %s, which the Go type does not %s", shown(v), verb), "drop it, or make the type take it"))
	}
	return errs
}

// parent returns the location of the object that has a member, and what the schemas say of that.
func (a *agreement) parent(d schemacompare.Difference) (goLocation, schemacompare.Parent) {
	last := len(d.At.Path) - 1
	return a.member(schemacompare.Location{Path: d.At.Path[:last], Parents: d.At.Parents[:last]}), d.At.Parents[last]
}

// refused says that the type refuses something altogether: a member, or all that it has no field for.
func (a *agreement) refused(d schemacompare.Difference) *TypeError {
	last := len(d.At.Path) - 1
	if last < 0 || d.At.Path[last].Index != jsondoc.NamedMember && d.At.Path[last].Index != jsondoc.AnyMember {
		return a.member(d.At).disagree("the schema lets values through, and the Go type reads none", "drop it")
	}
	object, says := a.parent(d)
	if d.At.Path[last].Index == jsondoc.AnyMember {
		return object.disagree("the schema lets members through that it has no property for, and the Go type refuses them",
			`write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`)
	}
	return a.unknownMember(a.member(d.At), d.At.Path[last].Name, schemacompare.Branch{says.Super}.Names())
}

// unknownMember says that the type knows nothing of a property.
func (a *agreement) unknownMember(at goLocation, name string, known []string) *TypeError {
	fix := "drop the property, or add the field"
	if near := suggest.Nearest(name, known); near != "" {
		fix = fmt.Sprintf("write %q, or add the field", near)
	}
	if a.output {
		return at.disagree("the schema has it, and the Go type never writes it", fix)
	}
	return at.disagree("the schema has it, and the Go type has no field for it", fix)
}

// anyName says that members may have names that are no keys of the type, where the schema says nothing of names but that
// they are strings.
func (a *agreement) anyName(d schemacompare.Difference) TypeErrors {
	object, says := a.parent(d)
	names := says.Super.Get("propertyNames")
	if names == nil {
		return nil
	}
	return TypeErrors{object.lacks("propertyNames", string(names.AppendTo(nil)))}
}

// key says that a property is no key of a map.
func (a *agreement) key(d schemacompare.Difference) TypeErrors {
	object, _ := a.parent(d)
	name := d.At.Path[len(d.At.Path)-1].Name
	reason := "which is no key of the Go type"
	if object.node != nil && object.node.kind == kindMap && !a.output {
		if _, want := readKey(object.node.key, name); want != "" {
			reason = "and a key of the Go type " + want
		}
	}
	reason = fmt.Sprintf("the schema describes a member %s, %s", show.Quote(name, show.MaxName), reason)
	return TypeErrors{object.disagree(reason, "drop the property")}
}

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
