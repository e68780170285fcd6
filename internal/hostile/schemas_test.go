package hostile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
)

// schemas are handwritten schemas for the argument v of tools, with keywords that make validation try alternatives,
// track visited values, or match patterns.
var schemas = []struct{ tool, v, beside string }{
	{"nullable", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, ""},
	{"one_of", `{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"boolean"}}]}`, ""},
	{"not", `{"not":{"type":"array","items":{"type":"integer"}}}`, ""},
	{"if", `{"if":{"items":{"type":"string"}},"then":{"maxItems":3},"else":{"items":{"type":"null"}}}`, ""},
	{"contains", `{"contains":{"type":"string"}}`, ""},
	{"max_contains", `{"contains":{"type":"integer"},"maxContains":1000}`, ""},
	{"unevaluated_items", `{"allOf":[{"contains":{"type":"string"},"minContains":0}],"unevaluatedItems":{"type":"boolean"}}`, ""},
	{"prefix_items", `{"prefixItems":[{"type":"integer"}],"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, ""},
	{"unique", `{"uniqueItems":true}`, ""},
	{"multiple", `{"items":{"minimum":0,"multipleOf":0.5}}`, ""},
	{"enum", `{"items":{"enum":["a",{"a":[1,2,3]},[1,2,3]]}}`, ""},
	{"dynamic", `{"$dynamicRef":"#d"}`, `"$defs":{"d":{"$dynamicAnchor":"d","anyOf":[{"type":"array","items":{"$dynamicRef":"#d"}},{"type":"null"}]}}`},
	{"names", `{"type":"object","propertyNames":{"anyOf":[{"maxLength":3},{"pattern":"^(?:[a-z]?){100}$"}]}}`, ""},
	{"patterns", `{"type":"object","patternProperties":{"^(?:[a-z]?){100}$":{"type":"string"},"^k":{"type":"integer"},"0$":{"type":"boolean"}}}`, ""},
	{"unevaluated_properties", `{"type":"object","anyOf":[{"patternProperties":{"^a":true}},{"properties":{"k0":{}}}],"unevaluatedProperties":{"type":"string"}}`, ""},
	{"dependent", `{"type":"object","dependentSchemas":{"k0":{"additionalProperties":{"type":"string"}},"k1":{"maxProperties":10}}}`, ""},
	{"recursive", `{"$ref":"#/$defs/n"}`, `"$defs":{"n":{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":2},{"type":"null"}]}}`},
	{"any_of_two", `{"$ref":"#/$defs/a0"}`, doubling("anyOf")},
	{"all_of_two", `{"$ref":"#/$defs/a0"}`, doubling("allOf")},
	{"one_of_two", `{"$ref":"#/$defs/a0"}`, doubling("oneOf")},
	{"costly_pattern", `{"items":{"pattern":"(?:a?){130}x?$"}}`, ""},
	{"costly_names", `{"propertyNames":{"pattern":"(?:a?){130}[0-9]$"}}`, ""},
	{"large_pattern", `{"maxLength":20000000,"pattern":"^(?:[a-z]{1,900} ?)+[0-9]$"}`, ""},
	{"regex", `{"items":{"format":"regex"}}`, ""},
}

// doubling returns the $defs a0 to a22, each of which refers to the next one twice, so there are four million paths to
// the last one.
func doubling(keyword string) string {
	var b strings.Builder
	b.WriteString(`"$defs":{`)
	for i := range 22 {
		fmt.Fprintf(&b, `"a%d":{"%s":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, keyword, i+1, i+1)
	}
	return b.String() + `"a22":{"type":"integer"}}`
}

// nullableIn is a type whose schema a tool replaces with a handwritten one.
type nullableIn struct {
	V []string `json:"v,omitzero" jsonschema:"nullable"`
}

// schemaTools returns the tools of schemas, each made with [mcptool.NewRaw], and one made with a schema option.
func schemaTools(t *testing.T) []*mcptool.Tool {
	t.Helper()
	var all []*mcptool.Tool
	for _, s := range schemas {
		document := `{"type":"object","properties":{"v":` + s.v + `}`
		if s.beside != "" {
			document += "," + s.beside
		}
		tool, err := mcptool.NewRaw("v_"+s.tool, json.RawMessage(document+"}"), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "fits"}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool)
	}
	return append(all, newTool(t, "v_option", func(context.Context, nullableIn) (mcptool.Text, error) { return mcptool.Text{Text: "fits"}, nil },
		mcptool.InputSchema(json.RawMessage(`{"type":"object","properties":{"v":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}},"additionalProperties":false}`))))
}

// manyNames returns 100 000 members of an object whose names start with begin, each with the value 1 and followed by a
// comma.
func manyNames(begin string) string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, `"%s%d":1,`, begin, i)
	}
	return b.String()
}

// judged returns arguments of the maximum size under these schemas.
func judged() []row {
	const ones, long = "390 000 1s", "a list of 16 MB"
	list := func(tool, item string, want verdict) row {
		times := min(manyValues/(1+strings.Count(item, "[")), (16*mega-1000)/(len(item)+1))
		return row{tool: "v_" + tool, text: `{"v":[` + item, unit: "," + item, times: times, rest: "]}", want: want}
	}
	object := func(tool, begin string, want verdict) row {
		return row{tool: "v_" + tool, text: `{"v":{` + manyNames(begin), rest: `"z":1}}`, want: want}
	}
	named := func(name string, per int, r row) row {
		r.per = per
		r.name = name + " under " + strings.ReplaceAll(strings.TrimPrefix(r.tool, "v_"), "_", " ")
		return r
	}
	wrong := failed("v")
	return []row{
		named(ones, 100, list("nullable", "1", wrong)),
		named(ones, 100, list("option", "1", wrong)),
		named(ones, 100, list("one_of", "1", wrong)),
		named(ones, 100, list("not", "1", wrong)),
		named(ones, 100, list("if", "1", wrong)),
		named(ones, 100, list("contains", "1", wrong)),
		named(ones, 100, list("max_contains", "1", wrong)),
		named(ones, 100, list("unevaluated_items", "1", wrong)),
		named(ones, 100, list("prefix_items", "1", wrong)),
		named(ones, 100, list("unique", "1", wrong)),
		named(ones, 100, list("enum", "1", wrong)),
		named(long, 0, list("nullable", "1.000000000000000000000000000000", wrong)),
		named(long, 0, list("multiple", "1.000000000000000000000000000001", wrong)),
		named("390 000 1e999s", 600, list("multiple", "1e999", failed("too much to check"))), // exact arithmetic with thousands of bits
		named("130 000 []", 100, list("one_of", "[]", wrong)),
		named("130 000 []", 100, list("unique", "[]", wrong)),
		named("163 000 [[1]]", 100, list("recursive", "[[1]]", wrong)),
		named("163 000 [[1]]", 100, list("dynamic", "[[1]]", wrong)),
		named("163 000 [[1]]", 100, list("unique", "[[1]]", wrong)),
		named("100 000 names", 60, object("names", "name", wrong)),
		named("100 000 names", 60, object("patterns", "k", wrong)),
		named("100 000 names", 60, object("unevaluated_properties", "b", wrong)),
		named("100 000 names", 60, object("dependent", "k", wrong)),
		named("100 000 long names", 0, object("costly_names", strings.Repeat("a", 100), wrong)),
		named("390 000 strings", 0, list("costly_pattern", `"`+strings.Repeat("a", 31)+`"`, wrong)),
		named("390 000 expressions", 50, list("regex", `"(a|b)*(a|b)*(a|b)*(a|b)*"`, wrong)),
		{name: "16 MB under large pattern", tool: "v_large_pattern", text: `{"v":"`, unit: "a", times: 16*mega - 1000, rest: `"}`, want: wrong},
		{name: "a string under any of two", tool: "v_any_of_two", text: `{"v":"x"}`, want: wrong, most: explained},
		{name: "a string under all of two", tool: "v_all_of_two", text: `{"v":"x"}`, want: wrong, most: small},
		{name: "a string under one of two", tool: "v_one_of_two", text: `{"v":"x"}`, want: wrong, most: explained},
		{name: "an integer under one of two", tool: "v_one_of_two", text: `{"v":1}`, want: wrong, most: explained},
		{name: "an integer under all of two", tool: "v_all_of_two", text: `{"v":1}`, want: served("fits"), most: small},
		{name: "390 000 strings for a costly pattern", tool: "take", text: `{"tags":[""`, unit: `,"` + strings.Repeat("a", 31) + `"`, times: manyValues, rest: `]}`, want: failed("too much to check")},
		{name: "15 MB where 80 characters are allowed", tool: "take", text: `{"short":"`, unit: "a", times: 15 * mega, rest: `"}`, want: failed("short")},
		{name: "390 000 expressions where 5 are allowed", tool: "take", text: `{"patterns":["a"`, unit: `,"(a|b)*(a|b)*"`, times: manyValues, rest: `]}`, want: failed("patterns"), per: 40},
	}
}

// register makes a tool with this schema.
func register(schema string) error {
	_, err := mcptool.NewRaw("n", json.RawMessage(schema), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, nil
	})
	return err
}

// TestRegistration checks that schemas that would make validation or compilation take long are rejected at once when
// the tool is made.
//
//nolint:paralleltest // it measures the process
func TestRegistration(t *testing.T) {
	patterns := func(each string, n int) string {
		return `"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"pattern":"`+each+`"},`, n), ",") + `]`
	}
	for _, test := range []struct{ name, v, refused string }{
		{"3000 patterns of a{1000} in one", `"pattern":"` + strings.Repeat("a{1000}", 3000) + `"`, "more than 16384"},
		{"20 patterns of a{1000}", patterns("a{1000}", 20), ""},
		{"3000 patterns of a{1000}", patterns("a{1000}", 3000), "compile to more than 50000 instructions together"},
		{"12 times a{1000}", `"pattern":"` + strings.Repeat("a{1000}", 12) + `"`, "shorten its repetitions"},
		{"repetitions in repetitions", `"pattern":"((a{10}){10}){10}{10}"`, "must be a regular expression"},
		{"a pattern of a name", `"patternProperties":{"` + strings.Repeat("a{1000}", 12) + `":true}`, "shorten its repetitions"},
		{"10 000 schemas", `"allOf":[` + strings.Repeat(`{"type":"integer"},`, 10_000) + `true]`, "more than 5000"},
		{"1000 levels", strings.Repeat(`"not":{`, 1000) + strings.Repeat("}", 1000), "levels deep"},
		{"an endless $ref", `"anyOf":[{"$ref":"#/properties/v"}]`, "refers to itself without end"},
	} {
		var took cost
		var err error
		synctest.Test(t, func(*testing.T) {
			began := spent()
			err = register(`{"type":"object","properties":{"v":{` + test.v + `}}}`)
			took = spent().since(began)
		})
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: got %.300v, want %q", test.name, err, test.refused)
		}
		if !underRace {
			checkCost(t, test.name, took, cost{64 * mega, mostCPU}, 0)
		}
		t.Logf("%-32s %s, %v of processor time", test.name, size(took.allocated), took.cpu)
	}
}
