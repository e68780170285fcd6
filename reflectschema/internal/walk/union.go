package walk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/comment"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Union is the registration of an interface. It is immutable once it is registered.
type Union struct {
	Interface     reflect.Type
	Discriminator string
	Members       []UnionMember // by name
	Location      string        // file:line of the call that registers it
}

// A UnionMember is a type that the interface may contain.
type UnionMember struct {
	Name   string
	GoType reflect.Type // a struct, or a pointer to one; nil if a nil was given
}

// Store stores the union. It returns a mistake if it is too late, or if the interface has another registration.
func (u *Union) Store() []tag.Mistake {
	return store(u.Interface, u, func(known any) bool {
		other, ok := known.(*Union)
		return ok && u.Discriminator == other.Discriminator && slices.Equal(u.Members, other.Members)
	})
}

func (u *Union) origin() (function, location string) { return "RegisterUnion", u.Location }

// Check returns the mistakes of the union itself, then the mistakes of its members.
func (u *Union) Check() (mistakes []tag.Mistake) {
	switch {
	case u.Interface.Kind() != reflect.Interface:
		return []tag.Mistake{{Reason: "the type argument must be an interface", Fix: "pass a map[string]I whose I is the interface"}}
	case u.Interface.NumMethod() == 0:
		return []tag.Mistake{{Reason: "an interface without methods accepts every type", Fix: "give it a method that only the members have"}}
	case u.Interface.Name() == "":
		return []tag.Mistake{{Reason: "the interface has no name", Fix: "declare a type"}}
	}
	if u.Discriminator == "" {
		mistakes = append(mistakes, tag.Mistake{Reason: "the discriminator has no name", Fix: `call it "type" or "kind"`})
	} else if f := tag.CheckName(u.Discriminator); f != nil {
		mistakes = append(mistakes, *f)
	}
	if len(u.Members) == 0 {
		mistakes = append(mistakes, tag.Mistake{Reason: "it has no members", Fix: "list them"})
	}
	names := map[reflect.Type]string{}
	for _, m := range u.Members {
		reason, fix := u.checkMember(m)
		if first, twice := names[m.structType()]; twice && reason == "" {
			reason = fmt.Sprintf("is %s, like member %q: encoding cannot choose between the names", m.GoType, first)
			fix = "keep one, or declare a second type"
		}
		if reason == "" {
			names[m.structType()] = m.Name
			continue
		}
		mistakes = append(mistakes, tag.Mistake{Reason: fmt.Sprintf("member %q %s", m.Name, reason), Fix: fix})
	}
	return mistakes
}

// checkMember returns the reason why a type cannot be a member, or "".
func (u *Union) checkMember(m UnionMember) (reason, fix string) {
	t := m.structType()
	switch {
	case m.Name == "" || !utf8.ValidString(m.Name):
		return "has an invalid name", "use printable text"
	case t == nil:
		return "is nil, which has no type", "write a value, or a typed nil like (*Square)(nil)"
	case t.Kind() != reflect.Struct:
		return fmt.Sprintf("is %s, but only an object can have a discriminator", m.GoType), "put it into a struct"
	case has(t, replacerType) && declares(t, jsonSchemaMethod):
		return fmt.Sprintf("is %s, whose JSONSchema method does not include the discriminator", m.GoType), "use JSONSchemaExtend, which adds to what is derived"
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
			return fmt.Sprintf("is %s, whose %s method does not write the discriminator", m.GoType, own.name), "drop the method, or wrap the type in a struct with a field of it"
		}
	}
	fields, _ := membersOf(t) // Compile reports mistakes in them
	for i := range fields {
		if fields[i].Name == u.Discriminator {
			return fmt.Sprintf("is %s, whose field %s is called %q in JSON, like the discriminator", m.GoType, fields[i].GoPath, u.Discriminator),
				"drop the field, which is redundant, or choose another discriminator"
		}
	}
	return "", ""
}

// structType returns the type behind a pointer.
func (m UnionMember) structType() reflect.Type {
	if m.GoType != nil && m.GoType.Kind() == reflect.Pointer {
		return m.GoType.Elem()
	}
	return m.GoType
}

// union resolves an interface with methods, which must be a registered union.
func (r *Resolver) union(n *codec.Node, at Location) {
	u := lookUp[Union](n.GoType)
	if u == nil {
		reason := fmt.Sprintf("%s is an interface with methods: JSON does not determine the Go type", n.GoType)
		if r.direction == codec.Output {
			n.Kind = codec.KindAny // it has the JSON of the value that it contains
			r.discourageType(n, reason, r.interfaceFix())
		} else {
			r.refuseType(n, reason, r.interfaceFix())
		}
		return
	}
	n.Kind = codec.KindUnion
	n.Discriminator = u.Discriminator
	for _, m := range u.Members {
		member := r.resolve(m.structType(), at)
		if member.Registered != nil {
			r.Refuse(at, fmt.Sprintf("what is registered for %s, a member of %s, does not include the discriminator", m.structType(), n.GoType),
				"drop the registration, or make a struct with a field of the type the member")
		}
		if member.Kind == codec.KindStruct { // otherwise, it has been rejected
			open := jsondoc.AppendString(append(jsondoc.AppendString([]byte("{"), u.Discriminator), ':'), m.Name)
			n.Arms = append(n.Arms, codec.Arm{Name: m.Name, GoType: m.GoType, Node: member, Open: string(open)})
		}
	}
}

// interfaceFix returns the advice for an interface that is not a union.
func (r *Resolver) interfaceFix() string {
	const union = "register its members with reflectschema.RegisterUnion first, or use the concrete type, or any"
	if r.direction.Decodes() {
		return union + ", or register functions that write and read it, with reflectschema.RegisterCodec"
	}
	return union + orRegisterJSON
}

// union returns the schema of a union: a branch per member, each written out in full with the discriminator as its
// first property. The discriminator excludes that two branches accept a value, so oneOf would mean the same as anyOf;
// but some clients remove oneOf or reject the schema.
func (d *Builder) union(n *codec.Node, at Location) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for i := range n.Arms {
		a := &n.Arms[i]
		branch, err := branchOf(a, d.body(a.Node, at), n.Discriminator)
		if err != "" {
			d.Refuse(at, fmt.Sprintf("%s, a member of %s: %s", a.Node.GoType, n.GoType, err), "correct its JSONSchemaExtend method")
		}
		branch.Description = comment.Describe(branch.Description, a.Node.GoType, nil)
		s.AnyOf = append(s.AnyOf, branch)
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
	obj := jsondoc.Object(jsondoc.Member{Name: discriminator, Value: jsondoc.String(a.Name)})
	obj.Members = append(obj.Members, jsondoc.Parse(raw).Without(discriminator).Members...)
	return json.RawMessage(obj.AppendTo(nil))
}
