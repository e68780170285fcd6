package reflectschema_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// TestExample: an example with distinct values is found if the schema allows enough of them.
func TestExample(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, schema, want string }{
		{
			"three names", "any name is allowed", `{"type":"object","additionalProperties":{"type":"integer"},"minProperties":3}`,
			`{"key1":1,"key2":1,"key3":1}`,
		},
		{
			"names of fixed length", "no number can follow",
			`{"type":"object","propertyNames":{"pattern":"^[a-z]{3}$"},"additionalProperties":{"type":"integer"},"minProperties":3}`,
			`{"key":1,"baa":1,"caa":1}`,
		},
		{
			"names from alternatives", "the pattern has three matches",
			`{"type":"object","propertyNames":{"pattern":"^(north|east|west)$"},"additionalProperties":true,"minProperties":3}`,
			`{"north":"any","east":"any","west":"any"}`,
		},
		{
			"too few names", "the pattern has two matches",
			`{"type":"object","propertyNames":{"pattern":"^(on|off)$"},"additionalProperties":true,"minProperties":3}`,
			``,
		},
		{
			"names by length alone", "the pattern has one match of each length",
			`{"type":"object","propertyNames":{"pattern":"^x+$"},"additionalProperties":{"type":"integer"},"minProperties":3}`,
			`{"x":1,"xx":1,"xxx":1}`,
		},
		{
			"names of one digit", "a number alone fits",
			`{"type":"object","propertyNames":{"pattern":"^[0-9]$"},"additionalProperties":{"type":"integer"},"minProperties":2}`,
			`{"1":1,"2":1}`,
		},
		{
			"no names", "propertyNames is a boolean schema",
			`{"type":"object","propertyNames":false,"additionalProperties":{"type":"integer"},"minProperties":2}`,
			``,
		},
		{
			"unlike items", "no number can follow",
			`{"type":"array","items":{"type":"string","pattern":"^[A-Z]{2}-[0-9]{2}$"},"minItems":3,"uniqueItems":true}`,
			`["AA-11","BA-11","CA-11"]`,
		},
	} {
		schema, err := reflectschema.ParseSchema([]byte(tt.schema))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := string(samples.Example(schema)); got != tt.want {
			t.Errorf("%s: got %s, want %s: %s", tt.name, got, tt.want, tt.reason)
		}
	}
}

// TestExampleWithPanic checks that a type whose fields have panicking methods has an example.
func TestExampleWithPanic(t *testing.T) {
	t.Parallel()
	typ := compile[struct {
		Read readsOnly `json:"read"`
	}](t, reflectschema.DirectionInput)
	if got := samples.Example(typ.Schema()); string(got) != `{"read":"any"}` {
		t.Errorf("example = %s", got)
	}
}

// readsOnly has only UnmarshalJSON, so an example is encoded from its fields.
type readsOnly struct{ Field panicsOnNil }

func (*readsOnly) UnmarshalJSON([]byte) error { return nil }

type panicsOnNil struct{ text *string }

func (p panicsOnNil) MarshalJSON() ([]byte, error) { return []byte(*p.text), nil }

// TestSamplesOfTypes: samples that a type decodes fit its schema, its first valid sample is decoded, and the fast check
// agrees with the authority, for the edge cases of every kind of type.
func TestSamplesOfTypes(t *testing.T) {
	t.Parallel()
	unmade := map[string]string{
		"recursive, one name in two packages": "each value must contain another one",
		"text types":                          "the texts of a custom type are unknown",
	}
	for _, tt := range typeCases {
		goType := reflect.TypeOf(tt.values[0])
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		typ, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
		if err != nil {
			continue // types_test.go tests which ones compile
		}
		made := samples.Of(typ.Schema())
		if again := samples.Of(typ.Schema()); !reflect.DeepEqual(made, again) {
			t.Errorf("%s: the samples are not deterministic", tt.name)
		}
		decode := func(raw []byte) error {
			return typ.Decode(raw, reflect.New(goType).Elem())
		}
		if i := slices.IndexFunc(made, func(s samples.Sample) bool { return s.Fits }); unmade[tt.name] != "" {
			if samples.Example(typ.Schema()) != nil {
				t.Errorf("%s: got an example, although %s", tt.name, unmade[tt.name])
			}
		} else if i < 0 {
			t.Errorf("%s: no sample fits %s", tt.name, typ.Schema().JSON())
		} else if err := decode(made[i].JSON); err != nil {
			t.Errorf("%s: the first valid sample %s cannot be decoded: %v", tt.name, made[i].JSON, err)
		}
		for _, s := range made {
			if checked := typ.Schema().Check(s.JSON) == nil; checked != s.Fits {
				t.Errorf("%s: %s: Check = %v, authority = %v", tt.name, s.JSON, checked, s.Fits)
			}
			if err := decode(s.JSON); err == nil && !s.Fits {
				t.Errorf("%s: %s is decoded, but does not fit", tt.name, s.JSON)
			}
		}
	}
}
