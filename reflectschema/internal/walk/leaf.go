package walk

import (
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// plainSchemas contains the schemas of the kinds that jsonschema.Reflector describes correctly: plain types, and a
// struct without its fields.
var plainSchemas = sync.OnceValue(func() map[codec.Kind]*jsonschema.Schema {
	schemas := map[codec.Kind]*jsonschema.Schema{}
	for kind, t := range map[codec.Kind]reflect.Type{
		codec.KindBool:   reflect.TypeFor[bool](),
		codec.KindInt:    reflect.TypeFor[int64](),
		codec.KindUint:   reflect.TypeFor[uint64](),
		codec.KindFloat:  reflect.TypeFor[float64](),
		codec.KindString: reflect.TypeFor[string](),
		codec.KindStruct: reflect.TypeFor[struct{}](),
	} {
		r := jsonschema.Reflector{Anonymous: true, DoNotReference: true}
		schemas[kind] = r.ReflectFromType(t)
		schemas[kind].Version = ""
	}
	return schemas
})

// Patterns of quoted numbers and of integer keys.
const (
	intPattern    = `^-?(0|[1-9][0-9]*)$`
	uintPattern   = `^(0|[1-9][0-9]*)$`
	numberPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	stringPattern = `^"([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$`
)

// keyPatterns maps the kind of a map's key to the pattern of its member names.
var keyPatterns = map[codec.Kind]string{codec.KindInt: intPattern, codec.KindUint: uintPattern}

// TimeDescription is the default description of a time.Time. Forms omit it, because they show people a date and time.
const TimeDescription = "Time in RFC 3339 with a time zone"

// leaf returns the schema of a node without parts. Bytes, times and durations have a description, because some clients
// remove formats and other constraints from schemas, but keep descriptions.
func leaf(n *codec.Node) *jsonschema.Schema {
	if n.Quoted {
		return quotedLeaf(n)
	}
	if plain, ok := plainSchemas()[n.Kind]; ok {
		s := *plain
		return bounded(&s, n)
	}
	switch n.Kind {
	case codec.KindBytes:
		return &jsonschema.Schema{Description: "Bytes in base64", Type: "string", ContentEncoding: "base64"}
	case codec.KindTime:
		return &jsonschema.Schema{Description: TimeDescription, Type: "string", Format: "date-time"}
	case codec.KindNumber:
		return &jsonschema.Schema{Type: "number"}
	case codec.KindText:
		known := tag.TextTypes[tag.FullName(n.GoType)]
		return &jsonschema.Schema{Description: known.Description, Type: "string", Format: known.Format, Pattern: known.Pattern}
	default:
		if n.IsBigInt() {
			return &jsonschema.Schema{Type: "integer"}
		}
		return &jsonschema.Schema{}
	}
}

func quotedLeaf(n *codec.Node) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	switch n.Kind {
	case codec.KindBool:
		s.Enum = []any{"true", "false"}
	case codec.KindInt:
		s.Pattern = intPattern
	case codec.KindUint:
		s.Pattern = uintPattern
	case codec.KindString:
		s.Description, s.Pattern = "JSON of a string, in quotes", stringPattern
	default:
		s.Pattern = numberPattern
	}
	return s
}

// bounded adds the range of int8 to int32 and uint8 to uint32, the minimum 0 of other unsigned types, and the
// description of a time.Duration. The other limits are omitted: a model would hardly exceed them by accident, and they
// cost tokens.
func bounded(s *jsonschema.Schema, n *codec.Node) *jsonschema.Schema {
	if n.Kind != codec.KindInt && n.Kind != codec.KindUint {
		return s
	}
	if n.GoType.Bits() < 64 && n.GoType.Kind() != reflect.Int && n.GoType.Kind() != reflect.Uint {
		low, high := n.Range()
		s.Minimum, s.Maximum = json.Number(low.RatString()), json.Number(high.RatString())
	} else if n.Kind == codec.KindUint {
		s.Minimum = "0"
	}
	if n.GoType == reflect.TypeFor[time.Duration]() {
		s.Description = "Duration in nanoseconds"
	}
	return s
}
