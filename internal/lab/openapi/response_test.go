package main

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestRespond checks responses with all members and with the required ones.
func TestRespond(t *testing.T) {
	for _, test := range []struct {
		name, schemas  string // of components; the response has the schema A
		full, required string // "" for none
	}{
		{"members", `{"A":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":5},"b":{"type":"boolean"},"c":{"type":"string","writeOnly":true}}}}`, `{"a":5,"b":true}`, `{"a":5}`},
		{"bounds", `{"A":{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":2}}}`, ``, ``},
		{"lists", `{"A":{"type":"array","items":{"type":"string","enum":["x","y"]}}}`, `["x"]`, `[]`},
		{"allOf", `{"A":{"allOf":[{"$ref":"#/components/schemas/B"},{"required":["b"],"properties":{"c":{"type":"null"}}}]},"B":{"type":"object","properties":{"b":{"enum":[7]},"d":{"type":"boolean"}}}}`, `{"b":7,"c":null,"d":true}`, `{"b":7}`},
		{"discriminator", `{"A":{"oneOf":[{"$ref":"#/components/schemas/B"}],"discriminator":{"propertyName":"kind","mapping":{"bee":"#/components/schemas/B"}}},"B":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}}}`, `{"kind":"bee"}`, `{"kind":"bee"}`},
		{"shape", `{"A":{"oneOf":[{"type":"object","required":["x"],"properties":{"x":{"enum":[1]}},"additionalProperties":false},{"enum":[2]}]}}`, `{"x":1}`, `{"x":1}`},
		{"recursion", `{"A":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/A"}}}}`, `{"next":{"next":{"next":{"next":{}}}}}`, `{}`},
		{"endless recursion", `{"A":{"type":"object","required":["next"],"properties":{"next":{"$ref":"#/components/schemas/A"}}}}`, ``, ``},
		{"pattern", `{"A":{"type":"string","pattern":"^[0-9]{3}$"}}`, `"111"`, `"111"`},
		{"map", `{"A":{"type":"object","additionalProperties":{"type":"string","format":"date"}}}`, `{"key0":"2026-01-31"}`, `{}`},
		{"contradiction", `{"A":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":3,"maximum":2}}}}`, ``, ``},
	} {
		version := `3.1.0`
		if test.name == "bounds" {
			version = `3.0.3` // where exclusiveMinimum is a boolean
		}
		loader := openapi3.NewLoader()
		d, err := loader.LoadFromData([]byte(`{"openapi":"` + version + `","info":{"title":"T","version":"1"},"paths":{},"components":{"schemas":` + test.schemas + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{true, false} {
			r := responder{full: full, modern: d.IsOpenAPI31OrLater()}
			v, ok := r.respond(d.Components.Schemas["A"])
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			want := test.required
			if full {
				want = test.full
			}
			if test.name == "bounds" {
				want = `[1.5,2]`
			}
			if ok != (want != "") || ok && string(data) != want {
				t.Errorf("%s, full is %t: got %s, %t; want %s", test.name, full, data, ok, want)
			}
		}
	}
}
