package reflectschema_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Key types with schemas.
type (
	keyEnum     string  // an enum, on the value
	keyPointer  string  // a pattern, on the pointer
	keyExtended string  // lengths, by JSONSchemaExtend
	keyDate     string  // a format
	keyRank     int     // an enum of integers
	keyMonth    int     // a range
	keyNoted    int     // a description
	keyLevel    int     // text methods
	keyUseless  string  // an object
	keyEven     int     // multiples, which names cannot express
	keyNone     uint8   // numbers out of range
	keySelf     string  // a dangling reference
	keyRatio    float64 // in a string
	keyFlag     bool    // in a string
)

func (keyEnum) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "State", Enum: []any{"open", "shut"}, Default: "open"}
}

func (*keyPointer) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: "^[a-z]{2}$"}
}

func (keyExtended) JSONSchemaExtend(s *jsonschema.Schema) {
	least, most := uint64(2), uint64(3)
	s.MinLength, s.MaxLength = &least, &most
}
func (keyDate) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Format: "date"} }

func (keyRank) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Enum: []any{1, 2, 3}, Maximum: "2"}
}

func (keyMonth) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: "1", ExclusiveMaximum: "4"}
}
func (keyNoted) JSONSchemaExtend(s *jsonschema.Schema) { s.Description = "Noted" }

func (l keyLevel) MarshalText() ([]byte, error)  { return []byte([]string{"low", "high"}[l]), nil }
func (l *keyLevel) UnmarshalText(b []byte) error { *l = keyLevel(len(b) - 3); return nil }
func (keyLevel) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"low", "high"}}
}
func (keyUseless) JSONSchema() *jsonschema.Schema     { return &jsonschema.Schema{Type: "object"} }
func (keyEven) JSONSchemaExtend(s *jsonschema.Schema) { s.MultipleOf = "2" }
func (keyNone) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Const: 300}
}
func (keySelf) JSONSchema() *jsonschema.Schema  { return &jsonschema.Schema{Ref: "#/$defs/lost"} }
func (keyRatio) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Enum: []any{0.5, 1}} }
func (keyFlag) JSONSchema() *jsonschema.Schema  { return &jsonschema.Schema{Const: true} }

// TestKeySchema checks that the schema of a key type applies to the names of members, in both directions, with the plan
// and without, and in samples.
func TestKeySchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason, names, legal, illegal string
		value                               any // a map with one illegal key
	}{
		{"enum", "a default applies to values only", `{"description":"State","type":"string","enum":["open","shut"]}`, "shut", "shutt", map[keyEnum]int{"shutt": 1}},
		{"pointer", "the method is on the pointer", `{"type":"string","pattern":"^[a-z]{2}$"}`, "ab", "abc", map[keyPointer]int{"abc": 1}},
		{"extended", "bounds of the length", `{"type":"string","minLength":2,"maxLength":3}`, "abc", "a", map[keyExtended]int{"a": 1}},
		{"format", "a format is checked", `{"type":"string","format":"date"}`, "2026-01-31", "31.1.", map[keyDate]int{"31.1.": 1}},
		{"enum of integers", "in the written form, with bounds", `{"type":"string","enum":["1","2"]}`, "2", "3", map[keyRank]int{3: 1}},
		{"range", "listed", `{"type":"string","enum":["1","2","3"]}`, "3", "4", map[keyMonth]int{4: 1}},
		{"annotation", "without restrictions, the pattern is kept", `{"description":"Noted","type":"string","pattern":"^-?(0|[1-9][0-9]*)$"}`, "-7", "07", nil},
		{"text methods", "the texts are listed, not the numbers", `{"type":"string","enum":["low","high"]}`, "high", "mid", nil},
		{"time", "as for a field of the type", `{"format":"date-time"}`, "2026-01-31T09:30:00Z", "today", nil},
	} {
		goType := reflect.TypeFor[map[time.Time]int]()
		switch tt.name {
		case "annotation":
			goType = reflect.TypeFor[map[keyNoted]int]()
		case "text methods":
			goType = reflect.TypeFor[map[keyLevel]int]()
		case "time":
		default:
			goType = reflect.TypeOf(tt.value)
		}
		for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			typ, err := reflectschema.Compile(goType, direction)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			want := `{"type":"object","properties":{},"additionalProperties":{"type":"integer"},"propertyNames":` + tt.names + `}`
			if got := string(typ.Schema().JSON()); got != want {
				t.Errorf("%s: schema = %s\nwant %s: %s", tt.name, got, want, tt.reason)
			}
			legal, illegal := `{"`+tt.legal+`":1}`, `{"`+tt.illegal+`":1}`
			if err := typ.Decode([]byte(legal), reflect.New(goType).Elem()); err != nil {
				t.Errorf("%s: %s: %v", tt.name, legal, err)
			}
			if err := typ.Decode([]byte(illegal), reflect.New(goType).Elem()); err == nil || !strings.Contains(err.Error(), "is not an allowed name") {
				t.Errorf("%s: %s: %v", tt.name, illegal, err)
			}
			if typ.Schema().Judge([]byte(legal)) != nil || typ.Schema().Judge([]byte(illegal)) == nil {
				t.Errorf("%s: the authority disagrees", tt.name)
			}
			if tt.value != nil {
				if out, err := typ.AppendEncode(nil, reflect.ValueOf(tt.value)); err == nil {
					t.Errorf("%s: %v is encoded as %s, want an error", tt.name, tt.value, out)
				}
			}
			hasSamplesOfNames(t, tt.name, typ)
		}
	}
}

// hasSamplesOfNames checks that a map has samples with a valid and with an invalid name.
func hasSamplesOfNames(t *testing.T, name string, typ *reflectschema.Type) {
	t.Helper()
	given, refused := 0, 0
	for _, s := range samples.Of(typ.Schema()) {
		var object map[string]int
		if json.Unmarshal(s.JSON, &object) != nil || len(object) != 1 || object["unexpected_member"] != 0 {
			continue
		}
		if s.Fits {
			given++
		} else {
			refused++
		}
	}
	if given == 0 || refused == 0 {
		t.Errorf("%s: %d samples with one member fit, %d do not; want some of both", name, given, refused)
	}
}

// TestKeySchemaInString checks that a number in a string obeys the schema of its type.
func TestKeySchemaInString(t *testing.T) {
	t.Parallel()
	type quoted struct {
		Rank  keyRank  `json:"rank,string"`
		Noted keyNoted `json:"noted,string"`
		Ratio keyRatio `json:"ratio,string"`
		Flag  keyFlag  `json:"flag,string"`
	}
	typ := compile[quoted](t, reflectschema.DirectionInput)
	const want = `"properties":{"rank":{"type":"string","enum":["1","2"]},"noted":{"description":"Noted","type":"string","pattern":"^-?(0|[1-9][0-9]*)$"},` +
		`"ratio":{"type":"string","enum":["0.5","1"]},"flag":{"type":"string","enum":["true"]}}`
	if got := string(typ.Schema().JSON()); !strings.Contains(got, want) {
		t.Errorf("schema = %s", got)
	}
	if got, err := decode[quoted](t, `{"rank":"2","noted":"9","ratio":"0.5","flag":"true"}`); err != nil || got != (quoted{2, 9, 0.5, true}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := decode[quoted](t, `{"rank":"3","noted":"9","ratio":"0.5","flag":"true"}`); err == nil {
		t.Error("Decode accepted a rank that its schema refuses")
	}
	if _, err := typ.AppendEncode(nil, reflect.ValueOf(quoted{3, 9, 0.5, true})); err == nil {
		t.Error("AppendEncode accepted a rank that its schema refuses")
	}
}

// TestKeySchemaRefused checks the errors for schemas that names cannot satisfy.
func TestKeySchemaRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"not a string", reflect.TypeFor[map[keyUseless]int](), "the schema of reflectschema_test.keyUseless takes object, and the names of members are strings; describe strings"},
		{"too many", reflect.TypeFor[map[keyEven]int](), "restricts numbers in a way that is not possible for texts, and the names of members are strings; list the values"},
		{"none", reflect.TypeFor[map[keyNone]int](), "no value of reflectschema_test.keyNone fits its own schema"},
		{"lost", reflect.TypeFor[map[keySelf]int](), "the schema of reflectschema_test.keySelf cannot be used for a text"},
		{"quoted", reflect.TypeFor[struct {
			A keyEven `json:"a,string"`
		}](), `(a): the schema of reflectschema_test.keyEven restricts numbers in a way that is not possible for texts, and json:",string" writes strings`},
	} {
		_, err := reflectschema.Compile(tt.typ, reflectschema.DirectionInput)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// TestIndirectKeys checks that outputs encode keys that are pointers or interfaces with MarshalText, as encoding/json
// does. Inputs refuse them, as encoding/json cannot decode them.
func TestIndirectKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        any
	}{
		{"pointers", "MarshalText of the type that they point at", map[*big.Int]int{big.NewInt(7): 1}},
		{"nil pointer", "an empty name, without a call of MarshalText", map[*keyLevel]int{nil: 1}},
		{"interfaces", "MarshalText of the value", map[encoding.TextMarshaler]int{keyLevel(1): 1, big.NewInt(7): 2}},
		{"nil map", "empty", map[*big.Int]int(nil)},
	} {
		goType := reflect.TypeOf(tt.value)
		typ, err := reflectschema.Compile(goType, reflectschema.DirectionOutput)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := typ.AppendEncode(nil, reflect.ValueOf(tt.value))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want, err := json.Marshal(tt.value)
		if string(want) == "null" {
			want = []byte("{}") // a documented difference
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %s, want %s (%v): %s", tt.name, got, want, err, tt.reason)
		}
		if err := typ.Schema().Judge(got); err != nil {
			t.Errorf("%s: %s does not fit: %v", tt.name, got, err)
		}
		if got, err := reflectschema.AppendValue(nil, []any{tt.value}); err != nil || string(got) != "["+string(want)+"]" {
			t.Errorf("%s: in an any: %s, %v", tt.name, got, err)
		}
		for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionStored} {
			if _, err := reflectschema.Compile(goType, direction); err == nil || !strings.Contains(err.Error(), "cannot be read back") {
				t.Errorf("%s: direction %v: got error %v", tt.name, direction, err)
			}
		}
	}
	typ := compile[map[encoding.TextMarshaler]int](t, reflectschema.DirectionOutput)
	if got, err := typ.AppendEncode(nil, reflect.ValueOf(map[encoding.TextMarshaler]int{nil: 1})); err == nil {
		t.Errorf("nil interface: got %s", got)
	}
}
