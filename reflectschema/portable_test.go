package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// parse returns the schema, and fails the test if it is invalid.
func parse(t *testing.T, raw string) *reflectschema.Schema {
	t.Helper()
	s, err := reflectschema.ParseSchema([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, want, reason string }{
		{"scalar", `{"type":"integer","minimum":1}`, `{"type":"object","properties":{"result":{"type":"integer","minimum":1}},"required":["result"]}`, "the plain case"},
		{"anything", `{}`, `{"type":"object","properties":{"result":{}},"required":["result"]}`, "null is a result too"},
		{
			"definitions", `{"$ref":"#/$defs/a","$defs":{"a":{"type":["integer","null"]},"b":{"items":{"$ref":"#/$defs/a"}}}}`,
			`{"type":"object","properties":{"result":{"$ref":"#/$defs/a"}},"required":["result"],"$defs":{"a":{"type":["integer","null"]},"b":{"items":{"$ref":"#/$defs/a"}}}}`,
			"definitions move up, so references to them stay",
		},
		{
			"root", `{"type":"array","items":{"$ref":"#"}}`,
			`{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result"}}},"required":["result"]}`,
			"# is the value, not the wrapper",
		},
		{
			"root in definitions", `{"$defs":{"node":{"type":"array","items":{"$ref":"#"}}},"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}`,
			`{"type":"object","properties":{"result":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["result"],"$defs":{"node":{"type":"array","items":{"$ref":"#/properties/result"}}}}`,
			"definitions may point back",
		},
		{
			"every place", `{"prefixItems":[{"type":"string"},{"$ref":"#/prefixItems/0"}],"properties":{"a/b":{"type":"null"},"b":{"$ref":"#/properties/a~1b"}},"not":{"properties":{"a":{"$ref":"#/properties/a%7E1b"}}}}`,
			`{"type":"object","properties":{"result":{"prefixItems":[{"type":"string"},{"$ref":"#/properties/result/prefixItems/0"}],"properties":{"a/b":{"type":"null"},"b":{"$ref":"#/properties/result/properties/a~1b"}},"not":{"properties":{"a":{"$ref":"#/properties/result/properties/a%7E1b"}}}}},"required":["result"]}`,
			"pointers move below the property, escapes and all",
		},
		{
			"anchor", `{"$defs":{"a":{"$anchor":"x","type":"null"}},"items":{"$ref":"#x"}}`,
			`{"type":"object","properties":{"result":{"items":{"$ref":"#x"}}},"required":["result"],"$defs":{"a":{"$anchor":"x","type":"null"}}}`,
			"an anchor is found wherever it stands",
		},
		{
			"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$ref":"#/definitions/a"},{"$ref":"#"}],"definitions":{"a":{"type":"null"}}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"result":{"items":[{"$ref":"#/definitions/a"},{"$ref":"#/properties/result"}]}},"required":["result"],"definitions":{"a":{"type":"null"}}}`,
			"the dialect is the document's",
		},
		{"data", `{"const":{"$ref":"#"},"default":{"$ref":"#/x"}}`, `{"type":"object","properties":{"result":{"const":{"$ref":"#"},"default":{"$ref":"#/x"}}},"required":["result"]}`, "values are not references"},
		{"id", `{"$id":"https://example.com/x","type":"null"}`, ``, "references in it would have another base"},
		{"inner id", `{"items":{"$id":"https://example.com/x","type":"null"}}`, ``, "pointers into it are relative to it"},
		{"dynamic", `{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"}}`, ``, "its target depends on the path"},
		{"unknown place", `{"x-types":{"a":{"$ref":"#"}},"items":{"$ref":"#/x-types/a"}}`, ``, "unknown references cannot be rewritten"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wrapped, ok := parse(t, tt.raw).Wrapped("result")
			if ok != (tt.want != "") {
				t.Fatalf("Wrapped reports %t: %s", ok, tt.reason)
			}
			if !ok {
				return
			}
			if got := string(wrapped.JSON()); got != tt.want {
				t.Errorf("Wrapped:\n got %s\nwant %s\n%s", got, tt.want, tt.reason)
			}
			if _, err := reflectschema.ParseSchema(wrapped.JSON()); err != nil || !wrapped.IsObject() {
				t.Errorf("the wrapped schema is invalid: %v", err)
			}
		})
	}
}

// TestWrappedAgrees checks that wrapping does not change results.
func TestWrappedAgrees(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"type":"array","items":{"$ref":"#"},"maxItems":2}`,
		`{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}`,
		`{"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}},"type":["object","null"]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"},{"$ref":"#"}]}`,
	} {
		s := parse(t, raw)
		wrapped, ok := s.Wrapped("result")
		if !ok {
			t.Errorf("%s cannot be wrapped", raw)
			continue
		}
		for _, data := range []string{
			`null`, `1`, `[]`, `[[],[[]]]`, `[[],[1]]`, `[1,[2,[3,"x"]]]`, `[1,[2,[3]]]`, `{}`, `{"next":{"next":{}}}`, `{"next":{"nxt":{}}}`, `{"a":1,"b":2}`, `{"a":1,"b":"2"}`,
		} {
			plain, inside := s.Check([]byte(data)) == nil, wrapped.Check([]byte(`{"result":`+data+`}`)) == nil
			if plain != inside {
				t.Errorf("%s: %s fits: %t; wrapped: %t", raw, data, plain, inside)
			}
		}
		if wrapped.Check([]byte(`{}`)) == nil {
			t.Errorf("%s: a wrapped value without result fits", raw)
		}
	}
}

func TestLegacy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, want, reason string }{
		{"unchanged", `{"type":"object","properties":{"a":{"type":"string"}},"x":"\u00e9"}`, ``, "the same bytes"},
		{"closed", `{"type":"object","additionalProperties":false,"unevaluatedProperties":false,"unevaluatedItems":true}`, ``, "all clients support these booleans"},
		{"dialect", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`, `{"type":"object"}`, "older revisions lack $schema, and 2020-12 is the default now"},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, ``, "another dialect is kept"},
		{"properties", `{"type":"object","properties":{"a":true,"b":false}}`, `{"type":"object","properties":{"a":{},"b":{"not":{}}}}`, "objects only"},
		{
			"everywhere", `{"$defs":{"a":true},"items":false,"prefixItems":[true,{"properties":{"x":{"properties":{"y":true}}}}],"allOf":[false],"not":true,"propertyNames":true,"patternProperties":{"x":false},"dependentSchemas":{"x":true},"if":true,"then":false,"else":true,"contains":true}`,
			`{"$defs":{"a":{}},"items":{"not":{}},"prefixItems":[{},{"properties":{"x":{"properties":{"y":{}}}}}],"allOf":[{"not":{}}],"not":{},"propertyNames":{},"patternProperties":{"x":{"not":{}}},"dependentSchemas":{"x":{}},"if":{},"then":{"not":{}},"else":{},"contains":{}}`,
			"wherever a schema can stand",
		},
		{"need not contain", `{"items":{"contains":{"type":"null"},"minContains":0,"maxContains":2,"minItems":1}}`, `{"items":{"minItems":1}}`, "contains alone would require an item"},
		{"must contain", `{"contains":{"type":"null"},"minContains":2}`, ``, "clients without minContains require less"},
		{"draft-07 must contain", `{"$schema":"http://json-schema.org/draft-07/schema#","contains":{"type":"null"},"minContains":0}`, ``, "draft-07 ignores minContains"},
		{"data", `{"default":true,"enum":[true,false],"const":false,"properties":{"a":{"default":{"properties":{"b":true}}}}}`, ``, "boolean values"},
		{"names", `{"properties":{"properties":{"type":"boolean"},"default":true}}`, `{"properties":{"properties":{"type":"boolean"},"default":{}}}`, "names that look like keywords"},
		{"dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":true}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{}}}`, "a list of names is not a schema"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, tt.raw)
			want := tt.want
			if want == "" {
				want = tt.raw
			}
			if got := string(s.Legacy()); got != want {
				t.Errorf("Legacy:\n got %s\nwant %s\n%s", got, want, tt.reason)
			}
			if string(s.JSON()) != tt.raw {
				t.Errorf("JSON changed to %s", s.JSON())
			}
		})
	}
}

func TestLegacyDialect(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`:                         `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":true}}`: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{}}}`,
	} {
		if got := string(parse(t, raw).LegacyDialect()); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestWrappedNames: the property may have any name, also in rewritten references to the root.
func TestWrappedNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"value", "", "a/b~c", "50% é", "#"} {
		wrapped, ok := parse(t, `{"type":"array","items":{"$ref":"#"}}`).Wrapped(name)
		if !ok {
			t.Fatalf("%q: not wrapped", name)
		}
		again := parse(t, string(wrapped.JSON()))
		key, _ := json.Marshal(name)
		for value, fits := range map[string]bool{`[[],[[]]]`: true, `[[1]]`: false} {
			if err := again.Check(fmt.Appendf(nil, `{%s:%s}`, key, value)); (err == nil) != fits {
				t.Errorf("%q: %s: %v", name, value, err)
			}
		}
	}
}
