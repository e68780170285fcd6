package schemacompare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

var schemas = reflectschema.Internal(private.Key{})

// cases are pairs of schemas and the reported differences, as path and keyword, where a value valid under the first
// schema may be invalid under the second; a ? marks uncertain ones.
var cases = []struct{ reason, first, second, want string }{
	{"the same", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
	{"integers are numbers", `{"type":"integer"}`, `{"type":"number"}`, ""},
	{"numbers are no integers", `{"type":"number"}`, `{"type":"integer"}`, "type"},
	{"every second multiple", `{"type":"number","multipleOf":4}`, `{"multipleOf":2,"type":"integer"}`, ""},
	{"a bound of integers", `{"type":"integer","exclusiveMinimum":0.5}`, `{"minimum":1}`, ""},
	{"values that fit", `{"enum":[1,2.0,"a"]}`, `{"type":["integer","string"],"maximum":2,"minLength":1}`, ""},
	{"a value that does not", `{"enum":[1,3]}`, `{"maximum":2}`, "enum"},
	{"a boolean is one of two", `{"type":"boolean"}`, `{"enum":[false,true,null]}`, ""},
	{"items by position", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, `{"maxItems":2,"items":{"type":["string","integer"]}}`, ""},
	{"the same of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}],"additionalItems":false}`, `{"items":{"type":"integer"}}`, "[0]:type"},
	{"a member more", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"properties":{"a":{}},"additionalProperties":false}`, "b:false"},
	{"a member that is not described", `{"type":"object"}`, `{"properties":{"a":{"type":"string"}}}`, "a:type?"},
	{"a name that is refused", `{"type":"object","properties":{"abc":{}},"additionalProperties":false}`, `{"propertyNames":{"maxLength":2}}`, "abc:propertyNames"},
	{"names of a pattern", `{"type":"object","patternProperties":{"^a$":{}},"additionalProperties":false}`, `{"propertyNames":{"pattern":"^a$"}}`, ""},
	{"alternatives of two types", `{"type":["string","integer"]}`, `{"oneOf":[{"type":"string"},{"type":"number"}]}`, ""},
	{"a type for which there is no alternative", `{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "type"},
	{"alternatives told apart by a member", `{"type":"object","properties":{"k":{"const":1}},"required":["k"]}`, `{"oneOf":[{"properties":{"k":{"const":1}},"required":["k"]},{"properties":{"k":{"const":2}},"required":["k"]}]}`, ""},
	{"none of them", `{"type":"object","properties":{"k":{"const":3}},"required":["k"]}`, `{"oneOf":[{"properties":{"k":{"const":1}},"required":["k"]},{"properties":{"k":{"const":2}},"required":["k"]}]}`, "oneOf"},
	{"a union with the other keyword", `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`, `{"anyOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`, ""},
	{"a union with both keywords", `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`, `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}],"anyOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"null"}]}`, "oneOf"},
	{"the other keyword, and alternatives that overlap", `{"anyOf":[{"type":"integer"},{"type":"integer","minimum":5}]}`, `{"oneOf":[{"type":"integer"},{"type":"integer","minimum":5}]}`, "oneOf?"},
	{"the other keyword, and the same constant twice", `{"anyOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]}]}`, `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]}]}`, "oneOf?"},
	{"a part for each of two", `{"type":"integer"}`, `{"anyOf":[{"minimum":0},{"maximum":0}]}`, "minimum?"},
	{"what fits nothing", `{"allOf":[{"type":"string"},{"type":"null"}]}`, `false`, ""},
	{"not of everything", `{"not":{}}`, `{"type":"string"}`, ""},
	{"a tree", `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{"type":"integer"}}}}}`, `{"properties":{"kids":{"items":{"$ref":"#"}},"v":{"type":["string","number"]}}}`, ""},
	{"a reference within an anchored document", `{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"x","type":"string"}}}`, `{"type":"string"}`, ""},
	{"a reference by anchor", `{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"string"}}}`, `{"type":"string"}`, "$ref? type?"},
	{"what is unevaluated is refused", `{"type":"object","allOf":[{"properties":{"a":{}}}],"properties":{"b":{}},"unevaluatedProperties":false}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, ""},
	{"of the alternative that fits", `{"type":"object","oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"unevaluatedProperties":false}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, ""},
	{"two alternatives may evaluate", `{"type":"object","anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}`, `{"properties":{"a":{}},"additionalProperties":false}`, "*:additionalProperties b:false"},
	{"a pattern may say what a format does", `{"type":"string","pattern":"^2026-01-01$"}`, `{"format":"date"}`, "format?"},
	{"without either it does not", `{"type":"string"}`, `{"format":"date"}`, "format"},
	{"then without if", `{"type":"string"}`, `{"then":false}`, ""},
	{"it depends", `{"type":"object"}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, "if? then?"},
	{"too many alternatives", multiplied(10), `{"type":"object","required":["x"]}`, "anyOf? x:required?"},
	{"and it does not matter", multiplied(10), `{"type":"object"}`, ""},
}

// multiplied is a schema of lists of two alternatives each, whose combinations multiply.
func multiplied(lists int) string {
	var parts []string
	for i := range lists {
		parts = append(parts, fmt.Sprintf(`{"anyOf":[{"minProperties":%d},{"maxProperties":%d}]}`, i, 2*i))
	}
	return `{"type":"object","allOf":[` + strings.Join(parts, ",") + `]}`
}

func compare(first, second string) []schemacompare.Difference {
	return schemacompare.Compare(document(first), document(second))
}

func document(schema string) *schemacompare.Document {
	return schemacompare.NewDocument(jsondoc.Parse([]byte(schema)))
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tt := range cases {
		var got []string
		for _, d := range compare(tt.first, tt.second) {
			var at []string
			for _, step := range d.At.Path {
				switch step.Index {
				case jsondoc.NamedMember:
					at = append(at, step.Name)
				case jsondoc.AnyElement, jsondoc.AnyMember, jsondoc.MemberNames:
					at = append(at, "*")
				default:
					at = append(at, fmt.Sprintf("[%d]", step.Index))
				}
			}
			text := strings.TrimPrefix(strings.Join(at, ".")+":", ":") + d.Keyword
			if d.Doubt != schemacompare.None {
				text += "?"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s\nin %s: %q, want %q", tt.reason, tt.first, tt.second, text, tt.want)
		}
	}
}

// TestCompareBounded checks that multiplying alternatives end the comparison and not the program.
// TestSameBooleans compares schemas that differ in booleans only.
func TestSameBooleans(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		one, other string
		want       bool
	}{
		{`true`, `true`, true},
		{`false`, `false`, true},
		{`true`, `false`, false},
		{`{"type":"object","additionalProperties":false}`, `{"type":"object","additionalProperties":true}`, false},
		{`{"type":"array","items":false}`, `{"type":"array","items":false}`, true},
		{`{"uniqueItems":true}`, `{"uniqueItems":false}`, false},
		{`true`, `{}`, false}, // it cannot decide
	} {
		if got := schemacompare.Same(document(test.one), document(test.other)); got != test.want {
			t.Errorf("%s and %s are the same: %t, want %t", test.one, test.other, got, test.want)
		}
	}
}

func TestCompareBounded(t *testing.T) {
	t.Parallel()
	// levels of definitions, each of which refers to the next one several times, under a keyword
	levels := func(count, times int, format, last string) string {
		var defs []string
		for i := range count {
			ref := fmt.Sprintf(`{"$ref":"#/$defs/n%d"}`, i+1)
			refs := slices.Repeat([]string{ref}, times)
			defs = append(defs, fmt.Sprintf(`"n%d":`, i)+strings.ReplaceAll(format, "REFS", strings.Join(refs, ",")))
		}
		return `{"$ref":"#/$defs/n0","$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"n%d":%s}}`, count, last)
	}
	var names []string
	for i := range 1500 {
		names = append(names, fmt.Sprintf(`"name%d":{"type":"integer"}`, i))
	}
	wide := `{"type":"object","properties":{` + strings.Join(names, ",") + `}}`
	hostile := []string{
		levels(30, 2, `{"anyOf":[REFS]}`, `{"type":"string"}`),
		levels(30, 2, `{"allOf":[REFS]}`, `{"minLength":1}`),
		levels(30, 2, `{"oneOf":[REFS]}`, `{"const":1}`),
		levels(12, 9, `{"type":"object","properties":{"a":{"anyOf":[REFS]},"b":{"oneOf":[REFS]}},"required":["a","b"]}`, `{"type":"string"}`),
		levels(30, 2, `{"type":"array","items":{"anyOf":[REFS]}}`, `{"enum":[1,"a"]}`),
		wide,
		`{"anyOf":[` + strings.Join(slices.Repeat([]string{`{"$ref":"#/$defs/w"}`}, 100), ",") + `],"$defs":{"w":` + wide + `}}`,
		strings.ReplaceAll(wide, "integer", "string"),
		`{"enum":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 3000), ",") + `]}`,
		`{"enum":[` + strings.TrimSuffix(strings.Repeat(`{"a":2},`, 3000), ",") + `]}`,
	}
	for i, first := range hostile {
		for j, second := range hostile {
			if !testscale.IsNightly() && i != j {
				continue
			}
			began := time.Now()
			compare(first, second)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("to compare %d with %d takes %v", i, j, took)
			} else if took > time.Second {
				t.Logf("%d, %d: %v", i, j, took)
			}
		}
	}
}

// FuzzCompare checks the comparison with the validator: without a difference, no sample valid under the first
// schema is invalid under the second.
func FuzzCompare(f *testing.F) {
	for _, tt := range cases {
		f.Add([]byte(tt.first), []byte(tt.second))
		f.Add([]byte(tt.second), []byte(tt.first))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		defer watch()()
		a, err := reflectschema.ParseSchema(first)
		if err != nil {
			return
		}
		b, err := reflectschema.ParseSchema(second)
		if err != nil {
			return
		}
		if found := compare(string(a.JSON()), string(b.JSON())); len(found) > 0 {
			return
		}
		for _, s := range append(samples.Of(a), samples.Of(b)...) {
			if schemas.Judge(a, s.JSON) == nil && schemas.Judge(b, s.JSON) != nil {
				t.Fatalf("%s\nis said to fit\n%s\nbut for %s: %v", first, second, s.JSON, schemas.Judge(b, s.JSON))
			}
		}
	})
}
