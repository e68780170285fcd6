package samples_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
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
		{"nullable member", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, []string{`{"a":null}`, `{"a":""}`}, []string{`{"a":7}`}},
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
		for _, s := range samples.Of(schema) {
			if _, twice := made[string(s.JSON)]; twice {
				t.Errorf("%s: %s occurs twice", test.name, s.JSON)
			}
			made[string(s.JSON)] = s.Fits
		}
		for _, want := range []struct {
			fits   bool
			values []string
		}{{true, test.fit}, {false, test.misfit}} {
			for _, value := range want.values {
				if fits, ok := made[value]; !ok || fits != want.fits {
					t.Errorf("%s: %s: is a sample: %v, fits: %v; want a sample, fits: %v", test.name, value, ok, fits, want.fits)
				}
			}
		}
	}
}

// TestSamplesEnd: schemas that are large or endlessly nested have a bounded number of samples.
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
		if n := len(samples.Of(schema)); n == 0 || n > 2000 {
			t.Errorf("%s: %d samples", raw, n)
		}
	}
}
