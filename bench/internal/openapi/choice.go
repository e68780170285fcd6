package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
)

// choice returns the type of a oneOf or anyOf, or of a schema whose discriminator maps to its subtypes.
func (t *typer) choice(p place, sh *shape, u use) typeRef {
	branches := t.branchesOf(p, sh)
	if sh.isInheritance() && len(branches) < 2 {
		return t.goType(p, sh.without(), u)
	}
	if !slices.ContainsFunc(branches, func(b *shape) bool { return !b.isRule() }) && sh.types() != nil {
		if !u.Result {
			t.note(p, "the choice between groups of required members is not checked")
		}
		return t.goType(p, sh.without(), u)
	}
	if scalar := sameScalar(sh, branches); scalar != nil {
		ref := t.goType(p, scalar, u)
		ref.Nullable = slices.ContainsFunc(branches, func(b *shape) bool { return b.nullable })
		return ref
	}
	if u.Result {
		return typeRef{Go: "json.RawMessage"}
	}
	if !isBare(sh.Schema) && !sh.isInheritance() {
		branches = t.extended(p, sh, branches)
	}
	if name, values := discriminate(sh, branches); name != "" {
		return t.union(p, sh, u, name, branches, values)
	}
	if sh.isInheritance() {
		t.note(p, "the subtypes of the discriminator cannot be told apart, so only the members of all of them are accepted")
		return t.goType(p, sh.without(), u)
	}
	return t.rawType(p, sh, u)
}

// without returns the shape without its choice.
func (sh *shape) without() *shape {
	bare, schema := *sh, *sh.Schema
	schema.Discriminator = nil
	bare.Schema, bare.branches = &schema, nil
	return &bare
}

// isInheritance reports whether a schema has its branches in the mapping of its discriminator.
func (sh *shape) isInheritance() bool { return sh.branches == nil }

// isRule reports whether a branch contains nothing but a list of required members.
func (sh *shape) isRule() bool {
	rest := *sh.Schema
	rest.Required, rest.Not, rest.Type = nil, nil, nil
	return sh.BooleanSchema == nil && (len(sh.Required) > 0 || sh.Not != nil) && isBare(&rest) && sh.branches == nil
}

// branchesOf returns the shapes of the branches; nil if a mapping leads to schemas that are not components.
func (t *typer) branchesOf(p place, sh *shape) (branches []*shape) {
	proxies, refs := sh.branches, []string(nil)
	if sh.isInheritance() {
		for _, target := range sh.Discriminator.Mapping.FromOldest() {
			proxies, refs = append(proxies, t.schemas.GetOrZero(lastSegment(target))), append(refs, target)
		}
	}
	for i, proxy := range proxies {
		if proxy == nil {
			return nil
		}
		branch := t.shape(p, proxy)
		if refs != nil {
			named := *branch
			named.name, named.ref = goName(lastSegment(refs[i])), refs[i]
			branch = &named
		}
		branches = append(branches, branch)
	}
	return branches
}

// lastSegment returns the name at the end of a reference.
func lastSegment(ref string) string { return unescaped(ref[strings.LastIndexByte(ref, '/')+1:]) }

// extended returns the branches with what the schema around them requires.
func (t *typer) extended(p place, sh *shape, branches []*shape) []*shape {
	all := make([]*shape, 0, len(branches))
	for _, branch := range branches {
		merged, whole := *sh.Schema, *branch
		merged.Discriminator = nil
		t.merge(p, &merged, branch)
		whole.Schema, whole.id = &merged, schemaID{&merged, 0}
		all = append(all, &whole)
	}
	return all
}

// sameScalar returns the shape without its choice if all branches are scalars of one type, otherwise nil. If all branches list
// their values, it has all of them.
func sameScalar(sh *shape, branches []*shape) *shape {
	var (
		all    []string
		values []*yaml.Node
		listed = true
	)
	for _, branch := range branches {
		types := branch.types()
		if len(types) == 0 && branch.BooleanSchema == nil {
			types = sh.Type
		}
		if branch.branches != nil || len(types) != 1 {
			return nil
		}
		all = append(all, types[0])
		listed = listed && branch.values() != nil
		values = append(values, branch.values()...)
	}
	slices.Sort(all)
	if all = widened(slices.Compact(all)); len(all) != 1 || !slices.Contains([]string{"string", "integer", "number", "boolean"}, all[0]) {
		return nil
	}
	whole := sh.without()
	if whole.Type = all; listed && whole.values() == nil {
		whole.Enum = values
	}
	return whole
}

// widened returns number for integer and number, and other types as they are.
func widened(types []string) []string {
	if len(types) == 2 && slices.Contains(types, "integer") && slices.Contains(types, "number") {
		return []string{"number"}
	}
	return types
}

// discriminate returns the member that identifies structs, "" for none, and its value for each of them.
func discriminate(sh *shape, branches []*shape) (string, []string) {
	ids := map[schemaID]bool{}
	for _, branch := range branches {
		if ids[branch.id] || branch.BooleanSchema != nil || branch.branches != nil || !slices.Equal(branch.types(), []string{"object"}) || orderedmap.Len(branch.Properties) == 0 {
			return "", nil
		}
		ids[branch.id] = true
	}
	if len(branches) < 2 {
		return "", nil
	}
	var names []string
	if sh.Discriminator != nil {
		names = append(names, sh.Discriminator.PropertyName)
	}
	names = slices.AppendSeq(names, branches[0].Properties.KeysFromOldest())
	for _, name := range names {
		var values []string
		for _, branch := range branches {
			value := constant(branch, name)
			if sh.Discriminator != nil && name == sh.Discriminator.PropertyName {
				if all := mapped(sh.Discriminator, branch); len(all) > 1 {
					value = "" // a union has one value for each struct
				} else {
					value = cmp.Or(strings.Join(all, ""), value, lastSegment(branch.ref))
				}
			}
			if value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		if len(values) == len(branches) && isMemberName(name) {
			return name, values
		}
	}
	return "", nil
}

// mapped returns the values of a discriminator for a branch.
func mapped(d *base.Discriminator, branch *shape) (values []string) {
	for value, target := range d.Mapping.FromOldest() {
		if branch.ref != "" && (target == branch.ref || target == lastSegment(branch.ref)) {
			values = append(values, value)
		}
	}
	return values
}

// constant returns the only value of a string member, "" if it has several.
func constant(sh *shape, name string) string {
	property, ok := sh.Properties.Get(name)
	if !ok {
		return ""
	}
	schema := property.Schema()
	if schema == nil {
		return ""
	}
	values := (&shape{Schema: schema}).values()
	if len(values) != 1 || values[0].Tag != "!!str" {
		return ""
	}
	return values[0].Value
}

// union declares the interface of structs that a member identifies.
func (t *typer) union(p place, sh *shape, u use, discriminator string, branches []*shape, values []string) typeRef {
	key := typeKey{sh.id, u, ""}
	if e := t.types[key]; e != nil {
		return e.ref
	}
	p = p.of(sh)
	d := &Decl{Kind: DeclUnion, Doc: t.docOf(sh), Discriminator: discriminator}
	e := t.declare(key, p.GoName, d)
	for i, branch := range branches {
		member := t.structType(p.within("the schema for "+values[i], goName(values[i])), branch, u, discriminator)
		d.Members = append(d.Members, EnumItem{member.Go, values[i]})
	}
	return e.ref
}
