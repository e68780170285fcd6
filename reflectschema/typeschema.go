package reflectschema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// TypeSchema registers the JSON Schema of a Go type, once for the whole program. It is for types of other packages, which
// cannot be given a JSONSchema method:
//
//	var _ = reflectschema.TypeSchema[decimal.Decimal](`{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`)
//
// TypeSchema does not change how values of T are read and written: by MarshalJSON and UnmarshalJSON, by text methods,
// or, if T has neither, by its Go kind, which must then be a string, a number or a bool. To change that as well, use
// [TypeCodec].
//
// The schema applies in both directions, also to elements and to keys of maps: a slice of a registered byte type is an
// array, not a string in base64. Values are checked against it before T reads them and after T has written them. The
// tags of a field may have all keywords that are possible for a field with that schema, and may narrow the schema, but
// not widen it: minLength, enum, default, nullable on a pointer. T is given null only if the schema allows null.
//
// In a map with keys of T, the names are the values that fit the schema, written as strings. Compile returns an error
// for such a map if the schema allows anything but strings, or integers if T is of an integer kind; also if it allows
// null or a limited range of more than 100 integers, and if keys are written differently from values: encoding/json
// writes a key of kind string unchanged, even if T has MarshalText.
//
// The schema must be an object in draft 2020-12. Because it becomes a part of other schemas, it must not have $schema,
// $id, anchors, references or definitions. It must not have a default at its root, which belongs in the tag of a field.
//
// TypeSchema panics with a [TypeErrors] that lists every mistake: the schema is not valid, has mistakes that JSON
// Schema allows (for example a misspelt keyword, or a default that does not fit), describes another JSON type than T is
// written as, or has bounds that T cannot hold; T is not a defined type, is an interface or a pointer, or has a
// JSONSchema or JSONSchemaExtend method; T is already registered, in another way (the same registration again has no
// effect).
//
// TypeSchema is safe for concurrent use. It must be called before the first [Compile] of a type that contains T, and panics
// otherwise; Go initializes the variables of a package in the order of their declaration. The result has no meaning; it
// permits the call in a declaration.
func TypeSchema[T any](schema string) struct{} {
	mustRegister(&typeSchema{goType: reflect.TypeFor[T](), function: "TypeSchema"}, schema, nil)
	return struct{}{}
}

// TypeCodec registers the JSON Schema of a Go type, like [TypeSchema], and the functions that write and read its values
// in place of its methods and fields. It is for types whose JSON is not in the form that its readers expect, such as
// the types of database/sql, url.URL and protobuf messages:
//
//	var _ = reflectschema.TypeCodec(`{"type":["string","null"]}`,
//		func(s *sql.NullString) ([]byte, error) {
//			if !s.Valid {
//				return []byte("null"), nil
//			}
//			return json.Marshal(s.String)
//		},
//		func(data []byte, s *sql.NullString) error {
//			s.Valid = string(data) != "null"
//			return json.Unmarshal(data, &s.String)
//		})
//
// unmarshal is called only with JSON that fits the schema, and with null only if the schema allows null. The result of
// marshal is checked against the schema. T may be of any kind except a pointer or an interface; if it is the key of a map,
// the schema must be one of strings. An error of unmarshal becomes a violation with its text, which a caller reads; an
// error of marshal is an error of [Type.AppendEncode]. A panic in one of the functions counts as an error. They are
// called concurrently, and must not keep their arguments.
//
// TypeCodec panics on the same mistakes as TypeSchema, and if a function is nil. It must be called as early, and is safe for
// concurrent use.
func TypeCodec[T any](schema string, marshal func(*T) ([]byte, error), unmarshal func([]byte, *T) error) struct{} {
	s := &typeSchema{
		goType: reflect.TypeFor[T](), function: "TypeCodec",
		funcs: [2]uintptr{reflect.ValueOf(marshal).Pointer(), reflect.ValueOf(unmarshal).Pointer()},
	}
	s.codec = &codec.Functions{
		Marshal: func(pointer any) ([]byte, error) {
			p, _ := pointer.(*T)
			return marshal(p)
		},
		Unmarshal: func(data []byte, pointer any) error {
			p, _ := pointer.(*T)
			return unmarshal(data, p)
		},
	}
	mustRegister(s, schema, nil)
	return struct{}{}
}

// A typeSchema is the registration of a type. It is immutable.
type typeSchema struct {
	goType   reflect.Type
	schema   *Schema
	codec    *codec.Functions // nil: the type is read and written as without a registration
	funcs    [2]uintptr       // addresses of the functions, to compare registrations
	values   []reflect.Value  // of Enum: the values in the enum of the schema, in its order
	function string           // the name of the function that registered it
	location string           // file:line of its call
}

// Doc implements [codec.Registered].
func (s *typeSchema) Doc() *jsondoc.Value { return s.schema.doc() }

// Check implements [codec.Registered].
func (s *typeSchema) Check(value []byte) (failures []codec.Failure) {
	if invalid := (*InvalidError)(nil); errors.As(s.schema.Check(value), &invalid) {
		for _, v := range invalid.Violations {
			failures = append(failures, codec.Failure(v))
		}
	}
	return failures
}

// Requirement implements [codec.Registered].
func (s *typeSchema) Requirement(value []byte) string {
	if invalid := (*InvalidError)(nil); errors.As(s.schema.Check(value), &invalid) {
		v := invalid.Violations[0]
		v.Got = ""
		return sentence(v)
	}
	return ""
}

// Functions implements [codec.Registered].
func (s *typeSchema) Functions() *codec.Functions { return s.codec }

var (
	// typeSchemas maps reflect.Type to *typeSchema.
	typeSchemas sync.Map
	// compiledTypes contains the defined types in compiled types, which can no longer be registered.
	compiledTypes sync.Map
)

// typeSchemaOf returns the registration of a type, nil if there is none.
func typeSchemaOf(t reflect.Type) *typeSchema {
	s, _ := typeSchemas.Load(t)
	found, _ := s.(*typeSchema)
	return found
}

// typeSchemaAt returns the registration of a node, nil if there is none.
func typeSchemaAt(n *codec.Node) *typeSchema {
	s, _ := n.Registered.(*typeSchema)
	return s
}

// noteCompiled records the types of a graph that has been compiled.
func (r *resolver) noteCompiled() {
	note := func(t reflect.Type, registered codec.Registered) {
		if registered == nil && t.PkgPath() != "" {
			compiledTypes.LoadOrStore(t, true)
		}
	}
	for _, n := range r.order {
		note(n.GoType, n.Registered)
		if n.Key != nil {
			note(n.Key.GoType, n.Key.Registered)
		}
		if n.Kind == codec.KindBytes && n.GoType.Kind() == reflect.Slice {
			note(n.GoType.Elem(), nil) // the element type has no node
		}
	}
}

// mustRegister registers s with a schema, unless mistakes were found before.
func mustRegister(s *typeSchema, schema string, mistakes []tag.Mistake) {
	s.location = callsite.Outside(ownPackage)
	if err := s.register(schema, mistakes); err != nil {
		panic(err) //nolint:forbidigo // as http.HandleFunc does: a declaration cannot handle an error
	}
}

// register checks and stores a registration.
func (s *typeSchema) register(schema string, mistakes []tag.Mistake) error {
	if len(mistakes) == 0 {
		mistakes = s.check(schema)
	}
	if len(mistakes) == 0 {
		if known, ok := typeSchemas.Load(s.goType); ok {
			mistakes = s.clash(known.(*typeSchema)) //nolint:errcheck,forcetypeassert // nothing else is stored
		} else if _, late := compiledTypes.Load(s.goType); late {
			mistakes = []tag.Mistake{{Reason: "the type has been compiled already, without it", Fix: "register it in a declaration before the first use"}}
		} else if known, ok := typeSchemas.LoadOrStore(s.goType, s); ok {
			mistakes = s.clash(known.(*typeSchema)) //nolint:errcheck,forcetypeassert // nothing else is stored
		}
	}
	return s.errors(mistakes)
}

// errors returns mistakes as errors of the registration, nil if there are none.
func (s *typeSchema) errors(mistakes []tag.Mistake) error {
	if len(mistakes) == 0 {
		return nil
	}
	errs := make(TypeErrors, len(mistakes))
	for i, f := range mistakes {
		errs[i] = &TypeError{Type: nameOf(s.goType), Reason: fmt.Sprintf("%s at %s: %s", s.function, s.location, f.Reason), Fix: f.Fix}
	}
	return errs
}

// clash returns a mistake if s differs from the known registration of its type.
func (s *typeSchema) clash(known *typeSchema) []tag.Mistake {
	same := bytes.Equal(s.schema.raw, known.schema.raw) && (s.codec == nil) == (known.codec == nil)
	if same && s.funcs == known.funcs {
		return nil
	}
	return []tag.Mistake{{Reason: "it was registered differently by " + known.function + " at " + known.location, Fix: "keep one"}}
}

// draft returns the registered schema in the form that tags are applied to: keywords that tags can set are fields of
// the draft, all others are extras.
func (s *typeSchema) draft(n *codec.Node) *jsonschema.Schema {
	made := tag.Draft(s.schema.doc())
	if s.codec == nil && made.Enum == nil && made.Const == nil {
		fillRange(made, n)
	}
	return made
}

// fillRange adds the range of an integer type, see [bounded], where the schema has no bound.
func fillRange(s *jsonschema.Schema, n *codec.Node) {
	own := bounded(&jsonschema.Schema{}, n)
	if s.Minimum == "" && s.ExclusiveMinimum == "" {
		s.Minimum = own.Minimum
	}
	if s.Maximum == "" && s.ExclusiveMaximum == "" {
		s.Maximum = own.Maximum
	}
}
