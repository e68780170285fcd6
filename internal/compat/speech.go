package compat

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
)

// A worded difference has both sides as text for display.
type worded struct {
	path, keyword string
	sub, super    string // the two sides, for display
	sure          bool   // whether the schemas certainly differ here
}

// speech describes the differences between two schemas in words.
type speech struct {
	at         string // the first step of all paths: arguments or result
	sub, super *schemacompare.Document
}

func (s speech) all(found []schemacompare.Difference) (list []worded) {
	for _, d := range found {
		w := worded{path: s.path(d), keyword: d.Keyword, sure: d.Doubt == schemacompare.None}
		w.sub, w.super = s.words(d)
		if s.at == argumentsPath && refusesNull(d) && isOptional(d) {
			w.sure, w.super = false, w.super+" (null may mean absent)"
		}
		list = append(list, w)
	}
	return list
}

// refusesNull reports whether null is the only value that the second schema rejects.
func refusesNull(d schemacompare.Difference) bool {
	if d.Keyword == "type" {
		return d.SubTypes&^d.SuperTypes == jsondoc.TypeNull
	}
	isValue := func(v *jsondoc.Value) bool { return v.Type() != jsondoc.TypeNull }
	return d.Keyword == "enum" && len(d.Refused) > 0 && !slices.ContainsFunc(d.Refused, isValue)
}

// isOptional reports whether a difference is in an optional property of the second schema. Many servers, among them those
// of this module, read null there as absent.
func isOptional(d schemacompare.Difference) bool {
	last := len(d.At.Path) - 1
	if last < 0 || d.At.Path[last].Index != jsondoc.NamedMember {
		return false
	}
	name, object := d.At.Path[last].Name, d.At.Parents[last].Super
	return object.Get("properties").Get(name) != nil && !slices.Contains(object.Get("required").Texts(), name)
}

// path returns the location of a difference: arguments.items[].qty.
func (s speech) path(d schemacompare.Difference) string {
	at := s.at
	for _, step := range d.At.Path {
		switch step.Index {
		case jsondoc.NamedMember:
			at = member(at, step.Name)
		case jsondoc.AnyElement:
			at += "[]"
		case jsondoc.AnyMember:
			at = member(at, "*")
		case jsondoc.MemberNames:
			at = member(at, "*") + " (name)"
		default:
			at += fmt.Sprintf("[%d]", step.Index)
		}
	}
	return at
}

// words describes what the first schema allows and what the second one requires.
func (s speech) words(d schemacompare.Difference) (sub, super string) {
	if k, _ := jsondoc.KeywordNamed(d.Keyword); k.Limit != nil {
		return s.limits(d, k)
	}
	switch d.Keyword {
	case "false":
		return s.describe(d.Sub), "not allowed"
	case "additionalProperties", "propertyNames":
		return "allowed", "not allowed"
	case "type":
		return typeWords(d.SubTypes), typeWords(d.SuperTypes)
	case "enum":
		return s.listed(d)
	case "uniqueItems":
		return "without uniqueItems", "uniqueItems"
	case "required":
		name := d.At.Path[len(d.At.Path)-1].Name
		if s.sub.Impossible(d.Sub, name) {
			return "absent", "required"
		}
		return "optional", "required"
	case "oneOf":
		if d.Meeting > 0 {
			return s.describe(d.Sub), fmt.Sprintf("possibly more than one of %d alternatives", d.Meeting)
		}
		return s.describe(d.Sub), "none of the alternatives"
	case "$ref":
		if d.Obstacle {
			return "an unresolved reference", "not comparable with it"
		}
		return s.describe(d.Sub), "the schema at " + d.Super.Get("$ref").Text()
	case "anyOf":
		return "too large to compare", "too large to compare"
	default:
		return words(d.Keyword, d.Sub.With(d.Keyword)), words(d.Keyword, []*jsondoc.Value{d.Super.Get(d.Keyword)})
	}
}

// listed describes a difference in the listed values.
func (s speech) listed(d schemacompare.Difference) (sub, super string) {
	wanted := describe(s.super, schemacompare.Branch{d.Super})
	if d.Refused == nil {
		return s.describe(d.Sub), wanted
	}
	values, isListed := s.sub.Values(d.Sub)
	if !isListed {
		return s.describe(d.Sub), wanted
	}
	if wanted == anything {
		wanted = listed(slices.DeleteFunc(slices.Clone(values), func(v *jsondoc.Value) bool { return slices.Contains(d.Refused, v) }))
	}
	return listed(values), wanted
}

// limits describes one bound of a range: of a number, a length or a count.
func (s speech) limits(d schemacompare.Difference, k jsondoc.Keyword) (sub, super string) {
	least := k.Limit.Least
	if k.Limit.Of == "" {
		isWhole := typesOf(s.sub, d.Sub)&jsondoc.TypeFraction == 0
		_, have, out := d.Sub.Bound(least, isWhole)
		_, want, wantOut := schemacompare.Branch{d.Super}.Bound(least, isWhole)
		return boundWords(least, have, out), boundWords(least, want, wantOut)
	}
	have := s.sub.Count(d.Sub, k)
	want, ok := d.Super.Get(d.Keyword).Number()
	if !ok {
		return "any number", "an invalid bound"
	}
	sub = boundWords(least, have, false)
	if have == nil {
		sub += " of"
	}
	return sub + countUnit(k.Limit.Of, have), boundWords(least, want, false) + countUnit(k.Limit.Of, want)
}

// countUnit returns the noun for n of something, in the plural if n is nil.
func countUnit(noun string, n *big.Rat) string {
	if n != nil && n.Cmp(big.NewRat(1, 1)) == 0 {
		return " " + noun
	}
	return " " + noun + "s"
}

// describe returns a short description of the values that fit a branch of the first schema.
func (s speech) describe(b schemacompare.Branch) string { return describe(s.sub, b) }

func describe(d *schemacompare.Document, b schemacompare.Branch) string {
	if values, ok := d.Values(b); ok {
		return listed(values)
	}
	return typeWords(typesOf(d, b))
}

// typesOf returns the types of a branch that may contain boolean schemas.
func typesOf(d *schemacompare.Document, b schemacompare.Branch) jsondoc.Types {
	return d.Types(slices.DeleteFunc(slices.Clone(b), (*jsondoc.Value).IsBool))
}

// anything describes a schema that allows all types.
const anything = "anything"

// typeWords joins the names of types, with articles, by "or".
func typeWords(t jsondoc.Types) string {
	if t == jsondoc.AnyType {
		return anything
	}
	var names []string
	for _, name := range t.Names() {
		switch name {
		case "object", "array", "integer":
			names = append(names, "an "+name)
		case "a fraction":
			names = append(names, "a number")
		case "null":
			names = append(names, name)
		default:
			names = append(names, "a "+name)
		}
	}
	return strings.Join(names, " or ")
}
