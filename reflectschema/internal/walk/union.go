package walk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A union is the registration of an interface. It is immutable.
type union struct {
	iface         reflect.Type
	discriminator string
	members       []unionMember // by name
	location      string        // file:line of the call of Union
}

type unionMember struct {
	name   string
	goType reflect.Type // a struct, or a pointer to one; nil if a nil was given
}

// NewUnion returns a union that is not yet registered.
func NewUnion(iface reflect.Type, discriminator, location string) *union {
	return &union{iface: iface, discriminator: discriminator, location: location}
}

// Add adds a member, in the order of the names. The type is a struct, or a pointer to one; nil if a nil was given.
func (u *union) Add(name string, goType reflect.Type) {
	u.members = append(u.members, unionMember{name, goType})
}

// unions maps the reflect.Type of an interface to *union.
var unions sync.Map

// unionOf returns the union of an interface, nil if there is none.
func unionOf(iface reflect.Type) *union {
	u, _ := unions.Load(iface)
	found, _ := u.(*union)
	return found
}

// Register checks and stores the union, and returns the mistakes.
func (u *union) Register() []tag.Mistake {
	mistakes := u.check()
	if len(mistakes) == 0 {
		if known, ok := unions.LoadOrStore(u.iface, u); ok {
			return u.clash(known.(*union)) //nolint:errcheck,forcetypeassert // nothing else is stored
		}
	}
	return mistakes
}

// clash returns a mistake if u differs from the known registration of its interface.
func (u *union) clash(known *union) []tag.Mistake {
	if u.discriminator == known.discriminator && slices.Equal(u.members, known.members) {
		return nil
	}
	return []tag.Mistake{{Reason: "its members were registered otherwise at " + known.location, Fix: "keep one"}}
}

// check returns the mistakes of the union itself, then those of its members.
func (u *union) check() (mistakes []tag.Mistake) {
	switch {
	case u.iface.Kind() != reflect.Interface:
		return []tag.Mistake{{Reason: "it is no interface, so it holds one type alone", Fix: "give a map[string]I whose I is the interface"}}
	case u.iface.NumMethod() == 0:
		return []tag.Mistake{{Reason: "an interface without methods holds every type", Fix: "give it a method that only the members have"}}
	case u.iface.Name() == "":
		return []tag.Mistake{{Reason: "the interface has no name", Fix: "declare a type"}}
	}
	if u.discriminator == "" {
		mistakes = append(mistakes, tag.Mistake{Reason: "the discriminator has no name", Fix: `call it "type" or "kind"`})
	} else if f := tag.CheckName(u.discriminator); f != nil {
		mistakes = append(mistakes, *f)
	}
	if len(u.members) == 0 {
		mistakes = append(mistakes, tag.Mistake{Reason: "it has no members", Fix: "list them"})
	}
	names := map[reflect.Type]string{}
	for _, m := range u.members {
		reason, fix := u.checkMember(m)
		if first, twice := names[m.structType()]; twice && reason == "" {
			reason = fmt.Sprintf("is %s, and so is %q: encoding could not tell which name to write", m.goType, first)
			fix = "keep one, or declare a second type"
		}
		if reason == "" {
			names[m.structType()] = m.name
			continue
		}
		mistakes = append(mistakes, tag.Mistake{Reason: fmt.Sprintf("member %q %s", m.name, reason), Fix: fix})
	}
	return mistakes
}

// checkMember returns the reason why a type cannot be a member, or "".
func (u *union) checkMember(m unionMember) (reason, fix string) {
	t := m.structType()
	switch {
	case m.name == "" || !utf8.ValidString(m.name):
		return "has a name that is no text", "give it one that a model can read"
	case t == nil:
		return "is nil, which has no type", "write a value, or a typed nil like (*Square)(nil)"
	case t.Kind() != reflect.Struct:
		return fmt.Sprintf("is %s, and only an object has room for the discriminator", m.goType), "put it into a struct"
	case has(t, replacerType) && declares(t, jsonSchemaMethod):
		return fmt.Sprintf("is %s, whose JSONSchema method knows nothing of the discriminator", m.goType), "use JSONSchemaExtend, which adds to what is derived"
	}
	for _, own := range []struct {
		name  string
		owner reflect.Type
	}{
		{marshalJSONMethod, jsonMarshaler},
		{unmarshalJSONMethod, jsonUnmarshaler},
		{marshalTextMethod, textMarshaler},
		{unmarshalTextMethod, textUnmarshaler},
	} {
		if has(t, own.owner) {
			return fmt.Sprintf("is %s, whose %s method knows nothing of the discriminator", m.goType, own.name), "drop the method, or wrap the type in a struct with a field of it"
		}
	}
	fields, _ := membersOf(t) // Compile reports mistakes in them
	for i := range fields {
		if fields[i].Name == u.discriminator {
			return fmt.Sprintf("is %s, whose field %s is called %q in JSON, like the discriminator", m.goType, fields[i].GoPath, u.discriminator),
				"drop the field: the type says what it would; or choose another discriminator"
		}
	}
	return "", ""
}

// structType returns the type behind a pointer.
func (m unionMember) structType() reflect.Type {
	if m.goType != nil && m.goType.Kind() == reflect.Pointer {
		return m.goType.Elem()
	}
	return m.goType
}

// union resolves an interface with methods, which must be a registered union.
func (r *Resolver) union(n *codec.Node, at Location) {
	u := unionOf(n.GoType)
	if u == nil {
		r.Refuse(at, fmt.Sprintf("%s is an interface with methods: JSON does not say which Go type to make", n.GoType),
			"register its members with reflectschema.Union first, or use the concrete type, or any")
		return
	}
	n.Kind = codec.KindUnion
	n.Discriminator = u.discriminator
	for _, m := range u.members {
		member := r.resolve(m.structType(), at)
		if member.Registered != nil {
			r.Refuse(at, fmt.Sprintf("what is registered for %s, a member of %s, knows nothing of the discriminator", m.structType(), n.GoType),
				"drop the registration, or make a struct with a field of the type the member")
		}
		if member.Kind == codec.KindStruct { // otherwise, it has been rejected
			open := jsondoc.AppendString(append(jsondoc.AppendString([]byte("{"), u.discriminator), ':'), m.name)
			n.Arms = append(n.Arms, codec.Arm{Name: m.name, GoType: m.goType, Node: member, Open: string(open)})
		}
	}
}

// union returns the schema of a union: a branch per member, each written out in full with the discriminator as its
// first property.
func (d *Builder) union(n *codec.Node, at Location) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for i := range n.Arms {
		a := &n.Arms[i]
		branch, err := branchOf(a, d.body(a.Node, at), n.Discriminator)
		if err != "" {
			d.Refuse(at, fmt.Sprintf("%s, a member of %s: %s", a.Node.GoType, n.GoType, err), "correct its JSONSchemaExtend method")
		}
		s.OneOf = append(s.OneOf, branch)
	}
	return s
}

// branchOf returns a copy of the schema of a struct with the discriminator as its first property. It does not modify s,
// against which the values in the tags of the struct are checked.
func branchOf(a *codec.Arm, s *jsonschema.Schema, discriminator string) (made *jsonschema.Schema, err string) {
	own := *s
	own.Properties = jsonschema.NewProperties()
	own.Properties.Set(discriminator, &jsonschema.Schema{Type: "string", Const: a.Name})
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
		own.Examples[i] = armExample(a, example, discriminator)
	}
	return &own, err
}

// armExample adds the discriminator to an example of the struct.
func armExample(a *codec.Arm, given any, discriminator string) any {
	raw, err := json.Marshal(given)
	if err != nil || !strings.HasPrefix(string(raw), "{") {
		return given
	}
	obj := jsondoc.Value{Kind: jsontext.KindBeginObject, Members: []jsondoc.Member{{Name: discriminator, Value: jsondoc.String(a.Name)}}}
	obj.Members = append(obj.Members, jsondoc.Parse(raw).Without(discriminator).Members...)
	return json.RawMessage(obj.AppendTo(nil))
}
