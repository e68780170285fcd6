package mcptool

import (
	"context"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// structuredPart is the schema of the structured part of a tool's results, and the encoder for such a part in a
// [Result].
type structuredPart struct {
	schema   *reflectschema.Schema // nil if the tool has no output schema
	goType   reflect.Type          // the type that the schema was derived from, if any
	compiled *reflectschema.Type   // of goType
}

// isString reports whether the values are strings whose JSON no method of the author decides. The text of such a result
// is the string, in every revision; of all other results it is the JSON.
func (p structuredPart) isString() bool {
	return p.goType != nil && p.goType.Kind() == reflect.String && !schemas.CallsMethods(p.compiled)
}

// append encodes and checks a value. A value of goType, or a pointer to one, is encoded as goType, with the
// discriminator if that is a union. Any other value is encoded by its own type, and must fit the schema.
func (p structuredPart) append(ctx context.Context, dst []byte, value any) ([]byte, error) {
	if v, ok := p.typed(value); ok {
		return schemas.AppendEncode(ctx, p.compiled, dst, v, 0, dst != nil)
	}
	out, err := schemas.AppendValue(ctx, dst, value, dst != nil)
	if err == nil && p.schema != nil {
		err = p.schema.Check(out[len(dst):])
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// typed returns the value as a goType, if it is one or points to one.
func (p structuredPart) typed(value any) (v reflect.Value, ok bool) {
	if p.goType == nil {
		return v, false
	}
	want := p.goType
	v = reflect.ValueOf(value)
	switch got := v.Type(); {
	case got == want:
		return v, true
	case got == reflect.PointerTo(want) && !v.IsNil():
		return v.Elem(), true
	case want.Kind() == reflect.Interface && want.NumMethod() > 0 && got.Implements(want):
		held := reflect.New(want).Elem()
		held.Set(v)
		return held, true
	default:
		return v, false
	}
}

// schemas has the functions of package reflectschema that are not in its API.
var schemas = reflectschema.Internal(private.Key{})
