package gosdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// InputSchema returns the JSON Schema of the arguments In, a struct or a pointer to one, for the field InputSchema of an
// [mcp.Tool]: with the constraints and defaults that tags of package reflectschema define. It is the smallest step from
// the SDK to this module: the SDK itself decodes and validates, with its own error texts.
//
// It panics if the type or a tag is invalid, as [mcp.AddTool] does; the message lists all mistakes.
func InputSchema[In any]() json.RawMessage { return schema[In](reflectschema.DirectionInput) }

// OutputSchema returns the JSON Schema of the results Out, for the field OutputSchema of an [mcp.Tool]. It panics as
// [InputSchema] does. The SDK encodes with package encoding/json: a nil slice is null, which does not fit the schema.
func OutputSchema[Out any]() json.RawMessage { return schema[Out](reflectschema.DirectionOutput) }

// flags are the keywords of package reflectschema that have no value.
var flags = []string{"required", "optional", "nullable", "deprecated", "readOnly", "writeOnly", "uniqueItems"}

// checkTags returns an error for each field of t, at any depth, whose jsonschema tag is a description in the SDK but a
// keyword in package reflectschema. Seen has the types that were checked.
func checkTags(t reflect.Type, seen map[reflect.Type]bool) (mistakes error) {
	if seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return checkTags(t.Elem(), seen)
	case reflect.Struct:
	default:
		return nil
	}
	for f := range t.Fields() {
		if tag := f.Tag.Get("jsonschema"); slices.Contains(flags, tag) {
			mistakes = errors.Join(mistakes, fmt.Errorf("gosdk: %s.%s: `jsonschema:%q` is a description in the SDK, but a keyword in mcptool; "+
				"write `doc:%[3]q` for a description, or `jsonschema:\"%[3]s=true\"` for the keyword", t, f.Name, tag))
		}
		mistakes = errors.Join(mistakes, checkTags(f.Type, seen))
	}
	return mistakes
}

func schema[T any](direction reflectschema.Direction) json.RawMessage {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	compiled, err := reflectschema.Internal(private.Key{}).CompileUndescribed(t, direction)
	if err != nil {
		panic(fmt.Errorf("gosdk: the schema of %s: %w", t, err)) //nolint:forbidigo // as mcp.AddTool does, in whose argument it is
	}
	return compiled.Schema().JSON()
}
