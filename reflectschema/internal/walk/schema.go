package walk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/comment"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Builder builds the schema of a graph of nodes.
type Builder struct {
	*Resolver
	finish  func(*jsonschema.Schema) (codec.Schema, error)
	found   int                    // the number of mistakes of the resolver
	names   map[*codec.Node]string // the types that are definitions
	Checks  []TagValue             // values in tags, to be checked against the schemas
	checked map[any]bool           // *codec.Node, *Member: a type that is inlined twice is checked once
	Hooked  bool                   // a method of a type contributed to the document
}

// A TagValue is a value from a tag with the schema that it must fit.
type TagValue struct {
	At     Location
	Text   string // of the keyword in the tag
	Value  json.RawMessage
	Schema *jsonschema.Schema
	Node   *codec.Node       // the type that it must decode to
	Listed []json.RawMessage // instead of value: registered values, one of which must fit
}

// NewBuilder returns a builder for the graph of a resolver. Finish renders and compiles a schema.
func NewBuilder(r *Resolver, finish func(*jsonschema.Schema) (codec.Schema, error)) *Builder {
	return &Builder{Resolver: r, finish: finish, found: len(r.mistakes), checked: map[any]bool{}}
}

// Build returns the schema of a root. If the schema would have too many parts, it adds a mistake and returns nil. If the
// schema is larger than MaxInlined, Share may return a smaller one.
//
// Rejected types are of kind any in the graph, so that values in other tags are still checked and all mistakes are
// reported at once.
func (d *Builder) Build(root *codec.Node) *jsonschema.Schema {
	if !d.layOut(root) {
		d.Refuse(Location{Owner: d.root}, fmt.Sprintf("the schema has more than %d parts", maxSchemas), "split the type, or use any where the detail does not matter")
		return nil
	}
	return d.document(root)
}

// Share returns the schema that Build has returned with definitions of the types that make it smaller; nil if there are
// none.
func (d *Builder) Share(root *codec.Node) *jsonschema.Schema {
	built := d.names
	d.names = nameDefs(d.sharedOf(root.Bare()))
	if len(d.names) == len(built) {
		return nil
	}
	return d.document(root)
}

// document returns the schema of the root with the definitions. It discards the mistakes and checks of an earlier document.
func (d *Builder) document(root *codec.Node) *jsonschema.Schema {
	d.mistakes, d.Checks, d.checked = d.mistakes[:d.found], nil, map[any]bool{}
	d.refuseOptional(root, Location{Owner: d.root})
	doc := d.body(root.Bare(), Location{Owner: d.root})
	if d.OmitsRootDescription {
		doc.Description = ""
	}
	d.define(doc)
	return doc
}

// define adds the definitions to those that a method may have defined in the document.
func (d *Builder) define(doc *jsonschema.Schema) {
	if len(d.names) == 0 {
		return
	}
	defs := maps.Clone(doc.Definitions)
	if defs == nil {
		defs = jsonschema.Definitions{}
	}
	for _, n := range d.order {
		if name, ok := d.names[n]; ok {
			defs[name] = d.body(n, Location{Owner: n.GoType})
		}
	}
	doc.Definitions = defs
}

// schema returns the schema of a node: a reference if the node is a definition, otherwise its body.
func (d *Builder) schema(n *codec.Node, at Location) *jsonschema.Schema {
	n = n.Bare()
	if name, ok := d.names[n]; ok {
		return &jsonschema.Schema{Ref: refPrefix + name}
	}
	return d.body(n, at)
}

// body returns the schema of a node from its registration or hooks, otherwise from its type.
func (d *Builder) body(n *codec.Node, at Location) *jsonschema.Schema {
	if n.Registered != nil {
		return registrationAt(n).draft(n)
	}
	h := HookOf(n.GoType)
	switch {
	case h == nil:
		return d.derive(n, at)
	case n.Quoted:
		return d.quotedHook(n, at)
	}
	d.Hooked = true
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
		d.Refuse(at, n.GoType.String()+": "+err.Error(), "correct the method")
		return &jsonschema.Schema{}
	}
	return s
}

func (d *Builder) derive(n *codec.Node, at Location) *jsonschema.Schema {
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
func (d *Builder) element(n *codec.Node, settings []tag.Setting, at Location) *jsonschema.Schema {
	s := d.schema(n, at)
	tag.Apply(s, settings)
	s.Description = comment.Describe(s.Description, n.Bare().GoType, s.Enum)
	describeLimits(s, n.Bare())
	if d.direction.Encodes() && n.Kind == codec.KindPointer {
		return nullable(s, n)
	}
	return s
}

// object returns the schema of a struct, built on the schema of an empty struct from the reflector.
func (d *Builder) object(n *codec.Node, at Location) *jsonschema.Schema {
	shape := d.Shapes[n]
	members := shape.Members
	s := *plainSchemas()[codec.KindStruct]
	s.Properties = jsonschema.NewProperties()
	for i := range members {
		m := &members[i]
		inner := at.Member(n.GoType, m.GoPath, m.Name)
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
		d.check(&s, shape.settings, n, at.Member(n.GoType, "_", ""))
	}
	s.Description = cmp.Or(shape.description, s.Description)
	return &s
}

// property completes the schema of a member from its tags.
func (d *Builder) property(p *jsonschema.Schema, m *Member, at Location) *jsonschema.Schema {
	var own, elements []tag.Setting
	for _, s := range m.Settings {
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
		d.Add(at, tag.Contradictions(p, own, m.Node.Bare())...)
		if len(elements) > 0 {
			d.Add(at.below("[]"), tag.Contradictions(p.Items, elements, m.Node.Bare().Elem.Bare())...)
		}
	}
	if m.belowPointer && d.direction.Encodes() {
		p.Default = nil // absent means that the embedded pointer is nil
	}
	p.Description = cmp.Or(m.description, comment.Describe(cmp.Or(m.comment, p.Description), m.Node.Bare().GoType, p.Enum))
	describeLimits(p, m.Node.Bare())
	if m.Nullable {
		p = nullable(p, m.Node)
	}
	if len(m.Settings) > 0 && !d.checked[m] {
		d.checked[m] = true
		d.check(p, m.Settings, m.Node, at)
		d.checkListed(p, own, m.Node.Bare(), at)
		if len(elements) > 0 {
			d.checkListed(p.Items, elements, m.Node.Bare().Elem.Bare(), at)
		}
	}
	return p
}

// check adds the values in settings to the checks of the finished document: values of the field and of its elements.
func (d *Builder) check(s *jsonschema.Schema, settings []tag.Setting, n *codec.Node, at Location) {
	for _, set := range settings {
		if !set.IsValue() {
			continue
		}
		c := TagValue{At: at, Text: set.Text, Value: set.Value, Schema: s, Node: n}
		if set.Node != n.Bare() {
			c.Schema, c.Node = s.Items, n.Bare().Elem
		}
		d.Checks = append(d.Checks, c)
	}
}

// checkListed adds a check that at least one of the values registered for a type fits the bounds of a tag. Values that
// the tag lists are checked one by one instead.
func (d *Builder) checkListed(s *jsonschema.Schema, settings []tag.Setting, n *codec.Node, at Location) {
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
	c := TagValue{At: at, Text: strings.Join(texts, ","), Schema: s, Node: n}
	for _, v := range n.Registered.Doc().Get("enum").Elements() {
		if !v.IsNull() { // null fits every bound
			c.Listed = append(c.Listed, v.AppendTo(nil))
		}
	}
	if len(texts) > 0 && len(c.Listed) > 0 {
		d.Checks = append(d.Checks, c)
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
	if own := registrationAt(n.Bare()); own != nil && own.allowsNull() || own == nil && tag.IsAny(n) {
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
