package reflectschema_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

func TestParseSchemaAccepts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, json, reason string }{
		{"kept", " {\"z\" : 1,\n\"type\":\"object\", \"a\":\"\\u00e9\\/ <&>\", \"n\":1.50 } ", `{"z":1,"type":"object","a":"\u00e9\/ <&>","n":1.50}`, "order, escapes and digits are preserved"},
		{"empty", `{}`, `{}`, "it allows everything"},
		{"2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, ``, "explicit"},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"$ref":"#/definitions/a"}`, ``, "used by many tools"},
		{"local refs", `{"$defs":{"a/b":{"$anchor":"x","type":"integer"},"c":{"$ref":"#/$defs/a~1b"},"d":{"$ref":"#x"},"e":{"$ref":"#"}}}`, ``, "by pointer, by anchor, by root"},
		{"bundled", `{"$id":"https://example.com/a.json","$defs":{"b":{"$id":"b.json","$defs":{"c":{"type":"null"}}},"d":{"$ref":"https://example.com/b.json#/$defs/c"},"e":{"$ref":"b.json"},"f":{"$ref":"a.json#/$defs/d"}}}`, ``, "a URL of the document itself"},
		{"dynamic", `{"$dynamicAnchor":"node","type":"object","properties":{"next":{"$dynamicRef":"#node"}}}`, ``, "within the document"},
		{"ref in data", `{"enum":[{"$ref":"https://example.com/"}],"default":{"$ref":"x"},"properties":{"$ref":{"type":"string"}}}`, ``, "values and names are not references"},
		{"unknown keyword", `{"x-mcp-header":"City","minimun":3}`, ``, "JSON Schema allows any annotation"},
		{"recursive", `{"properties":{"next":{"$ref":"#"}}}`, ``, "recursion through a member ends with the value"},
		{"deep", strings.Repeat(`{"items":`, 127) + `{}` + strings.Repeat(`}`, 127), ``, "127 levels"},
		{"wide", wide(4999), ``, "5000 schemas are allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := reflectschema.ParseSchema([]byte(tt.raw))
			if err != nil {
				t.Fatalf("ParseSchema: %v; %s", err, tt.reason)
			}
			if tt.json == "" {
				tt.json = tt.raw
			}
			if got := string(s.JSON()); got != tt.json {
				t.Errorf("JSON:\n got %.200s\nwant %.200s\n%s", got, tt.json, tt.reason)
			}
			invalid := (*reflectschema.InvalidError)(nil)
			if err := s.Check([]byte(`{"a":1}`)); err != nil && !errors.As(err, &invalid) {
				t.Errorf("Check: %v; want a usable schema", err)
			}
		})
	}
}

func wide(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"p` + strconv.Itoa(i) + `":{}`)
	}
	return `{"properties":{` + b.String()[1:] + `}}`
}

func TestParseSchemaRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, want, reason string }{
		{"empty", ``, "schema: is not valid JSON: unexpected end of input", "no bytes"},
		{"broken", `{"type":}`, "schema: type: is not valid JSON", "not JSON"},
		{"duplicate", `{"properties":{"a":{},"a":{}}}`, "schema: properties.a: must be given once", "ambiguous"},
		{"boolean", `true`, "schema: must be an object, got true", "clients want an object"},
		{"array", `[]`, "schema: must be an object, got an array of 0 items", "clients want an object"},
		{"unknown dialect", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, `schema: $schema: must be "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#", got "http://json-schema.org/draft-04/schema#"; convert the schema to draft-07: "id" becomes "$id"`, "keywords would mean something else"},
		{"draft-06", `{"$schema":"http://json-schema.org/draft-06/schema#"}`, `; draft-07 has the same keywords, so name draft-07 instead`, "a dialect that draft-07 includes"},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, `; name 2020-12 instead, and convert tuples (an array in items becomes prefixItems`, "a dialect that resembles 2020-12"},
		{"own dialect", `{"$schema":"https://example.com/meta"}`, `; name the dialect that the schema follows, or leave it out for 2020-12`, "it would have to be loaded"},
		{"dialect no string", `{"$schema":7}`, `schema: $schema: must be`, "would be ignored otherwise"},
		{"mixed dialects", `{"$defs":{"a":{"$id":"x","$schema":"http://json-schema.org/draft-07/schema#"}}}`, `schema: $defs.a.$schema: must be the dialect of the whole document`, "one keyword would have two meanings"},
		{"type typo", `{"properties":{"a":{"type":"strin"}}}`, `schema: properties.a.type: must be one of "array", "boolean", "integer"`, "meta-validated, with the place"},
		{"minimum no number", `{"properties":{"a":{"minimum":"3"}}}`, `schema: properties.a.minimum: must be a number, got the string "3"`, "meta-validated"},
		{"required no array", `{"required":"a"}`, `schema: required: must be an array, got the string "a"`, "draft-03 habit"},
		{"draft-04 exclusive", `{"exclusiveMinimum":true}`, `schema: exclusiveMinimum: must be a number, got true; draft-04 has a boolean here: write the number, as in "exclusiveMinimum":1`, "draft-04 habit"},
		{"properties no schema", `{"properties":{"a":"string"}}`, `schema: properties.a: must be a boolean or an object, got the string "string"`, "shorthand of other formats"},
		{"several", `{"type":"x","minLength":-1}`, "schema: minLength: must be at least 0, got -1\nschema: type: ", "all are reported"},
		{"draft-07 items", `{"items":[{}]}`, `schema: items: must be a boolean or an object, got an array of 1 item; 2020-12 has no array in items: for a tuple rename items to prefixItems, and additionalItems to items; or set "$schema" to draft-07`, "2020-12 has prefixItems"},
		{"nested tuple", `{"properties":{"items":{"items":[{},{}],"additionalItems":false}}}`, `schema: properties.items.items: must be a boolean or an object, got an array of 2 items; 2020-12 has no array in items`, "at any depth"},
		{"URL ref", `{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`, `schema: properties.a.$ref: points outside the document: "https://example.com/a.json"`, "never fetched"},
		{"file ref", `{"$ref":"file:///etc/passwd"}`, `schema: $ref: points outside the document: "file:///etc/passwd"`, "never read"},
		{"relative ref", `{"allOf":[{"$ref":"other.json#/x"}]}`, `schema: allOf[0].$ref: points outside the document: "other.json#/x"`, "no base URL"},
		{"empty query", `{"$ref":"?"}`, `schema: $ref: points outside the document: "?"`, "another URL than the document's"},
		{"metaschema ref", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `schema: $ref: points outside the document`, "not even of the library"},
		{"dynamic ref", `{"$dynamicRef":"https://example.com/#a"}`, `schema: $dynamicRef: points outside the document`, "never fetched"},
		{"dangling pointer", `{"properties":{"a":{"$ref":"#/$defs/gone"}}}`, `schema: properties.a.$ref: points at nothing: "#/$defs/gone"`, "with the place"},
		{"dangling anchor", `{"$ref":"#gone"}`, `schema: cannot be used: anchor in "#gone" not found`, "missing anchor"},
		{"ref to no schema", `{"enum":[5],"$ref":"#/enum/0"}`, `schema: enum[0]: must be a boolean or an object, got the number 5`, "only schemas can be applied"},
		{"self", `{"$ref":"#"}`, "schema: refers to itself without end", "validation would not terminate"},
		{"loop", `{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, "schema: $defs.a: refers to itself without end", "indirectly"},
		{"pattern", `{"properties":{"a":{"pattern":"(?=x)"}}}`, "schema: properties.a.pattern: must be a regular expression of Go (no lookaround, no backreferences): invalid or unsupported Perl syntax: `(?=`", "RE2 has no lookaround"},
		{"patternProperties", `{"patternProperties":{"(":{}}}`, `schema: patternProperties["("]: must be a regular expression of Go`, "patterns of names"},
		{"wrap", `{"properties":{"a":{"maxLength":18446744073709551616}}}`, `schema: properties.a.maxLength: must be at most 9223372036854775807, got 18446744073709551616`, "the library would overflow and refuse everything"},
		{"wrap exactly", `{"minItems":9223372036854775808}`, `schema: minItems: must be at most 9223372036854775807`, "2^63"},
		{"number bomb", `{"minimum":1e10000000}`, "schema: minimum: must be a number with an exponent of at most 999", "limits also apply to schemas"},
		{"deep", strings.Repeat(`{"items":`, 128) + `{"type":"null"}` + strings.Repeat(`}`, 128), "is nested more than 128 levels deep", "compiling takes quadratic time"},
		{"very deep", strings.Repeat(`{"not":`, 5000) + `{}` + strings.Repeat(`}`, 5000), "must be nested at most 512 levels deep", "refused before anything recurses"},
		{"wide", wide(5000), "schema: holds 5001 schemas, more than 5000", "compiling takes quadratic time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := reflectschema.ParseSchema([]byte(tt.raw))
			if err == nil {
				t.Fatalf("accepted; %s", tt.reason)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "schema: ") {
				t.Errorf("ParseSchema:\n got %s\nwant %s\n%s", got, tt.want, tt.reason)
			}
			if strings.Contains(err.Error(), "urn:") {
				t.Errorf("the error contains the internal name: %v", err)
			}
			schemaErr := (*reflectschema.SchemaError)(nil)
			if !errors.As(err, &schemaErr) {
				t.Errorf("%T does not contain a SchemaError", err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestIsObject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw    string
		want   bool
		reason string
	}{
		{`{"type":"object"}`, true, "it says so"},
		{`{"type":"object","oneOf":[{"type":"object"}]}`, true, "other keywords only narrow it"},
		{`{}`, false, "anything"},
		{`{"properties":{"a":{}}}`, false, "properties say nothing of other types"},
		{`{"type":["object"]}`, false, "a list is not the one form older readers know"},
		{`{"type":["object","null"]}`, false, "or null"},
		{`{"type":"array"}`, false, "something else"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, false, "not in the root"},
		{`{"type":"object","$ref":"#/$defs/a","$defs":{"a":{}}}`, true, "2020-12 reads both"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","$ref":"#/definitions/a","definitions":{"a":{}}}`, false, "draft-07 reads the $ref alone"},
	} {
		s, err := reflectschema.ParseSchema([]byte(tt.raw))
		if err != nil {
			t.Errorf("%s: %v", tt.raw, err)
			continue
		}
		if got := s.IsObject(); got != tt.want {
			t.Errorf("%s: IsObject = %t, want %t: %s", tt.raw, got, tt.want, tt.reason)
		}
	}
}
