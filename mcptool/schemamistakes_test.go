package mcptool_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestSchemaMistakes checks that likely mistakes in a handwritten schema, which JSON Schema allows, are refused with
// their location and a fix.
func TestSchemaMistakes(t *testing.T) {
	t.Parallel()
	const before = `{"type":"object","properties":{"a":`
	for _, tt := range []struct{ schema, want, reason string }{
		{before + `{"type":"string","minlenght":1}}}`, `the argument inputSchema: schema: /properties/a/minlenght: unknown keyword "minlenght", which is similar to minLength; JSON Schema ignores unknown keywords`, "a slip"},
		{`{"type":"object","propertes":{}}`, `/propertes: unknown keyword "propertes", which is similar to properties`, "at the root"},
		{before + `{"type":"string"}},"requird":["a"],"additionalPropertys":false}`, `/additionalPropertys: unknown keyword "additionalPropertys", which is similar to additionalProperties`, "all of them"},
		{before + `{"type":"array","items":{},"additionalItems":false}}}`, `additionalItems, which 2020-12 does not have`, "of the other dialect"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependentRequired":{"a":["b"]}}`, `dependentRequired, which draft-07 does not have`, "and the other way round"},
		{before + `{"type":"string","format":"emial"}}}`, `/properties/a/format: unknown format "emial", which is similar to email`, "a slip in a format"},
		{before + `{"type":"string","format":"datetime"}}}`, `unknown format "datetime", which is similar to date-time`, "a hyphen"},
		{before + `{"type":"string","format":"uuid4"}}}`, "", "a format of one's own"},
		{before + `{"type":"string","format":"url"}}}`, "", "a format of others"},
		{before + `{"type":"array","items":{},"minLength":1}}}`, `/properties/a/minLength: minLength, which does not apply to the type array`, "of another type"},
		{before + `{"type":"integer","pattern":"^a"}}}`, `pattern, which does not apply to the type integer`, "of texts"},
		{before + `{"type":["string","null"],"minimum":1}}}`, `minimum, which does not apply to the type string or null`, "of numbers"},
		{before + `{"type":"string","properties":{}}}}`, `properties, which does not apply to the type string`, "of objects"},
		{before + `{"then":{"minimum":1}}}}`, `then, which has no effect without if`, "half of a pair"},
		{before + `{"type":"array","items":{},"minContains":1}}}`, `minContains, which has no effect without contains`, "and another"},
		{before + `{"type":["string","integer"],"minimum":1,"minLength":1}}}`, "", "one of the types is enough"},
		{before + `{"minimum":1,"minLength":1,"anyOf":[{"minItems":1}]}}}`, "", "any type"},
		{before + `{"type":"string","additionalProperties":false}}}`, "", "closed for nothing"},
		{before + `{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}}}`, `no integer meets exclusiveMinimum 1 and exclusiveMaximum 2`, "no value"},
		{before + `{"type":"integer","default":"3"}}}`, `/properties/a/default: default "3": must be an integer, got the string "3"`, "a default of another type"},
		{before + `{"type":"string","examples":[1]}}}`, `/properties/a/examples: examples 1: must be a string, got the number 1`, "an example of another type"},
		{before + `{"type":"string","enum":["a",1]}}}`, `/properties/a/enum: enum 1: is not of the type that is asked for`, "a value of another type"},
		{before + `{"type":"string","x-minlenght":1,"errorMessage":"no","example":"a","default":"b"},"requird":{"type":"integer"}}}`, "", "names, keywords of one's own and of others"},
		{before + `{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, "", "advice is no mistake"},
		{before + `{"type":"string","nullable":true}}}`, `/properties/a/nullable: nullable, which only OpenAPI 3.0 has: write "type":["string","null"]; it has no meaning`, "null is refused"},
		{before + `{"type":"string","enum":["a"],"nullable":true}}}`, `write "type":["string","null"] and null in enum;`, "null is not listed"},
		{before + `{"type":["string","null"],"enum":["a"],"nullable":true}}}`, `write null in enum;`, "null is not listed"},
		{before + `{"const":"a","nullable":true}}}`, `write null in enum;`, "one value"},
		{before + `{"enum":["a",null],"nullable":true}}}`, "", "null is listed"},
		{before + `{"$ref":"#/$defs/b","nullable":true}},"$defs":{"b":{"type":"string"}}}`, `write "anyOf":[…,{"type":"null"}], with the rest`, "a reference"},
		{before + `{"allOf":[{"$ref":"#/$defs/b"}],"nullable":true}},"$defs":{"b":{"type":"string"}}}`, `write "anyOf":[…,{"type":"null"}], with the rest`, "the usual form of a reference"},
		{before + `{"anyOf":[{"type":"string"},{"type":"null"}],"nullable":true}}}`, "", "null is an alternative"},
		{before + `{"type":["string","null"],"nullable":true}}}`, "", "null is allowed"},
		{before + `{"type":"string","nullable":false},"nullable":{"type":"boolean"}}}`, "", "null is not meant, and the name of an argument"},
	} {
		_, errIn := mcptool.NewRaw("look_up", json.RawMessage(tt.schema), func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
		_, errOut := mcptool.NewRaw("look_up", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil },
			mcptool.OutputSchema(json.RawMessage(tt.schema)))
		if (errIn == nil) != (tt.want == "") || (errOut == nil) != (tt.want == "") || errIn != nil && !strings.Contains(errIn.Error(), tt.want) {
			t.Errorf("%s: %v, %v, want %q: %s", tt.schema, errIn, errOut, tt.want, tt.reason)
		}
	}
}

// TestLogSchemaMistakes checks that the option logs each mistake that JSON Schema allows, and no other, and that the
// tool validates as the schema specifies.
func TestLogSchemaMistakes(t *testing.T) {
	t.Parallel()
	fn := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: map[string]any{}}, nil
	}
	const before = `{"type":"object","properties":{"a":`
	for _, tt := range []struct {
		name, schema, want string
		valid, invalid     string
	}{
		{"an unknown keyword", before + `{"type":"string","$default":{"x":1}}}}`, `unknown keyword \"$default\"`, `{"a":"b"}`, `{"a":1}`},
		{"a keyword for arrays", before + `{"type":"string","uniqueItems":true}}}`, `uniqueItems, which does not apply to the type string`, `{"a":"b"}`, `{"a":["b"]}`},
		{"null as a default", before + `{"type":"string","default":null}}}`, `default null: must be a string`, `{"a":"b"}`, `{"a":1}`},
		{"an example of another type", before + `{"type":"integer","examples":["1"]}}}`, `examples \"1\": must be an integer`, `{"a":1}`, `{"a":"1"}`},
		{"nullable", before + `{"type":"string","nullable":true,"minLength":1}}}`, `nullable, which only OpenAPI 3.0 has`, `{"a":"b"}`, `{"a":""}`},
		{"an argument name", `{"type":"object","properties":{"filter[name]":{"type":"string"}}}`, `look_up: (filter[name]): the Anthropic API rejects`, `{"filter[name]":"b"}`, `{"filter[name]":1}`},
		{"no mistake", before + `{"type":"string"}}}`, ``, `{"a":"b"}`, `{"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			logger := slog.New(slog.NewTextHandler(&log, nil))
			if _, err := mcptool.NewRaw("look_up", json.RawMessage(tt.schema), fn); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), "; if the schema is not yours, pass LogSchemaMistakes") || err != nil && strings.Contains(err.Error(), "json tag") {
				t.Errorf("without the option: %v", err)
			}
			tool, err := mcptool.NewRaw("look_up", json.RawMessage(tt.schema), fn, mcptool.LogSchemaMistakes(logger))
			if err != nil {
				t.Fatal(err)
			}
			if got := log.String(); (got == "") != (tt.want == "") || strings.Count(got, "\n") > 1 || !strings.Contains(got, tt.want) {
				t.Errorf("log: %s, want %s", got, tt.want)
			}
			if _, err := tool.Call(t.Context(), []byte(tt.valid)); err != nil {
				t.Errorf("%s: %v", tt.valid, err)
			}
			if _, err := tool.Call(t.Context(), []byte(tt.invalid)); err == nil {
				t.Errorf("%s: no error", tt.invalid)
			}
			if _, err := mcptool.NewRaw("look_up", json.RawMessage(`{"type":"object"}`), fn, mcptool.LogSchemaMistakes(logger), mcptool.OutputSchema(json.RawMessage(tt.schema))); err != nil {
				t.Errorf("as an output schema: %v", err)
			}
		})
	}
	for _, schema := range []string{before + `{"type":"strin"}}}`, `{"type":"string"}`, before + `{"type":"object","x-mcp-header":"A B"}}}`} {
		if _, err := mcptool.NewRaw("look_up", json.RawMessage(schema), fn, mcptool.LogSchemaMistakes(nil)); err == nil {
			t.Errorf("%s: no error", schema)
		}
	}
}

// slippedHook returns a schema with a misspelled keyword.
type slippedHook string

func (slippedHook) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Extras: map[string]any{"minlength": 3}}
}

// contraryHook sets a default that its pattern refuses.
type contraryHook string

func (contraryHook) JSONSchemaExtend(s *jsonschema.Schema) { s.Pattern, s.Default = "^a", "b" }

// TestHookMistakes checks that schemas of methods are checked as well.
func TestHookMistakes(t *testing.T) {
	t.Parallel()
	type in struct {
		Slipped slippedHook `json:"slipped"`
	}
	type other struct {
		Contrary contraryHook `json:"contrary,omitempty"`
	}
	_, err := mcptool.New(func(context.Context, in) (string, error) { return "", nil }, mcptool.Name("look_up"))
	if err == nil || !strings.Contains(err.Error(), `unknown keyword "minlength", which is similar to minLength`) {
		t.Errorf("misspelled keyword in a method: %v", err)
	}
	_, err = mcptool.New(func(context.Context, other) (string, error) { return "", nil }, mcptool.Name("look_up"))
	if err == nil || !strings.Contains(err.Error(), `default "b": must match the pattern ^a`) {
		t.Errorf("invalid default in a method: %v", err)
	}
}
