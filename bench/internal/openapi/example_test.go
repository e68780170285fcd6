package openapi

import (
	"fmt"
	"testing"
)

func TestExample(t *testing.T) {
	for _, test := range []struct{ name, id, body, response, want string }{
		{
			"all parts", "schema: {type: string}, example: p1", "{schema: {type: object, properties: {name: {type: string}}}, example: {name: Rex}}",
			"{schema: {type: object, properties: {since: {type: string, format: date}}}, examples: {a: {value: {since: 2020-01-02}}}}",
			`{"id":"p1","limit":5,"name":"Rex","old":true} /pets/p1 limit=5&old=true {"name":"Rex"} 200 {"since":"2020-01-02"}`,
		},
		{"enum", "schema: {type: integer, enum: [7, 8]}", "{schema: {type: array, items: {type: boolean}, example: [true]}}", "{example: [1]}", `{"body":[true],"id":7,"limit":5,"old":true} /pets/7 limit=5&old=true [true] 200 [1]`},
		{"no value of a path", "schema: {type: string}", "{example: {}}", "{example: {}}", "nil"},
		{"value of another type", "schema: {type: integer}, example: x", "{example: {}}", "{example: {}}", "nil"},
		{"value with a slash", "schema: {type: string}, example: a/b", "{example: {}}", "{example: {}}", "nil"},
		{"pattern", "schema: {type: string, pattern: '^x'}, example: y", "{example: {}}", "{example: {}}", "nil"},
		{"unknown member of a body", "schema: {type: string}, example: p1", "{schema: {type: object, properties: {a: {type: string}}}, example: {b: 1}}", "{example: {}}", "nil"},
		{"no described members", "schema: {type: string}, example: p1", "{schema: {type: object, properties: {name: {type: string}}}, example: {name: Rex}}", "{schema: {type: object}, example: {a: 1}}", `{"id":"p1","limit":5,"name":"Rex","old":true} /pets/p1 limit=5&old=true {"name":"Rex"} 200 {"a":1}`},
		{"too large for int32", "schema: {type: string}, example: p1", "{schema: {type: object, properties: {a: {type: string}}}, example: {a: x}}", "{schema: {type: integer, format: int32}, example: 3000000000}", "nil"},
		{"no response", "schema: {type: string}, example: p1", "{schema: {type: object, properties: {a: {type: string}}}, example: {a: x}}", "{schema: {type: object}}", "nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			op := only(t, load(t, fmt.Sprintf(`  /pets/{id}:
    put:
      parameters:
        - {name: id, in: path, required: true, %s}
        - {name: limit, in: query, schema: {type: integer, default: 5}}
        - {name: old, in: query, schema: {type: boolean}, examples: {yes: {value: true}}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}, example: [a]}
      requestBody: {required: true, content: {application/json: %s}}
      responses: {'200': {description: OK, content: {application/json: %s}}}
`, test.id, test.body, test.response), Options{}))
			got := "nil"
			if e := op.Example; e != nil {
				got = fmt.Sprintf("%s %s %s %s %d %s", e.Args, e.Path, e.Query, e.Body, e.Status, e.Response)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestExamplePath checks that the path of an example is escaped as the client escapes it.
func TestExamplePath(t *testing.T) {
	e := only(t, load(t, "  '/a b/é/%41': {get: {responses: {'204': {description: x}}}}\n", Options{})).Example
	if e == nil || e.Path != "/a%20b/%C3%A9/A" {
		t.Errorf("got %+v", e)
	}
}
