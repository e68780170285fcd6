package vet_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

var schemas = private.Take[private.Schemas[*reflectschema.Type, *reflectschema.Schema]]()

// contradictionCases are schemas with what no value meets, "" where some value does.
var contradictionCases = []struct{ schema, want, reason string }{
	{`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`, "no integer meets exclusiveMinimum 1 and exclusiveMaximum 2", "there are only fractions between"},
	{`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":2}`, "", "fractions are numbers"},
	{`{"type":["integer","string"],"exclusiveMinimum":1,"exclusiveMaximum":2}`, "no integer meets exclusiveMinimum 1 and exclusiveMaximum 2", "a string fits, but the bounds are a mistake"},
	{`{"type":"string","exclusiveMinimum":1,"exclusiveMaximum":1}`, "", "the bounds say nothing of strings"},
	{`{"minimum":2,"exclusiveMaximum":2}`, "no number meets minimum 2 and exclusiveMaximum 2", "without a type"},
	{`{"type":"number","minimum":1,"maximum":4,"multipleOf":5}`, "no number meets minimum 1, maximum 4 and multipleOf 5", "between 0 and 5"},
	{`{"type":"number","minimum":1,"multipleOf":5}`, "", "no upper bound"},
	{`{"type":"integer","minimum":1,"maximum":2,"multipleOf":1.5}`, "no integer meets minimum 1, maximum 2 and multipleOf 1.5", "1.5 is none"},
	{`{"type":"integer","minimum":1,"maximum":3,"multipleOf":1.5}`, "", "3"},
	{`{"type":"number","minimum":0,"maximum":0,"multipleOf":7}`, "", "0 is a multiple of everything"},
	{`{"type":"string","minLength":3,"maxLength":2}`, "no string meets minLength 3 and maxLength 2", ""},
	{`{"type":"string","maxLength":3,"format":"uuid"}`, "no string meets format uuid and maxLength 3", "36 characters"},
	{`{"type":"string","minLength":11,"format":"date"}`, "no string meets minLength 11 and format date", "10 characters"},
	{`{"type":"string","minLength":30,"format":"date-time"}`, "", "fractions of seconds have any length"},
	{`{"type":"string","maxLength":19,"format":"date-time"}`, "no string meets format date-time and maxLength 19", "with the Z, 20"},
	{`{"type":"string","maxLength":3,"format":"colour"}`, "", "who knows"},
	{`{"type":"string","maxLength":3,"pattern":"^[A-Z]{4}$"}`, "no string meets pattern ^[A-Z]{4}$ and maxLength 3", ""},
	{`{"type":"string","maxLength":3,"pattern":"[A-Z]{4}"}`, "no string meets pattern [A-Z]{4} and maxLength 3", "what it matches is as long, wherever it stands"},
	{`{"type":"string","minLength":5,"pattern":"^(a|bb)c?d{2}$"}`, "", "bbcdd"},
	{`{"type":"string","minLength":6,"pattern":"^(a|bb)c?d{2}$"}`, "no string meets minLength 6 and pattern ^(a|bb)c?d{2}$", "bbcdd is the longest"},
	{`{"type":"string","minLength":6,"pattern":"(a|bb)c?d{2}"}`, "", "anything may stand around"},
	{`{"type":"string","minLength":6,"pattern":"^a$|b"}`, "", "anchored in part"},
	{`{"type":"string","minLength":6,"pattern":"^a+$"}`, "", "endless"},
	{`{"type":"string","minLength":6,"pattern":"(?=a"}`, "", "no pattern that is known"},
	{`{"type":"array","minItems":3,"maxItems":2}`, "no array meets minItems 3 and maxItems 2", ""},
	{`{"type":"array","items":{"enum":["a","b","a"]},"minItems":3,"uniqueItems":true}`, "no array meets minItems 3 and uniqueItems of 2 values", ""},
	{`{"type":"array","items":{"enum":["a","b"]},"minItems":3}`, "", "they may repeat"},
	{`{"type":"array","items":{"type":"boolean"},"minItems":3,"uniqueItems":true}`, "no array meets minItems 3 and uniqueItems of 2 values", ""},
	{`{"type":"array","items":{"type":["boolean","null"]},"minItems":3,"uniqueItems":true}`, "", "null is the third"},
	{`{"type":"array","items":{"type":"integer","minimum":1,"maximum":3},"minItems":4,"uniqueItems":true}`, "no array meets minItems 4 and uniqueItems of 3 values", ""},
	{`{"type":"array","items":{"type":"integer","minimum":0,"maximum":9223372036854775807},"minItems":1,"uniqueItems":true}`, "", "more values than an int64 counts"},
	{`{"type":"array","items":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},"minItems":1,"uniqueItems":true}`, "", "all of int64"},
	{`{"type":"array","items":{"$ref":"#/x","enum":[1]},"minItems":2,"uniqueItems":true}`, "", "references are not followed"},
	{`{"type":"array","prefixItems":[{},{}],"items":false,"minItems":3}`, "no array meets minItems 3 and items that end after 2", ""},
	{`{"type":"array","contains":{"type":"string"},"maxItems":0}`, "no array meets contains at least once and maxItems 0", ""},
	{`{"type":"array","contains":{},"minContains":3,"maxContains":2}`, "no array meets minContains 3 and maxContains 2", ""},
	{`{"type":"array","minContains":3,"maxContains":2}`, "", "both are ignored without contains"},
	{`{"type":"array","contains":{},"minItems":3,"maxContains":2}`, "", "others may stand beside"},
	{`{"type":"array","contains":{},"minContains":0,"maxItems":0}`, "", "none is needed"},
	{`{"type":"object","minProperties":3,"maxProperties":2}`, "no object meets minProperties 3 and maxProperties 2", ""},
	{`{"type":"object","required":["a","b"],"maxProperties":1}`, "no object meets required of 2 names and maxProperties 1", ""},
	{`{"type":"object","properties":{"a":{}},"additionalProperties":false,"minProperties":2}`, "no object meets minProperties 2 and additionalProperties false beside 1 properties", ""},
	{`{"type":"object","properties":{"a":{}},"patternProperties":{"b":{}},"additionalProperties":false,"minProperties":2}`, "", "by the pattern"},
	{`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false,"minProperties":2}`, "", "others may be evaluated elsewhere"},
	{`{"type":"object","propertyNames":{"enum":["a"]},"minProperties":2}`, "no object meets minProperties 2 and propertyNames of 1 names", ""},
	{`{"type":"object","properties":{"a":{}},"required":["b"],"additionalProperties":false}`, `no object meets required "b" and additionalProperties false`, ""},
	{`{"type":"object","properties":{"b":false},"required":["b"]}`, `no object meets required "b" and properties that refuses it`, ""},
	{`{"type":"object","required":["b"]}`, "", "open"},
}

// TestContradictions holds what is found, and that the authority refuses every sample of
// a schema that nothing fits.
func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, tt := range contradictionCases {
		doc := jsondoc.Parse([]byte(tt.schema))
		got := ""
		for _, c := range vet.Contradictions(schemacompare.Branch{doc}) {
			got += c.String()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q: %s", tt.schema, got, tt.want, tt.reason)
		}
	}
}

// TestContradictionsExact holds that bounds are called contradictory if and only if the
// authority refuses all of a range of values that lies around them.
func TestContradictionsExact(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	pick := func(keyword string, values ...string) string {
		if rng.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf(",%q:%s", keyword, values[rng.IntN(len(values))])
	}
	bounds := strings.Split("-2,-1.5,-1,-0.5,0,0.5,1,1.5,2,2.5", ",")
	small := strings.Split("0,1,2,3,4", ",")
	contradictory, possible := 0, 0
	for range 1500 {
		var schema string
		var values []string
		switch rng.IntN(3) {
		case 0:
			schema = `{"type":"` + []string{"integer", "number"}[rng.IntN(2)] + `"` + pick("minimum", bounds...) + pick("maximum", bounds...) +
				pick("exclusiveMinimum", bounds...) + pick("exclusiveMaximum", bounds...) + pick("multipleOf", "0.5", "0.75", "1.5", "2", "3") + "}"
			for i := -48; i <= 48; i++ {
				values = append(values, fmt.Sprint(float64(i)/8))
			}
		case 1:
			schema = `{"type":"string"` + pick("minLength", small...) + pick("maxLength", small...) +
				pick("pattern", `"^a{2,3}$"`, `"a{3}"`, `"^(a|aaa)?$"`, `"^a+$"`, `"^aa"`) + "}"
			for i := range 8 {
				values = append(values, `"`+strings.Repeat("a", i)+`"`)
			}
		default:
			schema = `{"type":"array"` + pick("minItems", small...) + pick("maxItems", small...) + pick("uniqueItems", "true") +
				pick("items", `{"enum":[0,1]}`, `{"type":"integer","minimum":0,"maximum":2}`, `{}`) + "}"
			for _, n := range []string{"", "0", "0,1", "0,1,2", "0,1,2,3", "0,0,0", "0,0,0,0"} {
				values = append(values, "["+n+"]")
			}
		}
		s, err := reflectschema.ParseSchema([]byte(schema))
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		fits := slices.ContainsFunc(values, func(v string) bool { return schemas.Judge(s, []byte(v)) == nil })
		found := vet.Contradictions(schemacompare.Branch{jsondoc.Parse(s.JSON())})
		if fits == (len(found) > 0) {
			t.Errorf("%s: a value fits: %v, found %v", schema, fits, found)
		}
		if fits {
			possible++
		} else {
			contradictory++
		}
	}
	if contradictory < 100 || possible < 100 {
		t.Errorf("%d schemas are contradictory, %d are not", contradictory, possible)
	}
}
