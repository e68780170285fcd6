package reflectschema_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// TestExample: values that must differ are found, as long as the schema has enough of them.
func TestExample(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, schema, want string }{
		{
			"three names", "any name will do", `{"type":"object","additionalProperties":{"type":"integer"},"minProperties":3}`,
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
		if got := string(schema.Example()); got != tt.want {
			t.Errorf("%s: got %s, want %s: %s", tt.name, got, tt.want, tt.reason)
		}
	}
}

// TestExampleWithPanic tests that examples are made for a type whose fields have methods that panic.
func TestExampleWithPanic(t *testing.T) {
	t.Parallel()
	typ := compile[struct {
		Read readsOnly `json:"read"`
	}](t, reflectschema.DirectionInput)
	if got := typ.Schema().Example(); string(got) != `{"read":"any"}` {
		t.Errorf("the example is %s", got)
	}
}

// readsOnly has UnmarshalJSON only, so its fields are written for an example.
type readsOnly struct{ Field panicsOnNil }

func (*readsOnly) UnmarshalJSON([]byte) error { return nil }

type panicsOnNil struct{ text *string }

func (p panicsOnNil) MarshalJSON() ([]byte, error) { return []byte(*p.text), nil }

// TestSamplesOfTypes: what a type reads fits its schema, its first sample is read, and the fast way
// to check agrees with the authority, on the edges of every kind of type there is.
func TestSamplesOfTypes(t *testing.T) {
	t.Parallel()
	unmade := map[string]string{
		"recursive, one name in two packages": "a value of it has no end: each must hold another one",
		"text types":                          "nobody can guess what a type of one's own reads",
	}
	for _, tt := range typeCases {
		goType := reflect.TypeOf(tt.values[0])
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		typ, err := reflectschema.Compile(goType, reflectschema.Options{})
		if err != nil {
			continue // types_test.go says which ones should compile
		}
		made := samples.Of(typ.Schema())
		if again := samples.Of(typ.Schema()); !reflect.DeepEqual(made, again) {
			t.Errorf("%s: the samples change from one time to the next", tt.name)
		}
		decode := func(raw []byte) error {
			return typ.Decode(raw, reflect.New(goType).Elem())
		}
		if i := slices.IndexFunc(made, func(s samples.Sample) bool { return s.Fits }); unmade[tt.name] != "" {
			if typ.Schema().Example() != nil {
				t.Errorf("%s: there is an example, although %s", tt.name, unmade[tt.name])
			}
		} else if i < 0 {
			t.Errorf("%s: no sample fits %s", tt.name, typ.Schema().JSON())
		} else if err := decode(made[i].JSON); err != nil {
			t.Errorf("%s: the first sample that fits is %s, and is not read: %v", tt.name, made[i].JSON, err)
		}
		for _, s := range made {
			if checked := typ.Schema().Check(s.JSON) == nil; checked != s.Fits {
				t.Errorf("%s: %s: Check says %v, the authority %v", tt.name, s.JSON, checked, s.Fits)
			}
			if err := decode(s.JSON); err == nil && !s.Fits {
				t.Errorf("%s: %s is read, and does not fit", tt.name, s.JSON)
			}
		}
	}
}
