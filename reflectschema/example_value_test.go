package reflectschema_test

import (
	"strings"
	"testing"
)

// TestExampleLine checks the value that an answer shows for a schema. That it
// fits goes without saying: promises checks it everywhere.
func TestExampleLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, want, reason string }{
		{`{}`, ``, "a value that may be anything tells nothing"},
		{`{"type":"string"}`, `"text"`, "plain"},
		{`{"type":"string","minLength":6}`, `"textte"`, "long enough"},
		{`{"type":"string","maxLength":2}`, `"te"`, "short enough"},
		{`{"type":"string","minLength":5000}`, ``, "too long to show"},
		{`{"type":"string","format":"unknown"}`, `"text"`, "a format nobody asserts"},
		{`{"format":"date"}`, `"2026-01-31"`, "the format tells the type"},
		{`{"type":"string","contentEncoding":"base64"}`, `"aGVsbG8="`, "base64"},
		{`{"type":"string","pattern":"^-?[0-9]+$"}`, `"1"`, "a usual pattern"},
		{`{"type":"string","pattern":"^[A-Z]{3}$"}`, `"EUR"`, "a usual pattern"},
		{`{"type":"string","pattern":"^v[0-9]+$"}`, ``, "no placeholder matches"},
		{`{"type":"string","pattern":"^v[0-9]+$","examples":["v1"]}`, `"v1"`, "an example in the schema"},
		{`{"type":"string","pattern":"^\\ba+\\b$","minLength":3}`, ``, "a match too short for the rest is not shown"},
		{`{"type":"integer"}`, `1`, "plain"},
		{`{"type":"integer","minimum":-5,"maximum":-2}`, `-2`, "in range"},
		{`{"type":"integer","exclusiveMinimum":9,"multipleOf":4}`, `12`, "a multiple above"},
		{`{"type":"integer","exclusiveMaximum":0}`, `-1`, "below"},
		{`{"type":"number","multipleOf":0.5,"minimum":1.2}`, `1.5`, "fractions"},
		{`{"type":"number","exclusiveMinimum":0.1,"exclusiveMaximum":0.2}`, ``, "nothing next to a bound fits"},
		{`{"minimum":3}`, `3`, "a bound tells the type"},
		{`{"maximum":0.5}`, `0.5`, "a bound tells the type"},
		{`{"type":"boolean"}`, `true`, "plain"},
		{`{"type":"null"}`, `null`, "plain"},
		{`{"type":["null","boolean"]}`, `true`, "null only if there is nothing else"},
		{`{"const":{"b":1,"a":[]}}`, `{"b":1,"a":[]}`, "the author's own"},
		{`{"type":"integer","examples":[7,8],"default":9}`, `7`, "examples before defaults"},
		{`{"type":"integer","enum":[3,4],"default":4}`, `4`, "defaults before the enum"},
		{`{"type":"integer","examples":["wrong"]}`, ``, "an example that does not fit is not shown"},
		{`{"type":"array","items":{"type":"integer"}}`, `[1]`, "one item"},
		{`{"type":"array","maxItems":0}`, `[]`, "none if none are allowed"},
		{`{"type":"array","minItems":100}`, ``, "too many to show"},
		{`{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"string"}}`, ``, "placeholders are equal"},
		{`{"type":"object","minProperties":2,"propertyNames":{"pattern":"^[a-z]+$"}}`, ``, "there is only one name"},
		{`{"type":"object","minProperties":1,"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"text":"any"}`, "the name has a placeholder"},
		{`{"type":"object","properties":{"a":{"minItems":20,"items":{"minItems":20,"items":{"minItems":20,"items":{}}}}}}`, `{}`, "an optional member of too many values is omitted"},
		{`{"items":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}}`, `[["text",1]]`, "tuples"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":{"type":"null"},"minItems":2}`, `["text",null]`, "tuples of draft-07"},
		{`{"type":"array","contains":{"const":5}}`, `[5]`, "what it must contain"},
		{`{"type":"array","items":{"type":"integer"},"contains":{"const":5},"minContains":2,"minItems":3}`, `[5,5,1]`, "among others"},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`, `{"b":1}`, "what is required"},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{},"d":{}}}`, `{"a":"text","b":1,"c":"any"}`, "a few if nothing is"},
		{`{"required":["x","y"],"additionalProperties":{"type":"integer"}}`, `{"x":1,"y":1}`, "names without a schema of their own"},
		{`{"type":"object","minProperties":2,"additionalProperties":{"type":"boolean"}}`, `{"key1":true,"key2":true}`, "names made up"},
		{`{"type":"object","minProperties":1,"additionalProperties":false}`, ``, "nothing can be made up"},
		{`{"type":"object","required":["a"],"properties":{"a":false}}`, ``, "nothing fits"},
		{`{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":"any"}`, "parts put together"},
		{`{"allOf":[{"$ref":"#/$defs/s"},{"maxLength":9}],"$defs":{"s":{"type":"string"}}}`, `"text"`, "the first part that tells"},
		{`{"anyOf":[{"type":"null"},{"type":"integer"}]}`, `1`, "not null"},
		{`{"oneOf":[{"type":"null"},{"const":null}]}`, ``, "null twice over does not fit"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}},"required":["v"]}}}`, `{"v":1}`, "recursion ends"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}}}`, ``, "a value without end cannot be shown"},
		{`{"$anchor":"a","type":"array","items":{"$ref":"#a"}}`, `[]`, "references by anchor are not followed"},
	} {
		s := parse(t, tt.schema)
		text := s.Check([]byte(`{`)).Error() // wrong for every schema
		promises(t, tt.schema, s.Check, text)
		silent(t, tt.schema, text)
		_, got, _ := strings.Cut(text, "\nExample: ")
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s: %s", tt.schema, got, tt.want, tt.reason)
		}
	}
}
