package reflectschema

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// outputs says what the written schema promises that no value of the type keeps.
func (c *comparer) outputs(at spot, their, our conjunction) TypeErrors {
	if our.types() == rules.AnyType {
		return nil
	}
	if values := their.values(); values != nil {
		kept := slices.DeleteFunc(slices.Clone(values), func(v *jsondoc.Value) bool { return v.IsNull() })
		return c.values(at, kept, our)
	}
	errs, done := c.types(at, their, our)
	if done {
		return errs
	}
	types := their.types() & our.types()
	if types&rules.TypeArray != 0 {
		errs = append(errs, c.elements(at, their, our)...)
	}
	if types&rules.TypeObject != 0 {
		errs = append(errs, c.results(at, their, our)...)
	}
	return errs
}

// results compares the members of objects that are written.
func (c *comparer) results(at spot, their, our conjunction) (errs TypeErrors) {
	ourRest, ourOpen := our.rest()
	theirRest, theirOpen := their.rest()
	theirNames, ourNames := their.names(), our.names()
	for _, name := range theirNames {
		docs, inner := their.property(name), at.member(name)
		switch known := our.property(name); {
		case known != nil:
			errs = append(errs, c.compare(inner, docs, known)...)
		case ourOpen:
			errs = append(errs, c.key(at, name, our)...)
			errs = append(errs, c.compare(inner, docs, ourRest)...)
		case !slices.ContainsFunc(docs, isFalse):
			errs = append(errs, c.stranger(inner, name, ourNames))
		}
	}
	for _, name := range their.required() {
		inner, known := at.member(name), slices.Contains(ourNames, name)
		switch {
		case slices.Contains(our.required(), name) || !known && ourOpen:
		case known:
			errs = append(errs, inner.disagree("the schema requires it, and the Go type may leave it out", `drop it from "required", or drop omitempty or omitzero from the field`))
		case !slices.Contains(theirNames, name):
			errs = append(errs, c.stranger(inner, name, ourNames))
		}
	}
	for _, name := range ourNames {
		switch {
		case slices.Contains(theirNames, name) || len(their.with("patternProperties")) > 0:
		case theirOpen:
			errs = append(errs, c.compare(at.member(name), theirRest, our.property(name))...)
		default:
			errs = append(errs, at.member(name).disagree("the Go type writes it, and the schema has no place for it", `describe it, or leave the field out with json:"-"`))
		}
	}
	if ourOpen && theirOpen {
		errs = append(errs, c.compare(at.below("{}"), theirRest, ourRest)...)
	}
	return errs
}
