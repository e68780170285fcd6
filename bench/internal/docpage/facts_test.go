package docpage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
)

// TestWords compares the words in the row of a schema, the type first, with the expected ones.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, want, reason string }{
		{`{"type":"integer","minimum":1,"maximum":10}`, "integer: 1 to 10", "between two bounds"},
		{`{"type":"integer","minimum":1}`, "integer: at least 1", "one bound"},
		{`{"type":"integer","minimum":3,"maximum":3}`, "integer: exactly 3", "bounds that meet"},
		{`{"type":"number","exclusiveMinimum":0,"maximum":1e3}`, "number: more than 0 and at most 1e3", "a bound that is out, and digits as they are"},
		{`{"type":"number","minimum":0,"exclusiveMinimum":true}`, "number: more than 0", "as before draft 6"},
		{`{"type":"number","multipleOf":0.5}`, "number: a multiple of 0.5", ""},
		{`{"type":"string","maxLength":20}`, "string: at most 20 characters", ""},
		{`{"type":"string","minLength":1}`, "string: at least 1 character", "one of them"},
		{`{"type":"string","minLength":0}`, "string", "nothing is asked"},
		{`{"type":"string","minLength":2,"maxLength":2,"pattern":"^[A-Z]+$"}`, "string: exactly 2 characters; matches ^[A-Z]+$", ""},
		{`{"type":"string","format":"date-time"}`, "string (date-time)", "a format is part of the type"},
		{`{"type":"string","contentEncoding":"base64","contentMediaType":"image/png"}`, "string (base64): holds image/png", ""},
		{`{"type":"string","enum":["a","b"],"default":"a"}`, `string: one of "a", "b"; default "a"`, ""},
		{`{"enum":["a",1,null]}`, `string or number or null: one of "a", 1, null`, "a type that follows"},
		{`{"enum":["a","b"],"enumNames":["A side","b"]}`, `string: one of "a" (A side), "b"`, "names for people"},
		{`{"oneOf":[{"const":1,"title":"First"},{"const":2,"title":"Second"}]}`, "number: one of 1 (First), 2 (Second)", "names for people, as they are written today"},
		{`{"const":"x"}`, `string: always "x"`, ""},
		{`{"type":["string","null"]}`, "string or null", ""},
		{`{"type":"string","nullable":true}`, "string or null", "as OpenAPI has it"},
		{`{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}`, "string or null: at most 3 characters", "as pydantic has it"},
		{`{"anyOf":[{"type":"string","maxLength":3},{"type":"integer"}]}`, "string or integer: as string: at most 3 characters", ""},
		{`{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"uniqueItems":true}`, "list of strings: at least 1 item; no duplicates; each at least 1 character", ""},
		{`{"type":"array","items":{"type":"array","items":{"type":"number"}}}`, "list of lists of numbers", ""},
		{`{"type":"array","items":{"type":["string","null"]}}`, "list of string or null", "no plural of two"},
		{`{"type":"array","contains":{"type":"integer","minimum":1}}`, "list: at least 1 item of type integer, at least 1", ""},
		{`{"type":"array","contains":{"const":"a"},"minContains":0,"maxContains":1}`, `list: at most 1 item of type string, always "a"`, "none is asked for"},
		{`{"type":"array","contains":{"const":"a"},"minContains":2,"maxContains":3}`, `list: 2 to 3 items of type string, always "a"`, ""},
		{`{"type":"array","contains":{"const":"a"},"minContains":2,"maxContains":2}`, `list: exactly 2 items of type string, always "a"`, ""},
		{`{"type":"array"}`, "list", "of anything"},
		{`{"type":"object","additionalProperties":{"type":"integer","minimum":0}}`, "map of integers: each at least 0", ""},
		{`{"type":"object","additionalProperties":true}`, "object: may have other members", ""},
		{`{"not":{"const":0},"type":"integer"}`, "integer: not 0", ""},
		{`{"not":{}}`, "nothing", "what reflectschema writes for false"},
		{`true`, "anything", ""},
		{`false`, "nothing", ""},
		{`{}`, "anything", ""},
		{`{"$ref":"#/$defs/short"}`, "string: at most 3 characters", "a simple definition is told in place"},
		{`{"$ref":"#/$defs/none"}`, "see #/$defs/none", "it leads nowhere"},
		{`{"$ref":"other.json"}`, "see other.json", "it leads elsewhere, where we do not follow"},
		{`{"allOf":[{"type":"string"},{"minLength":2},{"$ref":"#/$defs/short"}]}`, "string: at least 2 characters; at most 3 characters", "all of them at once"},
		{`{"type":"string","examples":["a","b","c","d"]}`, `string: for example "a", "b", "c"`, "three will do"},
		{`{"type":"string","x-mcp-header":"Region"}`, "string: over HTTP also in the header Mcp-Param-Region", ""},
		{`{"type":"string","x-unit":"mm"}`, `string: x-unit "mm"`, "an annotation of their own"},
		{`{"type":"integer","minimum":"1"}`, "integer", "a bound that is none"},
		{`{"type":7,"enum":{}}`, "anything", "keywords that are none"},
	} {
		t.Run(tt.schema, func(t *testing.T) {
			t.Parallel()
			entry := fmt.Sprintf(`{"name":"t","inputSchema":{"type":"object","properties":{"x":%s},"$defs":{"short":{"type":"string","maxLength":3}}}}`, tt.schema)
			row := inputOf(t, entry)[0]
			got := text(row.Type)
			for i, fact := range row.Facts {
				got += map[bool]string{true: ": ", false: "; "}[i == 0] + text(fact)
			}
			if got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.reason, got, tt.want)
			}
		})
	}
}

// inputOf returns the input rows of a tool.
func inputOf(t *testing.T, entry string) []docpage.Row {
	t.Helper()
	page := docpage.New(docpage.Server{Name: "s"}, []docpage.Tool{{Entry: json.RawMessage(entry)}})
	sheet := page.Tools[0].Input
	if sheet.Problem != "" || len(sheet.Tables) == 0 || len(sheet.Tables[0].Rows) == 0 {
		t.Fatalf("no rows: %+v", sheet)
	}
	return sheet.Tables[0].Rows
}

func text(spans []docpage.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// TestRows compares the rows for nested schemas with the expected ones.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, schema, want string }{
		{"nested", `{"properties":{"a":{"properties":{"b":{"items":{"properties":{"c":{}}}}}}}}`, "a, 1 a.b, 2 a.b[].c"},
		{"lists of lists", `{"properties":{"a":{"items":{"items":{"properties":{"c":{}}}}}}}`, "a, 1 a[][].c"},
		{"names that are no words", `{"properties":{"a b":{"properties":{"":{}}}}}`, `["a b"], 1 ["a b"][""]`},
		{"maps of objects", `{"additionalProperties":{"properties":{"c":{}}}}`, "*, 1 *.c"},
		{"patterns", `{"patternProperties":{"^x-":{"type":"string"}}}`, "/^x-/"},
		{"positions", `{"properties":{"a":{"prefixItems":[{},{}]}}}`, "a, 1 a[0], 1 a[1]"},
		{"positions as before 2020", `{"properties":{"a":{"items":[{},{}]}}}`, "a, 1 a[0], 1 a[1]"},
		{"an object or null", `{"properties":{"a":{"anyOf":[{"properties":{"b":{}}},{"type":"null"}]}}}`, "a, 1 a.b"},
		{"told apart by a member", `{"oneOf":[{"properties":{"k":{"const":1},"x":{}}},{"properties":{"k":{"enum":[2]}}}]}`, "(when k is 1), 1 k, 1 x, (when k is 2), 1 k"},
		{"with titles", `{"anyOf":[{"title":"A","properties":{"x":{}}},{"title":"B","properties":{"y":{}}}]}`, "(either: A), 1 x, (or: B), 1 y"},
		{"with nothing", `{"anyOf":[{"properties":{"x":{}}},{"properties":{"y":{}}}]}`, "(alternative 1 of 2), 1 x, (alternative 2 of 2), 1 y"},
		{"if and else", `{"if":{"properties":{"a":{"enum":[1,2]}}},"then":{"properties":{"x":{}}},"else":{"required":["y"]}}`, `(if {"properties": {"a": {"enum": [1, 2]}}}), 1 x, (unless {"properties": {"a": {"enum": [1, 2]}}})`},
		{"if a member has a value", `{"if":{"properties":{"a":{"const":"x y"}},"required":["a"]},"then":{"properties":{"b":{}}}}`, `(if a is "x y"), 1 b`},
		{"if there is more", `{"if":{"properties":{"a":{"const":1}},"minProperties":2},"then":{"properties":{"b":{}}}}`, `(if {"properties": {"a": {"const": 1}}, "minProperties": 2}), 1 b`},
		{"dependent schemas", `{"dependentSchemas":{"a":{"properties":{"x":{}}}}}`, "(if a is given), 1 x"},
		{"all of", `{"allOf":[{"properties":{"x":{}}},{"properties":{"y":{}}}]}`, "x, y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var places []string
			for _, row := range inputOf(t, `{"name":"t","inputSchema":`+tt.schema+`}`) {
				place := row.Path + row.Name
				if row.Group != nil {
					place = "(" + text(row.Group) + ")"
				}
				if row.Depth > 0 {
					place = fmt.Sprintf("%d %s", row.Depth, place)
				}
				places = append(places, place)
			}
			if got := strings.Join(places, ", "); got != tt.want {
				t.Errorf(" got %s\nwant %s", got, tt.want)
			}
		})
	}
}
