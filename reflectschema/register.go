package reflectschema

import (
	"encoding/json"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// RegisterSchema registers the JSON Schema of a Go type, once for the whole program. It is for types of other packages, which
// cannot be given a JSONSchema method:
//
//	func init() {
//		reflectschema.RegisterSchema[decimal.Decimal](`{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`)
//	}
//
// RegisterSchema does not change how values of T are read and written: by MarshalJSON and UnmarshalJSON, by text methods,
// or, if T has neither, by its Go kind, which must then be a string, a number or a bool. To change that as well, use
// [RegisterCodec].
//
// The schema applies in both directions, also to elements and to keys of maps: a slice of a registered byte type is an
// array, not a string in base64. Values are checked against it before T reads them and after T has written them. The
// tags of a field may have all keywords that are possible for a field with that schema, and may narrow the schema, but
// not widen it: minLength, enum, default, nullable on a pointer. T is given null only if the schema allows null.
//
// [Compile] returns an error for an output with a field of T that is also written if it is zero, if a method of T writes
// the zero value, and the schema does not allow the result: allow it, such as null for a time that may be missing, or use
// omitzero or a pointer. For this, Compile calls MarshalJSON or MarshalText with the zero value. If the method returns an
// error or panics, the zero value is not checked. The method must not block.
//
// In a map with keys of T, the names are the values that fit the schema, written as strings. Compile returns an error
// for such a map if the schema allows anything but strings, or integers if T is of an integer kind; also if it allows
// null or a limited range of more than 100 integers, and if keys are written differently from values: encoding/json
// writes a key of kind string unchanged, even if T has MarshalText.
//
// The schema must be an object in draft 2020-12. Because it becomes a part of other schemas, it must not have $schema,
// $id, anchors, references or definitions. It must not have a default at its root, which belongs in the tag of a field.
//
// RegisterSchema panics with a [TypeErrors] that lists every mistake: the schema is not valid, has mistakes that JSON
// Schema allows (for example a misspelt keyword, or a default that does not fit), describes another JSON type than T is
// written as, or has bounds that T cannot hold; T is not a defined type, is an interface or a pointer, or has a
// JSONSchema or JSONSchemaExtend method; T is already registered, in another way (the same registration again has no
// effect).
//
// RegisterSchema is safe for concurrent use. It must be called before the first [Compile] of a type that contains T, and
// panics otherwise: call it in an init function, or at the start of main. The variables of a package are initialized
// before its init functions, so a tool that contains T must not be made in the declaration of a variable of the same
// package.
func RegisterSchema[T any](schema string) {
	register(&walk.Registration{GoType: reflect.TypeFor[T](), Function: "RegisterSchema"}, schema, nil)
}

// RegisterCodec registers the JSON Schema of a Go type, like [RegisterSchema], and the functions that write and read its values
// in place of its methods and fields. It is for types whose JSON is not in the form that its readers expect, such as
// the types of database/sql and url.URL, and for interfaces, of which unmarshal chooses the Go type. [RegisterJSON] is the
// RegisterCodec of json.Marshal and json.Unmarshal. The module integrations/protobuf registers protobuf messages. For
// example:
//
//	func init() {
//		reflectschema.RegisterCodec(`{"type":["string","null"]}`,
//			func(s *sql.NullString) ([]byte, error) {
//				if !s.Valid {
//					return []byte("null"), nil
//				}
//				return json.Marshal(s.String)
//			},
//			func(data []byte, s *sql.NullString) error {
//				s.Valid = string(data) != "null"
//				return json.Unmarshal(data, &s.String)
//			})
//	}
//
// unmarshal is called only with JSON that fits the schema, and with null only if the schema allows null. The result of
// marshal is checked against the schema. T may be of any kind except a pointer; if it is the key of a map, the schema must
// be one of strings, and T must not be an interface. An error of unmarshal becomes a violation with its text, which a caller reads; an
// error of marshal is an error of [AppendValue] and [Marshal]. A panic in one of the functions counts as an error. They are
// called concurrently, and must not keep their arguments. Compile calls marshal with the zero value, as RegisterSchema
// documents for MarshalJSON.
//
// RegisterCodec panics on the same mistakes as RegisterSchema, and if a function is nil. It must be called as early, and is
// safe for concurrent use.
func RegisterCodec[T any](schema string, marshal func(*T) ([]byte, error), unmarshal func([]byte, *T) error) {
	s := &walk.Registration{
		GoType: reflect.TypeFor[T](), Function: "RegisterCodec",
		Funcs: [2]uintptr{reflect.ValueOf(marshal).Pointer(), reflect.ValueOf(unmarshal).Pointer()},
	}
	s.Codec = &codec.Functions{
		Marshal: func(pointer any) ([]byte, error) {
			p, _ := pointer.(*T)
			return marshal(p)
		},
		Unmarshal: func(data []byte, pointer any) error {
			p, _ := pointer.(*T)
			return unmarshal(data, p)
		},
	}
	register(s, schema, nil)
}

// RegisterJSON registers a Go type as one that [json.Marshal] writes and [json.Unmarshal] reads, with the schema of their JSON,
// or {} to allow any JSON. It is [RegisterCodec] with these two functions. It is for types of other packages that [Compile]
// does not accept although encoding/json does, or whose form in encoding/json should stay as it is:
//
//	func init() {
//		reflectschema.RegisterJSON[url.URL](`{}`)
//		reflectschema.RegisterJSON[sql.NullString](`{"type":"object","properties":{"String":{"type":"string"},"Valid":{"type":"boolean"}}}`)
//	}
//
// A value that does not fit the schema is an error, in both directions. json.Marshal writes nil as null: if T is a map, a
// slice or an interface that may be nil, the schema must allow null. json.Unmarshal ignores unknown members, unless the
// schema refuses them, and the memory that it allocates does not count toward the limit of decoded arguments.
//
// If T is an interface, RegisterJSON describes results only: the value in it is written by its dynamic type, without the
// registrations for that type. Compile returns an error for an argument or a stored value that contains T, because
// json.Unmarshal cannot choose the Go type; use [RegisterUnion], or RegisterCodec with a function that chooses.
//
// RegisterJSON panics on the same mistakes as RegisterCodec. It must be called as early, and is safe for concurrent use.
func RegisterJSON[T any](schema string) {
	register(&walk.Registration{
		GoType: reflect.TypeFor[T](), Function: walk.FunctionJSON,
		Funcs: [2]uintptr{reflect.ValueOf(json.Marshal).Pointer(), reflect.ValueOf(json.Unmarshal).Pointer()},
		Codec: &codec.Functions{Marshal: json.Marshal, Unmarshal: json.Unmarshal},
	}, schema, nil)
}

// register registers s with a schema, unless mistakes were found before. It panics with all mistakes.
func register(s *walk.Registration, schema string, mistakes []tag.Mistake) {
	s.Location = callsite.Here(ownPackage).String()
	if len(mistakes) == 0 {
		mistakes = checkRegistration(s, schema)
	}
	if len(mistakes) == 0 {
		mistakes = s.Store()
	}
	check(registrationErrors(s.GoType, s.Function, s.Location, mistakes))
}

// check panics with the error of a registration, if there is one.
func check(err error) {
	if err != nil {
		panic(err) //nolint:forbidigo // as http.HandleFunc does: an init function cannot handle an error
	}
}

// ownPackage is the import path of this package.
var ownPackage = reflect.TypeFor[Type]().PkgPath()
