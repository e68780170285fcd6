package reflectschema_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema string
		fit, misfit  []string // some of the samples
	}{
		{"lengths", `{"type":"string","minLength":2,"maxLength":3}`, []string{`"aa"`, `"aaa"`, `"😀😀😀"`}, []string{`""`, `"a"`, `"aaaa"`, `"😀😀😀😀"`, `7`, `null`}},
		{"a pattern", `{"type":"string","pattern":"^[A-Z]{3}-[0-9]+$"}`, []string{`"AAA-1"`}, []string{`""`, `"AAA-1\n"`, "\"\u00a0\""}},
		{"a format", `{"type":"string","format":"date"}`, []string{`"2026-01-31"`}, []string{`"no date"`}},
		{"bounds of a number", `{"type":"number","exclusiveMinimum":0,"maximum":1}`, []string{`0.5`, `1`}, []string{`0`, `-0.5`, `1.5`}},
		{"bounds of an integer", `{"type":"integer","minimum":-3,"exclusiveMaximum":5}`, []string{`-3`, `4`, `1.0`}, []string{`-4`, `5`, `6`, `1.5`}},
		{"a multiple", `{"type":"number","multipleOf":0.1}`, []string{`0.1`}, []string{`0.15`}},
		{"an enum", `{"enum":["a","b",3,null]}`, []string{`"a"`, `"b"`, `3`, `null`}, []string{`"a_"`, `{}`, `true`}},
		{"a const", `{"const":"x"}`, []string{`"x"`}, []string{`"x_"`}},
		{
			"items", `{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2,"uniqueItems":true}`,
			[]string{`[1]`, `[1,2]`},
			[]string{`[]`, `[1,1]`, `[1,2,3]`, `["text"]`, `[1.5]`},
		},
		{
			"a tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false}`,
			[]string{`["text",true]`},
			[]string{`[7,true]`, `["text",null]`},
		},
		{
			"a tuple that is listed", `{"type":"array","prefixItems":[{"type":"string"},{"enum":[true,{"a":1}]},{"minimum":0}],"uniqueItems":true}`,
			[]string{`["text",{"a":1},3]`, `["text",true,3]`},
			[]string{`["text",7,3]`},
		},
		{
			"a tuple of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`,
			[]string{`["text"]`},
			[]string{`[7]`},
		},
		{
			"members", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["a"],"additionalProperties":false}`,
			[]string{`{"a":"text"}`, `{"a":"text","b":true}`, `{"a":"text","b":false}`},
			[]string{`{}`, `{"a":7}`, `{"a":"text","b":null}`, `{"a":"text","b":true,"unexpected_member":1}`},
		},
		{"null where it may be", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, []string{`{"a":null}`, `{"a":""}`}, []string{`{"a":7}`}},
		{
			"a map", `{"type":"object","properties":{},"additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":2}`,
			[]string{`{"key1":1}`, `{"key1":1,"key2":1}`},
			[]string{`{}`, `{"key1":1,"key2":1,"key3":1}`, `{"key1":"text"}`},
		},
		{
			"names by a pattern", `{"type":"object","patternProperties":{"^x-":{"type":"boolean"}},"additionalProperties":false}`,
			[]string{`{"x-":true}`},
			[]string{`{"x-":7}`},
		},
		{
			"alternatives", `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"}},"required":["kind"]},{"type":"integer"}]}`,
			[]string{`{"kind":"a"}`, `1`},
			[]string{`{"kind":"a_"}`, `{}`},
		},
		{
			"a tree", `{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"additionalProperties":false}}}`,
			[]string{`{}`, `{"kids":[]}`, `{"kids":[{}]}`, `{"kids":[{"kids":[]}]}`},
			[]string{`{"kids":[7]}`},
		},
		{"anything", `{}`, []string{`{}`, `[]`, `"text"`, `7`, `1.5`, `true`, `null`}, nil},
	} {
		schema, err := reflectschema.ParseSchema([]byte(test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		made := map[string]bool{}
		for _, s := range schema.Samples() {
			if _, twice := made[string(s.JSON)]; twice {
				t.Errorf("%s: %s is made twice", test.name, s.JSON)
			}
			made[string(s.JSON)] = s.Fits
		}
		for _, want := range []struct {
			fits   bool
			values []string
		}{{true, test.fit}, {false, test.misfit}} {
			for _, value := range want.values {
				if fits, ok := made[value]; !ok || fits != want.fits {
					t.Errorf("%s: %s: made %v, fits %v; want it made, and fits %v", test.name, value, ok, fits, want.fits)
				}
			}
		}
	}
}

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
		samples := typ.Schema().Samples()
		if again := typ.Schema().Samples(); !reflect.DeepEqual(samples, again) {
			t.Errorf("%s: the samples change from one time to the next", tt.name)
		}
		decode := func(raw []byte) error {
			return typ.Decode(raw, reflect.New(goType).Elem())
		}
		if i := slices.IndexFunc(samples, func(s reflectschema.Sample) bool { return s.Fits }); unmade[tt.name] != "" {
			if typ.Schema().Example() != nil {
				t.Errorf("%s: there is an example, although %s", tt.name, unmade[tt.name])
			}
		} else if i < 0 {
			t.Errorf("%s: no sample fits %s", tt.name, typ.Schema().JSON())
		} else if err := decode(samples[i].JSON); err != nil {
			t.Errorf("%s: the first sample that fits is %s, and is not read: %v", tt.name, samples[i].JSON, err)
		}
		for _, s := range samples {
			if checked := typ.Schema().Check(s.JSON) == nil; checked != s.Fits {
				t.Errorf("%s: %s: Check says %v, the authority %v", tt.name, s.JSON, checked, s.Fits)
			}
			if err := decode(s.JSON); err == nil && !s.Fits {
				t.Errorf("%s: %s is read, and does not fit", tt.name, s.JSON)
			}
		}
	}
}

// TestSamplesEnd: schemas that are large or nest without end have samples all the same, within bounds.
func TestSamplesEnd(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"type":"array","items":{"$ref":"#"}}}}`,
		`{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"object","additionalProperties":{"$ref":"#"}},{"type":"null"}]}`,
		`{"type":"string","minLength":2000000000}`,
		`{"type":"array","minItems":2000000000}`,
		`{"type":"object","minProperties":2000000000,"maxProperties":5000}`,
	} {
		schema, err := reflectschema.ParseSchema([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(schema.Samples()); n == 0 || n > 2000 {
			t.Errorf("%s: %d samples", raw, n)
		}
	}
}
