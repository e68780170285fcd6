package reflectschema_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	listedWord   string
	listedNumber int
	listedText   string
)

func init() {
	reflectschema.RegisterEnum[listedWord]("open", "closed")
	reflectschema.RegisterEnum[listedNumber](1, 2, 3)
	reflectschema.RegisterSchema[listedText](`{"type":"string","enum":["a","bb"]}`)
}

// TestListedValues: a tag that no registered value satisfies is refused, also on elements. A tag that some values
// satisfy narrows the list.
func TestListedValues(t *testing.T) {
	t.Parallel()
	const noWord, noNumber, noText = "no value registered for reflectschema_test.listedWord satisfies it",
		"no value registered for reflectschema_test.listedNumber satisfies it", "no value registered for reflectschema_test.listedText satisfies it"
	for _, tt := range []struct {
		of      any
		tag     string
		refused string
	}{
		{listedWord(""), "maxLength=2", noWord},
		{listedWord(""), "pattern=^z$", noWord},
		{listedWord(""), "format=email", noWord},
		{listedWord(""), "minLength=5,pattern=^o", noWord}, // each keyword alone accepts a value
		{[]listedWord{}, "maxLength=2", noWord},
		{(*listedWord)(nil), "maxLength=2", noWord},
		{listedNumber(0), "minimum=4", noNumber},
		{listedNumber(0), "multipleOf=5", noNumber},
		{[2]listedNumber{}, "exclusiveMaximum=1", noNumber},
		{listedText(""), "minLength=3", noText},
		{listedWord(""), "maxLength=5", ""},
		{listedWord(""), "pattern=^o,minLength=2", ""},
		{[]listedWord{}, "minLength=6,minItems=1", ""},
		{listedNumber(0), "minimum=2", ""},
		{listedText(""), "minLength=2", ""},
		{listedNumber(0), "minimum=2,nullable", "nullable"},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			st := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeOf(tt.of), Tag: reflect.StructTag(`json:"a" jsonschema:"` + tt.tag + `"`)}})
			_, err := reflectschema.Compile(st, d)
			if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%T with %s, direction %v: got %v, want %q", tt.of, tt.tag, d, err, tt.refused)
			}
		}
	}
}

type (
	registeredAmount struct{ cents int }
	// embedsAmount has the methods of its embedded struct.
	embedsAmount        struct{ registeredAmount }
	EmbedsAmountPointer struct{ *registeredAmount }
	embedsTwice         struct{ embedsAmount }
	embedsRegistered    struct{ registeredAmount }
	embedsDescribing    struct{ registeredAmount }
	writesAmount        struct{ registeredAmount }
	registeredKey       string
	embedsKey           struct{ registeredKey }
)

func (a registeredAmount) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.Itoa(a.cents) + `"`), nil
}

func (a *registeredAmount) UnmarshalJSON(data []byte) (err error) {
	a.cents, err = strconv.Atoi(strings.Trim(string(data), `"`))
	return err
}

func (embedsDescribing) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func (w writesAmount) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(w.cents), 10), nil
}
func (*writesAmount) UnmarshalJSON([]byte) error     { return nil }
func (k registeredKey) MarshalText() ([]byte, error) { return []byte(k), nil }
func (k *registeredKey) UnmarshalText(text []byte) error {
	*k = registeredKey(text)
	return nil
}

func init() {
	reflectschema.RegisterSchema[registeredAmount](`{"type":"string","pattern":"^[0-9]+$"}`)
	reflectschema.RegisterSchema[embedsRegistered](`{"type":"string","maxLength":3}`)
	reflectschema.RegisterSchema[registeredKey](`{"type":"string","maxLength":3}`)
}

// TestEmbeddedRegistered: a struct encoded by promoted methods of an embedded registered type is refused, so that the
// registered schema is not silently ignored.
func TestEmbeddedRegistered(t *testing.T) {
	t.Parallel()
	const want = "is promoted from the embedded reflectschema_test.registeredAmount, whose registered schema does not apply to it"
	for name, tt := range map[string]struct {
		of      reflect.Type
		refused string
	}{
		"by value":          {reflect.TypeFor[struct{ A embedsAmount }](), want},
		"by pointer":        {reflect.TypeFor[struct{ A EmbedsAmountPointer }](), want},
		"at one remove":     {reflect.TypeFor[[]embedsTwice](), want},
		"by text":           {reflect.TypeFor[struct{ A embedsKey }](), "is promoted from the embedded reflectschema_test.registeredKey"},
		"as a key":          {reflect.TypeFor[map[embedsKey]int](), "is promoted from the embedded reflectschema_test.registeredKey"},
		"registered itself": {reflect.TypeFor[struct{ A embedsRegistered }](), ""},
		"describes itself":  {reflect.TypeFor[struct{ A embedsDescribing }](), ""},
		"own methods":       {reflect.TypeFor[struct{ A writesAmount }](), ""},
		"a named field": {reflect.TypeFor[struct {
			A struct{ Amount registeredAmount }
		}](), ""},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
			_, err := compileOwn(tt.of, d)
			if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s, direction %v: got %v, want %q", name, d, err, tt.refused)
			}
		}
	}
}
