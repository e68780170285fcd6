package reflectschema

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// input says where something fits the written schema and not the derived one.
func (c *comparer) input(at spot, their, our conjunction) TypeErrors {
	if our.types() == rules.AnyType {
		return nil
	}
	errs := c.defaults(at, their, our)
	if values := their.values(); values != nil {
		return append(errs, c.values(at, values, our)...)
	}
	wrong, done := c.types(at, their, our)
	if errs = append(errs, wrong...); done {
		return errs
	}
	types := their.types() & our.types()
	if our.values() != nil {
		listed := show.List(our.values(), func(d *jsondoc.Value) string { return show.Clip(string(d.AppendTo(nil)), show.MaxText) })
		return append(errs, at.disagree("the Go type reads only "+listed+", and the schema lets other values through", "list them under enum"))
	}
	if types&rules.TypeNumber != 0 {
		errs = append(errs, numberLess(at, their, our)...)
	}
	for _, k := range counts {
		if types&k.of != 0 {
			errs = append(errs, k.less(at, their, our)...)
		}
	}
	if types&rules.TypeString != 0 {
		errs = append(errs, textLess(at, their, our)...)
	}
	if types&rules.TypeArray != 0 {
		errs = append(errs, c.elements(at, their, our)...)
	}
	if types&rules.TypeObject != 0 {
		errs = append(errs, c.members(at, their, our)...)
	}
	return errs
}

// defaults compares what both say an absent value is.
func (c *comparer) defaults(at spot, their, our conjunction) TypeErrors {
	said, filled := their.with("default"), our.with("default")
	if len(said) == 0 || len(filled) == 0 {
		return nil
	}
	promised, given := said[0].AppendTo(nil), filled[0].AppendTo(nil)
	if same, err := parseStrict(fmt.Appendf(nil, "[%s,%s]", promised, given)); err == nil {
		if pair, ok := same.Any.([]any); ok && reflect.DeepEqual(loosen(pair[0]), loosen(pair[1])) {
			return nil
		}
	}
	return TypeErrors{at.disagree(fmt.Sprintf("the schema says that the default is %s, and the Go type fills in %s",
		show.Clip(string(promised), show.MaxText), show.Clip(string(given), show.MaxText)), "write the same one")}
}

// numberLess says where a number may go beyond what the type reads.
func numberLess(at spot, their, our conjunction) (errs TypeErrors) {
	for _, end := range []struct {
		least         bool
		sign          int
		inside, outer string
	}{{true, 1, "minimum", "exclusiveMinimum"}, {false, -1, "maximum", "exclusiveMaximum"}} {
		bound, excluded := our.bound(end.least)
		if bound == nil {
			continue
		}
		keyword := end.inside
		if excluded {
			keyword = end.outer
		}
		said, saidExcluded := their.bound(end.least)
		if said == nil || end.sign*said.Cmp(bound) < 0 || said.Cmp(bound) == 0 && excluded && !saidExcluded {
			errs = append(errs, at.lacks(keyword, show.Rat(bound)))
		}
	}
	for _, v := range our.with("multipleOf") {
		unit, ok := ratOf(v)
		if ok && !slices.ContainsFunc(their.with("multipleOf"), func(v *jsondoc.Value) bool {
			said, ok := ratOf(v)
			return ok && new(big.Rat).Quo(said, unit).IsInt()
		}) {
			errs = append(errs, at.lacks("multipleOf", show.Rat(unit)))
		}
	}
	return errs
}

// A countKeyword bounds a number of things.
type countKeyword struct {
	name    string
	of      rules.TypeSet
	least   bool
	implied func(conjunction) (int, bool) // what other keywords come to, nil if none do
}

var counts = []countKeyword{
	{"minLength", rules.TypeString, true, nil},
	{"maxLength", rules.TypeString, false, nil},
	{"minItems", rules.TypeArray, true, nil},
	{"maxItems", rules.TypeArray, false, func(c conjunction) (int, bool) {
		heads, _, open := c.items()
		return len(heads), !open
	}},
	{"minProperties", rules.TypeObject, true, func(c conjunction) (int, bool) { return len(c.required()), true }},
	{"maxProperties", rules.TypeObject, false, func(c conjunction) (int, bool) {
		_, open := c.rest()
		return len(c.names()), !open && c.with("patternProperties") == nil
	}},
}

// less says where there may be fewer or more than the type reads.
func (k countKeyword) less(at spot, their, our conjunction) TypeErrors {
	wanted := our.with(k.name)
	if len(wanted) == 0 {
		return nil
	}
	enough := func(n int) bool { return k.least && n >= wanted[0].Count() || !k.least && n <= wanted[0].Count() }
	if slices.ContainsFunc(their.with(k.name), func(d *jsondoc.Value) bool { return enough(d.Count()) }) {
		return nil
	}
	if k.implied != nil {
		if n, ok := k.implied(their); ok && enough(n) {
			return nil
		}
	}
	return TypeErrors{at.lacks(k.name, strconv.Itoa(wanted[0].Count()))}
}

// textLess says where a text may have another form than the type reads.
func textLess(at spot, their, our conjunction) (errs TypeErrors) {
	formats, patterns := their.with("format"), their.with("pattern")
	for _, v := range our.with("format") {
		same := func(d *jsondoc.Value) bool { return d.Text() == v.Text() }
		if len(formats) == 0 && len(patterns) == 0 || len(formats) > 0 && !slices.ContainsFunc(formats, same) {
			errs = append(errs, at.lacks("format", string(v.Raw)))
		}
	}
	for _, v := range our.with("pattern") {
		if len(formats) == 0 && len(patterns) == 0 {
			errs = append(errs, at.lacks("pattern", string(v.Raw)))
		}
	}
	return errs
}

// lacks says that the schema does not ask for what the type asks for.
func (s spot) lacks(keyword, value string) *TypeError {
	return s.disagree(fmt.Sprintf("the Go type asks for %s %s, and the schema for less", keyword, show.Clip(value, show.MaxText)),
		fmt.Sprintf("write %q:%s, or what is stricter", keyword, show.Clip(value, 4*show.MaxText)))
}

// elements compares what arrays hold.
func (c *comparer) elements(at spot, their, our conjunction) (errs TypeErrors) {
	_, ours, _ := our.items()
	heads, rest, open := their.items()
	inner := at.below("[]")
	for _, head := range heads {
		errs = appendNew(errs, c.compare(inner, head, ours))
	}
	if open {
		errs = appendNew(errs, c.compare(inner, rest, ours))
	}
	if len(our.with("uniqueItems")) > 0 && !their.unique() && !c.output {
		errs = append(errs, at.lacks("uniqueItems", "true"))
	}
	return errs
}

// unique reports whether no two elements of an array can be alike.
func (c conjunction) unique() bool {
	return slices.ContainsFunc(c.with("uniqueItems"), func(d *jsondoc.Value) bool { return d.Kind == jsontext.KindTrue }) ||
		slices.ContainsFunc(c.with("maxItems"), func(d *jsondoc.Value) bool { return d.Count() <= 1 })
}

// members compares what objects hold.
func (c *comparer) members(at spot, their, our conjunction) (errs TypeErrors) {
	ourRest, ourOpen := our.rest()
	theirRest, theirOpen := their.rest()
	theirNames, ourNames := their.names(), our.names()
	for _, name := range theirNames {
		docs, inner := their.property(name), at.member(name)
		if slices.ContainsFunc(docs, isFalse) {
			continue // it can only be absent
		}
		switch known := our.property(name); {
		case known != nil:
			errs = append(errs, c.compare(inner, docs, known)...)
		case !ourOpen:
			errs = append(errs, c.stranger(inner, name, ourNames))
		default:
			errs = append(errs, c.key(at, name, our)...)
			errs = append(errs, c.compare(inner, docs, ourRest)...)
		}
	}
	for _, name := range our.required() {
		if !slices.Contains(their.required(), name) {
			fix := `add it to "required", or make the field a pointer`
			if !slices.Contains(theirNames, name) {
				fix = `describe it and add it to "required", or make the field a pointer`
			}
			errs = append(errs, at.member(name).disagree("the Go type requires it, and the schema does not", fix))
		}
	}
	patterns := their.with("patternProperties")
	switch {
	case !ourOpen && (theirOpen || len(patterns) > 0):
		errs = append(errs, at.disagree("the schema lets members through that it has no property for, and the Go type refuses them",
			`write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`))
		return errs
	case theirOpen:
		errs = append(errs, c.compare(at.below("{}"), theirRest, ourRest)...)
		errs = append(errs, c.memberNames(at, their, our)...)
		for _, name := range ourNames {
			if !slices.Contains(theirNames, name) {
				errs = append(errs, c.compare(at.member(name), theirRest, our.property(name))...)
			}
		}
	}
	for _, named := range patterns {
		for _, p := range named.Members {
			errs = appendNew(errs, c.compare(at.below("{}"), []*jsondoc.Value{p.Value}, ourRest))
		}
	}
	return errs
}

// stranger is a property of which the type knows nothing.
func (c *comparer) stranger(at spot, name string, known []string) *TypeError {
	fix := "drop the property, or add the field"
	if near := suggest.Nearest(name, known); near != "" {
		fix = fmt.Sprintf("write %q, or add the field", near)
	}
	if c.output {
		return at.disagree("the schema has it, and the Go type never writes it", fix)
	}
	return at.disagree("the schema has it, and the Go type has no field for it", fix)
}

// memberNames compares what names members may have where any may be given.
func (c *comparer) memberNames(at spot, their, our conjunction) TypeErrors {
	ours, theirs := our.with("propertyNames"), their.with("propertyNames")
	switch {
	case len(ours) == 0:
		return nil
	case len(theirs) == 0:
		return TypeErrors{at.lacks("propertyNames", string(ours[0].AppendTo(nil)))}
	}
	text := jsondoc.Parse([]byte(`{"type":"string"}`)) // all names are
	names := spot{path: at.path + "{name}", owner: at.owner, field: at.field}
	return c.compare(names, append(theirs, text), append(ours, text))
}

// key checks that a map can have the key that a property stands for.
func (c *comparer) key(at spot, name string, our conjunction) (errs TypeErrors) {
	if at.node == nil || at.node.kind != kindMap {
		return nil
	}
	if _, want := readKey(at.node.key, name); want != "" && !c.output {
		return TypeErrors{at.disagree(fmt.Sprintf("the schema describes a member %s, and a key of the Go type %s", show.Quote(name, show.MaxName), want), "drop the property")}
	}
	if takes := c.taker(nil, our.with("propertyNames")); !takes(quote(name)) {
		errs = append(errs, at.disagree(fmt.Sprintf("the schema describes a member %s, which is no key of the Go type", show.Quote(name, show.MaxName)), "drop the property"))
	}
	return errs
}
