package vet_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

var schemas = reflectschema.Internal(private.Key{})

// contradictionCases are schemas and the contradiction in them; "" for none.
var contradictionCases = []struct{ schema, want, reason string }{
	{`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`, "no integer meets exclusiveMinimum 1 and exclusiveMaximum 2", "there are only fractions between"},
	{`{"type":"integer","minimum":1.2,"maximum":1.8}`, "no integer meets minimum 1.2 and maximum 1.8", "there are only fractions between"},
	{`{"type":"integer","exclusiveMinimum":0.5,"exclusiveMaximum":1.5}`, "", "1"},
	{`{"type":"number","minimum":1,"maximum":4,"multipleOf":5}`, "no integer meets minimum 1, maximum 4 and multipleOf 5", "between 0 and 5; the multiples are integers"},
	{`{"type":"number","minimum":1,"maximum":1.2,"multipleOf":0.3}`, "", "1.2"},
	{`{"type":"number","minimum":1,"exclusiveMaximum":1.2,"multipleOf":0.3}`, "no number meets minimum 1, exclusiveMaximum 1.2 and multipleOf 0.3", "between 0.9 and 1.2"},
	{`{"type":"number","minimum":1,"multipleOf":5}`, "", "no upper bound"},
	{`{"type":"integer","minimum":1,"maximum":2,"multipleOf":1.5}`, "no integer meets minimum 1, maximum 2 and multipleOf 1.5", "1.5 is not an integer"},
	{`{"type":"integer","minimum":1,"maximum":3,"multipleOf":1.5}`, "", "3"},
	{`{"type":"number","minimum":0,"maximum":0,"multipleOf":7}`, "", "0 is a multiple of every number"},
	{`{"type":"integer","minimum":-6,"maximum":-4,"multipleOf":7}`, "no integer meets minimum -6, maximum -4 and multipleOf 7", "between -7 and 0"},
	{`{"type":"integer","minimum":4,"maximum":2,"multipleOf":7}`, "no integer meets minimum 4 and maximum 2", "multipleOf is not needed"},
	{`{"type":"number","minimum":4,"maximum":6,"multipleOf":0}`, "", "not a valid multipleOf, which another check reports"},
	{`{"type":"string","maxLength":3,"format":"uuid"}`, "no string meets format uuid and maxLength 3", "36 characters"},
	{`{"type":"string","minLength":11,"format":"date"}`, "no string meets minLength 11 and format date", "10 characters"},
	{`{"type":"string","minLength":30,"format":"date-time"}`, "", "fractions of seconds have any length"},
	{`{"type":"string","maxLength":3,"format":"colour"}`, "", "an unknown format"},
	{`{"type":"string","maxLength":3,"pattern":"^[A-Z]{4}$"}`, "no string meets pattern ^[A-Z]{4}$ and maxLength 3", ""},
	{`{"type":"string","maxLength":3,"pattern":"[A-Z]{4}"}`, "no string meets pattern [A-Z]{4} and maxLength 3", "a text is at least as long as the match in it"},
	{`{"type":"string","minLength":5,"pattern":"^(a|bb)c?d{2}$"}`, "", "bbcdd"},
	{`{"type":"string","minLength":6,"pattern":"^(a|bb)c?d{2}$"}`, "no string meets minLength 6 and pattern ^(a|bb)c?d{2}$", "bbcdd is the longest"},
	{`{"type":"string","minLength":6,"pattern":"(a|bb)c?d{2}"}`, "", "a text may be longer than the match in it"},
	{`{"type":"string","minLength":6,"pattern":"^a$|b"}`, "", "one alternative is not anchored"},
	{`{"type":"string","minLength":6,"pattern":"^a+$"}`, "", "any length"},
	{`{"type":"string","maxLength":0,"pattern":"` + strings.Repeat("(", 200) + "a" + strings.Repeat(")+", 200) + `"}`, "no string meets pattern " +
		strings.Repeat("(", 40) + "… and maxLength 0", "deeply nested repetitions, which take linear time"},
	{`{"type":"string","minLength":6,"pattern":"(?=a"}`, "", "an invalid pattern"},
	{`{"type":"array","items":{"enum":["a","b","a"]},"minItems":3,"uniqueItems":true}`, "no array meets minItems 3 and uniqueItems of 2 values", ""},
	{`{"type":"array","items":{"enum":[1,1.0,2]},"minItems":3,"uniqueItems":true}`, "no array meets minItems 3 and uniqueItems of 2 values", "1 and 1.0 are equal"},
	{`{"type":"array","items":{"type":"boolean"},"minItems":3,"uniqueItems":true}`, "no array meets minItems 3 and uniqueItems of 2 values", ""},
	{`{"type":"array","items":{"type":"boolean"},"minItems":3}`, "", "they may repeat"},
	{`{"type":"array","items":{"type":["boolean","null"]},"minItems":3,"uniqueItems":true}`, "", "null is the third"},
	{`{"type":"array","items":{"type":"integer","minimum":1,"maximum":3},"minItems":4,"uniqueItems":true}`, "no array meets minItems 4 and uniqueItems of 3 values", ""},
	{`{"type":"array","items":{"type":"integer","minimum":0,"maximum":9223372036854775807},"minItems":1,"uniqueItems":true}`, "", "too many values to count"},
	{`{"type":"array","items":{"$ref":"#/x","enum":[1]},"minItems":2,"uniqueItems":true}`, "", "references are not followed"},
	{`{"type":"object","propertyNames":{"enum":["a"]},"minProperties":2}`, "no object meets minProperties 2 and propertyNames of 1 names", ""},
	{`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":2}`, "", "fractions are numbers"},
	{`{"type":["integer","string"],"minimum":1,"exclusiveMaximum":1}`, "no integer meets minimum 1 and exclusiveMaximum 1", "a string fits, but the bounds are a mistake"},
	{`{"type":"string","exclusiveMinimum":1,"exclusiveMaximum":1}`, "", "the bounds say nothing of strings"},
	{`{"minimum":2,"exclusiveMaximum":2}`, "no number meets minimum 2 and exclusiveMaximum 2", "without a type"},
	{`{"type":"string","minLength":3,"maxLength":2}`, "no string meets minLength 3 and maxLength 2", ""},
	{`{"type":"array","minItems":3,"maxItems":2}`, "no array meets minItems 3 and maxItems 2", ""},
	{`{"type":"array","items":{"enum":["a","b"]},"minItems":3}`, "", "they may repeat"},
	{`{"type":"array","contains":{},"minContains":3,"maxContains":2}`, "no array meets minContains 3 and maxContains 2", ""},
	{`{"type":"array","contains":{"type":"string"},"maxItems":0}`, "no array meets contains at least once and maxItems 0", ""},
	{`{"type":"array","contains":{},"maxContains":0}`, "no array meets contains at least once and maxContains 0", ""},
	{`{"type":"array","contains":{},"minContains":3,"maxItems":2}`, "no array meets minContains 3 and maxItems 2", ""},
	{`{"type":"array","contains":{},"minItems":3,"maxContains":2}`, "", "other items are allowed"},
	{`{"type":"array","contains":{},"minContains":0,"maxItems":0}`, "", "none is required"},
	{`{"type":"array","minContains":3,"maxContains":2}`, "", "both are ignored without contains"},
	{`{"type":"object","minProperties":3,"maxProperties":2}`, "no object meets minProperties 3 and maxProperties 2", ""},
}

// TestContradictions checks the contradictions that are found, and that the authority refuses every sample of a
// contradictory schema.
func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, tt := range contradictionCases {
		doc := jsondoc.Parse([]byte(tt.schema))
		got := ""
		for _, c := range vet.Contradictions(doc) {
			got += c.Found
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q: %s", tt.schema, got, tt.want, tt.reason)
		}
	}
}

// TestContradictionsExact: bounds are contradictory exactly if the validator refuses all values of a range around them.
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
		found := vet.Contradictions(jsondoc.Parse(s.JSON()))
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
		t.Errorf("%d contradictory schemas, %d others", contradictory, possible)
	}
}
