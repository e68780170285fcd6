package walk

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// ParseSchema parses and compiles a schema. Package reflectschema sets it, because this package cannot import the
// compiler.
var ParseSchema func(schema string) (codec.Schema, error)

// NamedSchemas maps the full name of a type, see [tag.FullName], to its [NamedSchema]. Package wellknown fills it. A
// registration of the type itself, or a JSONSchema method, takes precedence. A schema that the zero value does not fit was
// written for another version of the type, and is ignored.
var NamedSchemas sync.Map

// A NamedSchema is the schema of a type whose package is not imported, with the function that registered it, and the
// location of its call.
type NamedSchema struct{ Schema, Function, Location string }

// describe gives a type with JSON or text methods the schema that is known by its name or from its OpenAPI methods,
// unless it has a registration or a JSONSchema method.
func (r *Resolver) describe(n *codec.Node) {
	t := n.GoType
	if n.Registered != nil || n.Described || t == r.skipped || IsSource(t) {
		return
	}
	own := describedByName(n)
	if own == nil && n.Kind == codec.KindJSON && r.hasOpenAPI(t) {
		own = describedByOpenAPI(n)
	}
	if own != nil {
		n.Registered = own
	}
}

// describedByName returns the registration of a type by its name, nil if its schema does not describe the type.
func describedByName(n *codec.Node) *Registration {
	known, ok := NamedSchemas.Load(tag.FullName(n.GoType))
	if !ok {
		return nil
	}
	s := known.(NamedSchema) //nolint:errcheck,forcetypeassert // nothing else is stored
	own := describedBy(n, s.Schema, s.Function, s.Location)
	if own != nil && n.Kind == codec.KindText && tag.JSONTypeOf(own.Doc()) != "string" {
		return nil
	}
	return own
}

// describedBy returns the registration of a described type, nil if the zero value is written and does not fit.
func describedBy(n *codec.Node, schema, function, location string) *Registration {
	parsed, err := ParseSchema(schema)
	if err != nil {
		return nil
	}
	if zero := zeroOf(n); zero != nil && parsed.Check(zero, nil) != nil {
		return nil
	}
	return &Registration{Schema: parsed, GoType: n.GoType, Function: function, Location: location, isDescribed: true}
}

// zeroOf returns the JSON of the zero value of a type with methods, nil if they cannot write it.
func zeroOf(n *codec.Node) []byte {
	zero, failed := codec.Encode(&codec.Node{GoType: n.GoType, Kind: n.Kind}, codec.Output, reflect.New(n.GoType).Elem())
	if failed != nil {
		return nil
	}
	return zero
}

// The methods by which types of Kubernetes describe their schema: a name of a type, of a format, and names of types of
// which one applies. See OpenAPIDefinitionGetter in package k8s.io/kube-openapi/pkg/common.
type (
	openAPITyped  interface{ OpenAPISchemaType() []string }
	openAPIFormat interface{ OpenAPISchemaFormat() string }
	openAPIOneOf  interface{ OpenAPIV3OneOfTypes() []string }
)

var openAPITypedType = reflect.TypeFor[openAPITyped]()

// hasOpenAPI reports whether a type has OpenAPI methods that describe the JSON of its other methods: the type declares
// them, or both are promoted from the same type.
func (r *Resolver) hasOpenAPI(t reflect.Type) bool {
	if !has(t, openAPITypedType) {
		return false
	}
	by := declarer(t, openAPISchemaTypeMethod)
	return by == t || by == declarer(t, r.method(marshalJSONMethod, unmarshalJSONMethod))
}

// declarer returns the type that declares a method of t: t itself, or the embedded type that the method is promoted from.
func declarer(t reflect.Type, method string) reflect.Type {
	for from := sourceOf(t, method); from != nil; from = sourceOf(from, method) {
		t = from
	}
	return t
}

// describedByOpenAPI returns the registration of a type by its OpenAPI methods, nil if they panic, name no type or an
// unknown one, or do not describe the zero value. A format that the zero value does not have is left out.
func describedByOpenAPI(n *codec.Node) *Registration {
	types, format := openAPITypes(n.GoType)
	if string(zeroOf(n)) == "null" {
		types = append(types, "null")
	}
	own := describedBy(n, schemaOfTypes(types, format), openAPISchemaTypeMethod, n.GoType.String())
	if own == nil && format != "" {
		own = describedBy(n, schemaOfTypes(types, ""), openAPISchemaTypeMethod, n.GoType.String())
	}
	return own
}

// openAPITypes returns the results of the OpenAPI methods of a zero value, nil if they panic. The format is "" if it is
// not one of JSON Schema: int-or-string, for example.
func openAPITypes(t reflect.Type) (types []string, format string) {
	defer func() {
		if recover() != nil {
			types, format = nil, ""
		}
	}()
	v := reflect.New(t).Interface()
	if m, ok := v.(openAPIOneOf); ok {
		return slices.Clone(m.OpenAPIV3OneOfTypes()), ""
	}
	if m, ok := v.(openAPITyped); ok {
		types = slices.Clone(m.OpenAPISchemaType())
	}
	if m, ok := v.(openAPIFormat); ok && tag.IsFormat(m.OpenAPISchemaFormat()) {
		format = m.OpenAPISchemaFormat()
	}
	return types, format
}

// schemasOfTypes contains the schema of each JSON type, with the keywords that some clients need.
var schemasOfTypes = map[string]string{
	"string": `{"type":"string"}`, "number": `{"type":"number"}`, "integer": `{"type":"integer"}`, "boolean": `{"type":"boolean"}`, "null": `{"type":"null"}`,
	"object": `{"type":"object","properties":{}}`, "array": `{"type":"array","items":{}}`,
}

// schemaOfTypes returns the schema of values that are of one of the types, strings with a format, "" if there are no such
// types. Not all clients accept a list of types.
func schemaOfTypes(types []string, format string) string {
	var schemas []string
	for _, name := range types {
		schema := schemasOfTypes[name]
		switch {
		case schema == "" || len(types) == 1 && name == "null":
			return ""
		case name == "string" && format != "":
			schema = `{"type":"string","format":"` + format + `"}`
		}
		if !slices.Contains(schemas, schema) {
			schemas = append(schemas, schema)
		}
	}
	if len(schemas) == 1 {
		return schemas[0]
	}
	return `{"anyOf":[` + strings.Join(schemas, ",") + `]}`
}
