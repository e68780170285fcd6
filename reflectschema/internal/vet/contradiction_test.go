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

// contradictionCases are schemas with what no value meets, "" where some value does.
var contradictionCases = []struct{ schema, want, reason string }{
	{`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`, "", "integers between neighbors are not looked for"},
	{`{"type":"number","exclusiveMinimum":1,"exclusiveMaximum":2}`, "", "fractions are numbers"},
	{`{"type":["integer","string"],"minimum":1,"exclusiveMaximum":1}`, "no integer meets minimum 1 and exclusiveMaximum 1", "a string fits, but the bounds are a mistake"},
	{`{"type":"string","exclusiveMinimum":1,"exclusiveMaximum":1}`, "", "the bounds say nothing of strings"},
	{`{"minimum":2,"exclusiveMaximum":2}`, "no number meets minimum 2 and exclusiveMaximum 2", "without a type"},
	{`{"type":"string","minLength":3,"maxLength":2}`, "no string meets minLength 3 and maxLength 2", ""},
	{`{"type":"array","minItems":3,"maxItems":2}`, "no array meets minItems 3 and maxItems 2", ""},
	{`{"type":"array","items":{"enum":["a","b"]},"minItems":3}`, "", "they may repeat"},
	{`{"type":"array","contains":{},"minContains":3,"maxContains":2}`, "no array meets minContains 3 and maxContains 2", ""},
	{`{"type":"array","minContains":3,"maxContains":2}`, "", "both are ignored without contains"},
	{`{"type":"object","minProperties":3,"maxProperties":2}`, "no object meets minProperties 3 and maxProperties 2", ""},
}

// TestContradictions holds what is found, and that the authority refuses every sample of
// a schema that nothing fits.
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

// TestContradictionsExact: bounds are contradictory if and only if the validator refuses all values of a range around them.
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
			schema = `{"type":"number"` + pick("minimum", bounds...) + pick("maximum", bounds...) +
				pick("exclusiveMinimum", bounds...) + pick("exclusiveMaximum", bounds...) + "}"
			for i := -48; i <= 48; i++ {
				values = append(values, fmt.Sprint(float64(i)/8))
			}
		case 1:
			schema = `{"type":"string"` + pick("minLength", small...) + pick("maxLength", small...) + "}"
			for i := range 8 {
				values = append(values, `"`+strings.Repeat("a", i)+`"`)
			}
		default:
			schema = `{"type":"array"` + pick("minItems", small...) + pick("maxItems", small...) + "}"
			for _, n := range []string{"", "0", "0,1", "0,1,2", "0,1,2,3"} {
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
		t.Errorf("%d schemas are contradictory, %d are not", contradictory, possible)
	}
}
