package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/datamodel/low"
	"github.com/pb33f/libopenapi/orderedmap"
	"github.com/pb33f/libopenapi/utils"
)

// A schemaID identifies a schema of the document, however it is reached. Two copies of a mapping that is made with YAML merge keys
// share their first key.
type schemaID struct {
	node any
	keys int
}

func idOf(s *base.Schema) schemaID {
	schema := s.GoLow()
	if schema == nil || schema.RootNode == nil {
		return schemaID{s, 0}
	}
	node := schema.RootNode
	if isRef, _, _ := utils.IsNodeRefValue(node); isRef && schema.ParentProxy != nil { // a component that is a reference
		if target, _, _, _ := low.LocateRefEnd(schema.ParentProxy.GetContext(), node, schema.ParentProxy.GetIndex(), 0); target != nil {
			node = target
		}
	}
	if len(node.Content) == 0 {
		return schemaID{node, 0}
	}
	return schemaID{node.Content[0], len(node.Content)}
}

// A shape is a schema whose references are followed and whose allOf is merged. Its Schema has no allOf, no null among its types,
// values and branches, and no annotations; they are in the shape.
type shape struct {
	*base.Schema
	id       schemaID
	name     string // the Go name that its reference suggests, "" for an inline schema
	ref      string // the reference
	doc      string
	nullable bool
	branches []*base.SchemaProxy // of oneOf or anyOf
	annotations
}

// annotations are the keywords of a schema that do not restrict values. Annotations beside a reference override the
// annotations of its target.
type annotations struct {
	readOnly, writeOnly, deprecated bool
	fallback, example               *yaml.Node
}

// A mistake is a part of an operation that cannot be translated. fail panics with it, as in text/template/parse, and attempt
// returns it.
type mistake struct{ error }

func fail(format string, args ...any) {
	panic(mistake{fmt.Errorf(format, args...)}) //nolint:forbidigo // attempt returns it
}

// attempt translates an operation or schemas. If there is a mistake, it returns the mistake, and forgets the types that are not complete.
func (t *typer) attempt(translate func()) (err error) {
	known := len(t.list)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case mistake:
			err = p.error
			for _, e := range t.list[known:] {
				delete(t.types, e.typeKey)
			}
		default:
			panic(p) //nolint:forbidigo // it is not ours
		}
	}()
	translate()
	return nil
}

// built returns the schema of a proxy. If there are keywords beside the reference, it is an allOf of them and the reference.
func built(p place, proxy *base.SchemaProxy) *base.Schema {
	schema, err := proxy.BuildSchema()
	if err == nil && schema != nil && proxy.IsTransformedRefWithSiblings() {
		schema, err = proxy.BuildTransformedRefSemanticSchema(nil)
	}
	if err == nil && schema == nil {
		err = errors.New("the schema is missing or its reference leads nowhere")
	}
	if err != nil {
		fail("%s: %w", p.Part, err)
	}
	return schema
}

// shape follows references and merges allOf.
func (t *typer) shape(p place, proxy *base.SchemaProxy, above ...schemaID) *shape {
	schema := built(p, proxy)
	id := idOf(schema)
	if slices.Contains(above, id) {
		fail("%s: the schema contains itself through allOf or a reference, so no value fits it", p.Part)
	}
	sh := t.shapes[id]
	if sh == nil {
		sh = t.newShape(p, schema, id, append(slices.Clip(above), id))
		t.shapes[id] = sh
	}
	if ref := proxy.GetReference(); ref != "" && !proxy.IsTransformedRefWithSiblings() && sh.name == "" {
		named := *sh
		named.name, named.ref = referenceName(ref), ref
		return &named
	}
	return sh
}

func (t *typer) newShape(p place, schema *base.Schema, id schemaID, above []schemaID) *shape {
	if schema.BooleanSchema != nil {
		return &shape{Schema: schema, id: id}
	}
	bare, outer := stripped(schema)
	outer.id = id
	if expressionLiteral.MatchString(bare.Pattern) {
		t.note(p, "pattern=%s is not checked: no text matches it, because of its slashes", bare.Pattern)
		bare.Pattern = ""
	}
	within := schema.AllOf
	if len(within) == 0 && len(outer.branches) == 1 && isBare(bare) { // a choice of one schema
		within, outer.branches = outer.branches, nil
	}
	var parts, solid []*shape
	for _, proxy := range within {
		part := t.shape(p, proxy, above...)
		if parts = append(parts, part); !part.isEmpty() {
			solid = append(solid, part)
		}
	}
	if len(solid) == 1 && isBare(bare) && outer.branches == nil {
		for _, part := range parts {
			if part != solid[0] {
				outer.add(part, true)
			}
		}
		outer.add(solid[0], true)
		outer.Schema, outer.id, outer.name, outer.ref, outer.branches = solid[0].Schema, solid[0].id, solid[0].name, solid[0].ref, solid[0].branches
		return outer
	}
	for _, part := range parts {
		outer.add(part, part.isEmpty())
		if part.name == "" && outer.doc == "" {
			outer.doc = part.doc
		}
		t.merge(p, bare, part)
		switch {
		case part.branches == nil:
		case outer.branches == nil:
			outer.branches, bare.Discriminator = part.branches, part.Discriminator
		default:
			t.note(p, "a second oneOf or anyOf in an allOf is not checked")
		}
	}
	outer.Schema = bare
	return outer
}

// expressionLiteral matches a pattern like /^a$/i, which no text matches: nothing is before its start.
var expressionLiteral = regexp.MustCompile(`^/\^.*\$/[a-z]*$`)

// stripped returns a copy of a schema without allOf, branches, annotations and null, and a shape with those but allOf.
func stripped(schema *base.Schema) (*base.Schema, *shape) {
	bare := *schema
	sh := &shape{
		doc:         schema.Description,
		nullable:    isTrue(schema.Nullable),
		annotations: annotations{isTrue(schema.ReadOnly), isTrue(schema.WriteOnly), isTrue(schema.Deprecated), schema.Default, schema.Example},
	}
	if sh.example == nil && len(schema.Examples) > 0 {
		sh.example = schema.Examples[0]
	}
	isNullNode := func(n *yaml.Node) bool { return n != nil && n.Tag == "!!null" }
	if slices.Contains(bare.Type, "null") || slices.ContainsFunc(bare.Enum, isNullNode) && bare.Type == nil || isNullNode(bare.Const) {
		sh.nullable = true
	}
	if len(bare.Type) != 1 || bare.Type[0] != "null" {
		bare.Type = slices.DeleteFunc(slices.Clone(bare.Type), func(name string) bool { return name == "null" })
	}
	bare.Enum = slices.DeleteFunc(slices.Clone(bare.Enum), isNullNode)
	for _, branch := range slices.Concat(bare.OneOf, bare.AnyOf) {
		s := branch.Schema()
		if s != nil && !branch.IsReference() && (slices.Equal(s.Type, []string{"null"}) || isNullNode(s.Const) || len(s.Enum) == 1 && isNullNode(s.Enum[0])) {
			sh.nullable = true
			continue
		}
		sh.branches = append(sh.branches, branch)
	}
	bare.AllOf, bare.OneOf, bare.AnyOf = nil, nil, nil
	bare.Description, bare.Title, bare.Nullable = "", "", nil
	bare.ReadOnly, bare.WriteOnly, bare.Deprecated, bare.Default, bare.Example, bare.Examples = nil, nil, nil, nil, nil, nil
	return &bare, sh
}

// add adds the annotations of a part of an allOf, which come after those that the shape has. If all is set, the description and the
// deprecation are of the whole as well.
func (sh *shape) add(part *shape, all bool) {
	sh.nullable = sh.nullable || part.nullable
	sh.readOnly, sh.writeOnly = sh.readOnly || part.readOnly, sh.writeOnly || part.writeOnly
	sh.fallback, sh.example = cmp.Or(sh.fallback, part.fallback), cmp.Or(sh.example, part.example)
	if all {
		sh.doc, sh.deprecated = cmp.Or(sh.doc, part.doc), sh.deprecated || part.deprecated
	}
}

// isBare reports whether a stripped schema has no keywords beside a type, which its parts and branches have as well.
func isBare(s *base.Schema) bool {
	return orderedmap.Len(s.Properties) == 0 && len(s.Required) == 0 && s.Items == nil && s.AdditionalProperties == nil && len(s.Enum) == 0 &&
		s.Const == nil && s.Format == "" && s.Pattern == "" && orderedmap.Len(s.PatternProperties) == 0 && s.PrefixItems == nil && s.Not == nil &&
		s.Minimum == nil && s.Maximum == nil && s.MinLength == nil && s.MaxLength == nil && s.MinItems == nil && s.MaxItems == nil &&
		s.MinProperties == nil && s.MaxProperties == nil && s.MultipleOf == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil &&
		s.UniqueItems == nil && s.If == nil && orderedmap.Len(s.DependentRequired) == 0
}

// isEmpty reports whether every value fits the shape.
func (sh *shape) isEmpty() bool {
	if sh.BooleanSchema != nil {
		return *sh.BooleanSchema
	}
	return len(sh.Type) == 0 && isBare(sh.Schema) && sh.branches == nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// types returns the JSON types of a shape, also those that follow from its other keywords; nil for any.
func (sh *shape) types() []string {
	switch {
	case len(sh.Type) > 0:
		return sh.Type
	case orderedmap.Len(sh.Properties) > 0, orderedmap.Len(sh.PatternProperties) > 0, sh.AdditionalProperties != nil, len(sh.Required) > 0:
		return []string{"object"}
	case sh.Items != nil, len(sh.PrefixItems) > 0:
		return []string{"array"}
	}
	var types []string
	for _, value := range sh.values() {
		name := map[string]string{"!!str": "string", "!!int": "integer", "!!float": "number", "!!bool": "boolean"}[value.Tag]
		if name == "" {
			return nil
		}
		if !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return types
}

// values returns the only possible values, nil for any.
func (sh *shape) values() []*yaml.Node {
	if sh.Const != nil && sh.Const.Tag != "!!null" {
		return []*yaml.Node{sh.Const}
	}
	return sh.Enum
}
