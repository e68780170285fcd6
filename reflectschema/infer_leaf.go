package reflectschema

import (
	"encoding/json"
	"math/big"
	"reflect"
	"sync"

	"github.com/invopop/jsonschema"
)

// plainSchemas contains the schemas of the kinds that jsonschema.Reflector describes correctly: plain types, and a
// struct without its fields.
var plainSchemas = sync.OnceValue(func() map[nodeKind]*jsonschema.Schema {
	schemas := map[nodeKind]*jsonschema.Schema{}
	for kind, t := range map[nodeKind]reflect.Type{
		kindBool:   reflect.TypeFor[bool](),
		kindInt:    reflect.TypeFor[int64](),
		kindUint:   reflect.TypeFor[uint64](),
		kindFloat:  reflect.TypeFor[float64](),
		kindString: reflect.TypeFor[string](),
		kindStruct: reflect.TypeFor[struct{}](),
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
)

// keyPatterns maps the kind of a map's key to the pattern of its member names.
var keyPatterns = map[nodeKind]string{kindInt: intPattern, kindUint: uintPattern}

// timeDescription is the default description of a time.Time. Forms omit it, because they show people a date and time.
const timeDescription = "Time in RFC 3339 with a time zone"

// leaf returns the schema of a node without parts. Bytes, times and durations have a description, because some clients
// remove formats and other constraints from schemas, but keep descriptions.
func leaf(n *node) *jsonschema.Schema {
	if n.quoted {
		return quotedLeaf(n)
	}
	if plain, ok := plainSchemas()[n.kind]; ok {
		s := *plain
		return bounded(&s, n)
	}
	switch n.kind {
	case kindBytes:
		return &jsonschema.Schema{Description: "Bytes in base64", Type: "string", ContentEncoding: "base64"}
	case kindTime:
		return &jsonschema.Schema{Description: timeDescription, Type: "string", Format: "date-time"}
	case kindNumber:
		return &jsonschema.Schema{Type: "number"}
	case kindText:
		return &jsonschema.Schema{Type: "string", Format: textFormats[fullName(n.goType)]}
	default:
		if isBigInt(n.goType) {
			return &jsonschema.Schema{Type: "integer"}
		}
		return &jsonschema.Schema{}
	}
}

func quotedLeaf(n *node) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	switch n.kind {
	case kindBool:
		s.Enum = []any{"true", "false"}
	case kindInt:
		s.Pattern = intPattern
	case kindUint:
		s.Pattern = uintPattern
	default:
		s.Pattern = numberPattern
	}
	return s
}

// bounded adds the range of int8 to int32 and uint8 to uint32, the minimum 0 of other unsigned types, and the
// description of a time.Duration. The other limits are omitted: a model would hardly exceed them by accident, and they
// cost tokens.
func bounded(s *jsonschema.Schema, n *node) *jsonschema.Schema {
	if n.kind != kindInt && n.kind != kindUint {
		return s
	}
	if n.goType.Bits() < 64 && n.goType.Kind() != reflect.Int && n.goType.Kind() != reflect.Uint {
		low, high := rangeOf(n)
		s.Minimum, s.Maximum = json.Number(low.RatString()), json.Number(high.RatString())
	} else if n.kind == kindUint {
		s.Minimum = "0"
	}
	if n.goType == durationType {
		s.Description = "Duration in nanoseconds"
	}
	return s
}

// textFormats maps the full names of well-known text types to their formats. Most of these types cannot be imported
// here.
var textFormats = map[string]string{
	"time.Time":                         "date-time", // as the key of a map
	"github.com/google/uuid.UUID":       "uuid",
	"github.com/gofrs/uuid.UUID":        "uuid",
	"github.com/gofrs/uuid/v5.UUID":     "uuid",
	"github.com/hashicorp/go-uuid.UUID": "uuid",
}

func fullName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

func isBigInt(t reflect.Type) bool { return t == reflect.TypeFor[big.Int]() }
