package reflectschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// An arm is a member of a union as the codec and the schema see it.
type arm struct {
	name   string
	goType reflect.Type // what decoding makes: the struct, or a pointer to it
	node   *node        // the struct
	open   string       // how its object begins: {"type":"circle"
}

// union resolves an interface with methods, which must be a registered union.
func (r *resolver) union(n *node, at typeLocation) {
	u := unionOf(n.goType)
	if u == nil {
		r.refuse(at, fmt.Sprintf("%s is an interface with methods: JSON does not say which Go type to make", n.goType),
			"register its members with reflectschema.Union first, or use the concrete type, or any")
		return
	}
	n.kind = kindUnion
	n.discriminator = u.discriminator
	for _, m := range u.members {
		member := r.resolve(m.structType(), at)
		if member.registered != nil {
			r.refuse(at, fmt.Sprintf("what is registered for %s, a member of %s, knows nothing of the discriminator", m.structType(), n.goType),
				"drop the registration, or make a struct with a field of the type the member")
		}
		if member.kind == kindStruct { // else it is refused
			open := jsondoc.AppendString(append(jsondoc.AppendString([]byte("{"), u.discriminator), ':'), m.name)
			n.arms = append(n.arms, arm{m.name, m.goType, member, string(open)})
		}
	}
}

// union describes a union: a branch per member, each written out in full with
// the discriminator as its first property.
func (d *schemaBuilder) union(n *node, at typeLocation) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for i := range n.arms {
		a := &n.arms[i]
		branch, err := a.branch(d.body(a.node, at), n.discriminator)
		if err != "" {
			d.refuse(at, fmt.Sprintf("%s, a member of %s: %s", a.node.goType, n.goType, err), "correct its JSONSchemaExtend method")
		}
		s.OneOf = append(s.OneOf, branch)
	}
	return s
}

// branch returns the schema of a struct with the discriminator put in front.
// The schema itself stays as it is: the values in the tags of the struct are
// held against it.
func (a *arm) branch(s *jsonschema.Schema, discriminator string) (made *jsonschema.Schema, err string) {
	own := *s
	own.Properties = jsonschema.NewProperties()
	own.Properties.Set(discriminator, &jsonschema.Schema{Type: "string", Const: a.name})
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if p.Key == discriminator {
				err = fmt.Sprintf("its schema has a property %q, like the discriminator", discriminator)
				continue
			}
			own.Properties.Set(p.Key, p.Value)
		}
	}
	own.Required = append([]string{discriminator}, s.Required...)
	own.Examples = slices.Clone(s.Examples)
	for i, example := range own.Examples {
		own.Examples[i] = a.example(example, discriminator)
	}
	return &own, err
}

// example returns an example of the struct as one of the member.
func (a *arm) example(given any, discriminator string) any {
	raw, err := json.Marshal(given)
	if err != nil || !strings.HasPrefix(string(raw), "{") {
		return given
	}
	obj := jsondoc.Value{Kind: jsontext.KindBeginObject, Members: []jsondoc.Member{{Name: discriminator, Value: jsondoc.String(a.name)}}}
	obj.Members = append(obj.Members, jsondoc.Parse(raw).Without(discriminator).Members...)
	return json.RawMessage(obj.AppendTo(nil))
}

// armNames lists what the discriminator may be.
func (n *node) armNames() string {
	names := make([]string, len(n.arms))
	for i := range n.arms {
		names[i] = n.arms[i].name
	}
	return show.List(names, func(name string) string { return show.Quote(name, show.MaxName) })
}
