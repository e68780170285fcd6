package reflectschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// Union registers the structs that an interface may contain, once for the whole program. After that, the interface can
// be the type of a field, an element or a result. It is called in the declarations of a package:
//
//	type Shape interface{ isShape() }
//
//	var _ = reflectschema.Union("type", map[string]Shape{
//		"circle": Circle{},
//		"square": (*Square)(nil),
//	})
//
// In JSON, a Shape is the object of its struct with the discriminator as an additional, first member:
// {"type":"circle","radius":1}. The schema is a oneOf with a branch for each struct, ordered by name.
//
// The keys of members are the values of the discriminator. Only the types of the values matter, each a struct or a
// pointer to one; decoding makes values of that type, encoding accepts the struct and the pointer. A struct may belong
// to several unions, and may have fields with unions.
//
// Union panics with a [TypeErrors] that lists every mistake: I is not an interface with a name and methods; it is
// already registered, in another way (the same registration again has no effect); the discriminator is not a valid name
// in a json tag; members is empty; a key is empty or not UTF-8; a value is nil or not a struct, occurs twice, has a
// field with the name of the discriminator, or has a JSONSchema method or methods that read or write its JSON or text.
// A value that does not implement I is an error of the compiler.
//
// Union is safe for concurrent use. It must be called before the first [Compile] of a type that contains the interface,
// which otherwise returns an error; Go initializes the variables of a package in the order of their declaration. The
// result has no meaning; it permits the call in a declaration.
func Union[I any](discriminator string, members map[string]I) struct{} {
	u := &union{iface: reflect.TypeFor[I](), discriminator: discriminator, location: callsite.Outside(ownPackage)}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		u.members = append(u.members, unionMember{name, reflect.TypeOf(members[name])})
	}
	if err := u.register(); err != nil {
		panic(err) //nolint:forbidigo // as http.HandleFunc does: a declaration cannot handle an error
	}
	return struct{}{}
}

// ownPackage is the import path of this package.
var ownPackage = reflect.TypeFor[Type]().PkgPath()

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

// unions maps the reflect.Type of an interface to *union.
var unions sync.Map

// unionOf returns the union of an interface, nil if there is none.
func unionOf(iface reflect.Type) *union {
	u, _ := unions.Load(iface)
	found, _ := u.(*union)
	return found
}

// register checks and stores the union.
func (u *union) register() error {
	mistakes := u.check()
	if len(mistakes) == 0 {
		if known, ok := unions.LoadOrStore(u.iface, u); ok {
			mistakes = u.clash(known.(*union)) //nolint:errcheck,forcetypeassert // nothing else is stored
		}
	}
	if len(mistakes) == 0 {
		return nil
	}
	errs := make(TypeErrors, len(mistakes))
	for i, f := range mistakes {
		errs[i] = &TypeError{Type: nameOf(u.iface), Reason: "union at " + u.location + ": " + f.Reason, Fix: f.Fix}
	}
	return errs
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
			return fmt.Sprintf("is %s, whose field %s is called %q in JSON, like the discriminator", m.goType, fields[i].goPath, u.discriminator),
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
func (r *resolver) union(n *codec.Node, at typeLocation) {
	u := unionOf(n.GoType)
	if u == nil {
		r.refuse(at, fmt.Sprintf("%s is an interface with methods: JSON does not say which Go type to make", n.GoType),
			"register its members with reflectschema.Union first, or use the concrete type, or any")
		return
	}
	n.Kind = codec.KindUnion
	n.Discriminator = u.discriminator
	for _, m := range u.members {
		member := r.resolve(m.structType(), at)
		if member.Registered != nil {
			r.refuse(at, fmt.Sprintf("what is registered for %s, a member of %s, knows nothing of the discriminator", m.structType(), n.GoType),
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
func (d *schemaBuilder) union(n *codec.Node, at typeLocation) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for i := range n.Arms {
		a := &n.Arms[i]
		branch, err := branchOf(a, d.body(a.Node, at), n.Discriminator)
		if err != "" {
			d.refuse(at, fmt.Sprintf("%s, a member of %s: %s", a.Node.GoType, n.GoType, err), "correct its JSONSchemaExtend method")
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
