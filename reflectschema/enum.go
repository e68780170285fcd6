package reflectschema

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// RegisterEnum registers the allowed values of a named type, once for the whole program, so that fields of the type need no enum
// in their tags:
//
//	type Status string
//
//	const (
//		StatusOpen   Status = "open"
//		StatusClosed Status = "closed"
//	)
//
//	func init() { reflectschema.RegisterEnum(StatusOpen, StatusClosed) }
//
// The schema of the type lists the values in this order, in the form in which they are written: by text or JSON methods
// if the type has any. It applies wherever the type is used, in both directions: to fields, elements, keys of maps,
// structs of unions, and, if the values are strings, choices of forms. The tag of a field may list some of the values
// in an enum; its default and examples must be among the values, and its bounds must allow at least one. The zero value
// is allowed only if it is listed; omitempty omits it from a result.
//
// RegisterEnum is equivalent to [RegisterSchema] with such a schema: it must be called as early, and panics on the same mistakes.
// It also panics without values, if a value is listed twice or cannot be written, or if the values are not all
// strings or all integers in JSON. It is safe for concurrent use.
func RegisterEnum[T ~string | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](values ...T) {
	s := &walk.Registration{GoType: reflect.TypeFor[T](), Function: functionEnum}
	for _, v := range values {
		s.Values = append(s.Values, reflect.ValueOf(v))
	}
	schema, mistakes := enumSchema(s)
	register(s, schema, mistakes)
}

// enumSchema returns the schema that lists the values in the form in which they are written.
func enumSchema(s *walk.Registration) (schema string, mistakes []tag.Mistake) {
	if len(s.Values) == 0 {
		return "", []tag.Mistake{{Reason: "it has no values", Fix: "list them"}}
	}
	n, unfit := s.Unregistered()
	for _, m := range unfit {
		mistakes = append(mistakes, tag.Mistake{Reason: m.Reason, Fix: m.Fix})
	}
	if unfit != nil {
		return "", mistakes
	}
	var (
		written  [][]byte
		jsonType string
		seen     = map[string]bool{}
	)
	for _, v := range s.Values {
		value, failed := codec.Encode(n, codec.Output, v)
		if failed != nil {
			mistakes = append(mistakes, tag.Mistake{Reason: fmt.Sprintf("the value %v cannot be encoded: %s", v, invalid(failed)), Fix: "list values that the type can encode"})
			continue
		}
		own, shown := scalarType(jsondoc.Parse(value)), "the value "+show.Clip(string(value), show.MaxText)
		jsonType = cmp.Or(jsonType, own)
		switch {
		case seen[string(value)]:
			mistakes = append(mistakes, tag.Mistake{Reason: shown + " is listed twice", Fix: "keep one"})
		case own == "":
			mistakes = append(mistakes, tag.Mistake{Reason: shown + " is neither a string nor an integer in JSON", Fix: "use reflectschema.RegisterSchema"})
		case own != jsonType:
			mistakes = append(mistakes, tag.Mistake{Reason: shown + " is not of the JSON type " + jsonType + ", unlike the first one", Fix: "use one JSON type for all values"})
		}
		seen[string(value)] = true
		written = append(written, value)
	}
	return `{"type":"` + jsonType + `","enum":[` + string(bytes.Join(written, []byte(","))) + `]}`, mistakes
}

// scalarType returns the JSON Schema type of a string or an integer, "" for other values.
func scalarType(d *jsondoc.Value) string {
	switch {
	case d.Kind == rawjson.String:
		return "string"
	case d.Kind == rawjson.Number && rawjson.IsInteger(d.Raw):
		return "integer"
	default:
		return ""
	}
}
