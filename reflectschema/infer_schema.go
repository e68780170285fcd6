package reflectschema

import (
	"encoding/json"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A schemaBuilder builds the schema of a graph of nodes.
type schemaBuilder struct {
	*resolver
	names   map[*codec.Node]string // the types that are definitions
	checks  []valueCheck           // values in tags, to be checked against the schemas
	checked map[any]bool           // *node, *structMember: a type that is inlined twice is checked once
	hooked  bool                   // a method of a type contributed to the document
}

// A valueCheck is a value from a tag with the schema that it must fit.
type valueCheck struct {
	at     typeLocation
	text   string // of the keyword in the tag
	value  json.RawMessage
	schema *jsonschema.Schema
	node   *codec.Node       // the type that it must decode to
	listed []json.RawMessage // instead of value: registered values, one of which must fit
}

// schema returns the schema of a node: a reference if the node is a definition, otherwise its body.
func (d *schemaBuilder) schema(n *codec.Node, at typeLocation) *jsonschema.Schema {
	n = n.Bare()
	if name, ok := d.names[n]; ok {
		return &jsonschema.Schema{Ref: refPrefix + name}
	}
	return d.body(n, at)
}

// body returns the schema of a node from its registration or hooks, otherwise from its type.
func (d *schemaBuilder) body(n *codec.Node, at typeLocation) *jsonschema.Schema {
	if n.Registered != nil {
		return typeSchemaAt(n).draft(n)
	}
	h := hookOf(n.GoType)
	switch {
	case h == nil:
		return d.derive(n, at)
	case n.Quoted:
		return d.quotedHook(n, at)
	}
	d.hooked = true
	var (
		s   *jsonschema.Schema
		err error
	)
	if h.replaces {
		s, err = callReplace(n.GoType)
	} else {
		s = d.derive(n, at)
	}
	if err == nil && h.extends {
		err = callExtend(n.GoType, s)
	}
	if err != nil {
		d.refuse(at, n.GoType.String()+": "+err.Error(), "correct the method")
		return &jsonschema.Schema{}
	}
	return s
}

func (d *schemaBuilder) derive(n *codec.Node, at typeLocation) *jsonschema.Schema {
	switch n.Kind {
	case codec.KindSlice, codec.KindArray:
		s := &jsonschema.Schema{Type: "array", Items: d.element(n.Elem, nil, at.below("[]"))}
		if n.Kind == codec.KindArray {
			length := uint64(n.GoType.Len()) //nolint:gosec // a length is not negative
			s.MinItems, s.MaxItems = &length, &length
		}
		return s
	case codec.KindMap:
		return &jsonschema.Schema{
			Type: "object", Properties: jsonschema.NewProperties(),
			AdditionalProperties: d.element(n.Elem, nil, at.below("{}")), PropertyNames: d.memberNames(n.Key, at),
		}
	case codec.KindStruct:
		return d.object(n, at)
	case codec.KindUnion:
		return d.union(n, at)
	default:
		return leaf(n)
	}
}

// element returns the schema of an element of a slice, an array or a map, with the settings of the field for elements.
func (d *schemaBuilder) element(n *codec.Node, settings []tag.Setting, at typeLocation) *jsonschema.Schema {
	s := d.schema(n, at)
	tag.Apply(s, settings)
	if d.direction.encodes() && n.Kind == codec.KindPointer {
		return nullable(s, n)
	}
	return s
}

// object returns the schema of a struct, built on the schema of an empty struct from the reflector.
func (d *schemaBuilder) object(n *codec.Node, at typeLocation) *jsonschema.Schema {
	shape := d.shapes[n]
	members := shape.members
	s := *plainSchemas()[codec.KindStruct]
	s.Properties = jsonschema.NewProperties()
	for i := range members {
		m := &members[i]
		inner := at.member(n.GoType, m.goPath, m.Name)
		s.Properties.Set(m.Name, d.property(d.schema(m.Node, inner), m, inner))
		if !m.Optional {
			s.Required = append(s.Required, m.Name)
		}
		for name := range m.dependents() {
			if s.DependentRequired == nil {
				s.DependentRequired = map[string][]string{}
			}
			s.DependentRequired[m.Name] = append(s.DependentRequired[m.Name], name)
		}
	}
	tag.Apply(&s, shape.settings)
	if len(shape.settings) > 0 && !d.checked[n] {
		d.checked[n] = true
		d.check(&s, shape.settings, n, at.member(n.GoType, "_", ""))
	}
	if shape.description != "" {
		s.Description = shape.description
	}
	return &s
}

// property completes the schema of a member from its tags.
func (d *schemaBuilder) property(p *jsonschema.Schema, m *structMember, at typeLocation) *jsonschema.Schema {
	var own, elements []tag.Setting
	for _, s := range m.settings {
		if s.Elements {
			elements = append(elements, s)
		} else {
			own = append(own, s)
		}
	}
	if len(elements) > 0 {
		p.Items = d.element(m.Node.Bare().Elem, elements, at.below("[]"))
	}
	tag.Apply(p, own)
	if !d.checked[m] {
		d.add(at, tag.Contradictions(p, own, m.Node.Bare())...)
		if len(elements) > 0 {
			d.add(at.below("[]"), tag.Contradictions(p.Items, elements, m.Node.Bare().Elem.Bare())...)
		}
	}
	if m.belowPointer && d.direction.encodes() {
		p.Default = nil // absent means that the embedded pointer is nil
	}
	if m.description != "" {
		p.Description = m.description
	}
	if m.Nullable {
		p = nullable(p, m.Node)
	}
	if len(m.settings) > 0 && !d.checked[m] {
		d.checked[m] = true
		d.check(p, m.settings, m.Node, at)
		d.checkListed(p, own, m.Node.Bare(), at)
		if len(elements) > 0 {
			d.checkListed(p.Items, elements, m.Node.Bare().Elem.Bare(), at)
		}
	}
	return p
}

// check adds the values in settings to the checks of the finished document: values of the field and of its elements.
func (d *schemaBuilder) check(s *jsonschema.Schema, settings []tag.Setting, n *codec.Node, at typeLocation) {
	for _, set := range settings {
		if !set.IsValue() {
			continue
		}
		c := valueCheck{at: at, text: set.Text, value: set.Value, schema: s, node: n}
		if set.Node != n.Bare() {
			c.schema, c.node = s.Items, n.Bare().Elem
		}
		d.checks = append(d.checks, c)
	}
}

// checkListed adds a check that at least one of the values registered for a type fits the bounds of a tag. Values that
// the tag lists are checked one by one instead.
func (d *schemaBuilder) checkListed(s *jsonschema.Schema, settings []tag.Setting, n *codec.Node, at typeLocation) {
	if n.Registered == nil {
		return
	}
	var texts []string
	for _, set := range settings {
		switch {
		case set.Keyword.Name == "enum" || set.Keyword.Name == "const":
			return
		case set.Bounds():
			texts = append(texts, set.Text)
		}
	}
	c := valueCheck{at: at, text: strings.Join(texts, ","), schema: s, node: n}
	for _, v := range n.Registered.Doc().Get("enum").Elements() {
		if !v.IsNull() { // null fits every bound
			c.listed = append(c.listed, v.AppendTo(nil))
		}
	}
	if len(texts) > 0 && len(c.listed) > 0 {
		d.checks = append(d.checks, c)
	}
}

// hasAssertion reports whether extras contain more than annotations.
func hasAssertion(extras map[string]any) bool {
	for name := range extras {
		if !jsondoc.IsAnnotation(name) {
			return true
		}
	}
	return false
}

// nullable returns the schema of a node with null as an additional valid value.
func nullable(s *jsonschema.Schema, n *codec.Node) *jsonschema.Schema {
	if own := typeSchemaAt(n.Bare()); own != nil && own.allowsNull() || own == nil && tag.IsAny(n) {
		return s
	}
	plain := s.Type != "" && s.Const == nil && !hasAssertion(s.Extras) && s.Ref == "" && s.If == nil && s.Not == nil &&
		len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) == 0
	if plain {
		tag.SetExtra(s, "type", []string{s.Type, "null"})
		s.Type = ""
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
		return s
	}
	outer := &jsonschema.Schema{
		Title: s.Title, Description: s.Description, Default: s.Default, Examples: s.Examples,
		Deprecated: s.Deprecated, ReadOnly: s.ReadOnly, WriteOnly: s.WriteOnly,
	}
	s.Title, s.Description, s.Default, s.Examples = "", "", nil, nil
	s.Deprecated, s.ReadOnly, s.WriteOnly = false, false, false
	outer.AnyOf = []*jsonschema.Schema{s, {Type: "null"}}
	return outer
}
