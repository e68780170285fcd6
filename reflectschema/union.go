package reflectschema

import (
	"maps"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// RegisterUnion registers the structs that an interface may contain, once for the whole program. After that, the interface can
// be the type of a field, an element or a result. For example:
//
//	type Shape interface{ isShape() }
//
//	func init() {
//		reflectschema.RegisterUnion("type", map[string]Shape{
//			"circle": Circle{},
//			"square": (*Square)(nil),
//		})
//	}
//
// In JSON, a Shape is the object of its struct with the discriminator as an additional, first member:
// {"type":"circle","radius":1}. The schema is an anyOf with a branch for each struct, ordered by name. A value fits at
// most one of them, because each requires its own discriminator.
//
// The keys of members are the values of the discriminator. Only the types of the values matter, each a struct or a
// pointer to one; decoding makes values of that type, encoding accepts the struct and the pointer. A struct may belong
// to several unions, and may have fields with unions.
//
// RegisterUnion panics with a [TypeErrors] that lists every mistake: I is not an interface with a name and methods; it is
// already registered, in another way (the same registration again has no effect); the discriminator is not a valid name
// in a json tag; members is empty; a key is empty or not UTF-8; a value is nil or not a struct, occurs twice, has a
// field with the name of the discriminator, or has a JSONSchema method or methods that read or write its JSON or text.
// A value that does not implement I is an error of the compiler.
//
// RegisterUnion is safe for concurrent use. It must be called before the first [Compile] of a type that contains the
// interface, which otherwise returns an error: as early as [RegisterSchema].
func RegisterUnion[I any](discriminator string, members map[string]I) {
	u := &walk.Union{Interface: reflect.TypeFor[I](), Discriminator: discriminator, Location: callsite.Here(ownPackage).String()}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		u.Members = append(u.Members, walk.UnionMember{Name: name, GoType: reflect.TypeOf(members[name])})
	}
	mistakes := u.Check()
	if len(mistakes) == 0 {
		mistakes = u.Store()
	}
	check(registrationErrors(u.Interface, "union", u.Location, mistakes))
}
