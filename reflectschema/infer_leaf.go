package reflectschema

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/invopop/jsonschema"
)

// plainTypes are the types that jsonschema.Reflector describes rightly.
var plainTypes = map[nodeKind]reflect.Type{
	kindBool:   reflect.TypeFor[bool](),
	kindInt:    reflect.TypeFor[int64](),
	kindUint:   reflect.TypeFor[uint64](),
	kindFloat:  reflect.TypeFor[float64](),
	kindString: reflect.TypeFor[string](),
}

// plainType returns a type without a name or methods that stands for a node
// before the reflector, and whether the reflector's answer will do.
func plainType(n *node) (reflect.Type, bool) {
	if t, ok := plainTypes[n.kind]; ok && !n.quoted && hookOf(n.goType) == nil {
		return t, true
	}
	return reflect.TypeFor[any](), false
}

// reflectPlain asks the reflector about a plain type, or a struct of such.
func reflectPlain(t reflect.Type, names []string) *jsonschema.Schema {
	r := jsonschema.Reflector{
		Anonymous:      true,
		DoNotReference: true,
		KeyNamer:       func(flat string) string { return names[flatIndex(flat)] },
	}
	s := r.ReflectFromType(t)
	s.Version = ""
	return s
}

// Fields of a flat struct are called F0, F1, …; the names in the JSON may hold
// characters that a struct tag cannot.
func flatName(i int) string { return "F" + strconv.Itoa(i) }

func flatIndex(name string) int {
	i, _ := strconv.Atoi(name[1:]) // made by flatName
	return i
}

// Patterns of what a quoted number or the name of a member may be.
const (
	intPattern    = `^-?(0|[1-9][0-9]*)$`
	uintPattern   = `^(0|[1-9][0-9]*)$`
	numberPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
)

// keyPatterns are the patterns of the names in a map, by the kind of its key.
var keyPatterns = map[nodeKind]string{kindInt: intPattern, kindUint: uintPattern}

// leaf describes a node with nothing below it.
func leaf(n *node) *jsonschema.Schema {
	if n.quoted {
		return quotedLeaf(n)
	}
	if t, ok := plainTypes[n.kind]; ok {
		return bounded(reflectPlain(t, nil), n)
	}
	switch n.kind {
	case kindBytes:
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
	case kindTime:
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
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

// bounded adds the range of a small integer. The 64-bit limits are left out:
// they are beyond what a model would write by accident, and cost it tokens.
func bounded(s *jsonschema.Schema, n *node) *jsonschema.Schema {
	if n.kind != kindInt && n.kind != kindUint {
		return s
	}
	low, high := rangeOf(n)
	if n.goType.Bits() < 64 && n.goType.Kind() != reflect.Int && n.goType.Kind() != reflect.Uint {
		s.Minimum, s.Maximum = json.Number(low.RatString()), json.Number(high.RatString())
	} else if n.kind == kindUint {
		s.Minimum = "0"
	}
	if n.goType == reflect.TypeFor[time.Duration]() {
		s.Description = "Duration in nanoseconds"
	}
	return s
}

// textFormats are the formats of well-known text types, by name: most of them
// are not ours to import.
var textFormats = map[string]string{
	"github.com/google/uuid.UUID":       "uuid",
	"github.com/gofrs/uuid.UUID":        "uuid",
	"github.com/gofrs/uuid/v5.UUID":     "uuid",
	"github.com/hashicorp/go-uuid.UUID": "uuid",
}

func fullName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

func isBigInt(t reflect.Type) bool { return t == reflect.TypeFor[big.Int]() }
