package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestField checks the prompt of a field and the value made from the input.
func TestField(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","required":["f"],"$defs":{"point":{"type":"object","properties":{"x":{"type":"number"}}},"chain":{"$ref":"#/$defs/point"}},
		"definitions":{"old":{"type":"array","items":{"type":"object"}}},"properties":{"f":`
	for _, test := range []struct {
		name, field, label string
		typed, want        string // want is the value, or "!" and an error
	}{
		{"a string", `{"type":"string"}`, "f (string)", "a", `"a"`},
		{"a title", `{"type":"integer","title":"Count"}`, "f, Count (integer)", "7", "7"},
		{"an object", `{"type":"object"}`, "f (object, as JSON)", `{"a":1}`, `{"a":1}`},
		{"an object that is not JSON", `{"type":"object"}`, "f (object, as JSON)", `a: 1`, `!f: must be an object, got the string "a: 1"`},
		{"an array of objects", `{"type":"array","items":{"type":"object"}}`, "f (object[], as JSON)", `a`, `!f: must be an array, got the string "a"`},
		{"an array of anything", `{"type":"array"}`, "f (array, as JSON)", `[1]`, `[1]`},
		{"an object or null", `{"type":["object","null"]}`, "f (object|null, as JSON)", `null`, `null`},
		{"a reference", `{"$ref":"#/$defs/point"}`, "f (object, as JSON)", `{"x":1}`, `{"x":1}`},
		{"a reference to a reference", `{"$ref":"#/$defs/chain","title":"Here"}`, "f, Here (object, as JSON)", `{}`, `{}`},
		{"a reference of older drafts", `{"$ref":"#/definitions/old"}`, "f (object[], as JSON)", `[]`, `[]`},
		{"a reference to nothing", `{"$ref":"#/$defs/none"}`, "f (as JSON, or a text)", `a`, `"a"`},
		{"a reference to itself", `{"$ref":"#/properties/f"}`, "f (as JSON, or a text)", `a`, `"a"`},
		{"a string or null, as text", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "f (string|null)", `a`, `"a"`},
		{"a string or null, as null", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "f (string|null)", `null`, `null`},
		{"a string or null, that looks like a number", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "f (string|null)", `5`, `"5"`},
		{"an integer or null", `{"type":["integer","null"]}`, "f (integer|null)", `x`, `!f: must be an integer or null, got the string "x"`},
		{"an integer or a string, as integer", `{"type":["integer","string"]}`, "f (integer|string)", `5`, `5`},
		{"an integer or a string, as a large integer", `{"type":["string","integer"]}`, "f (string|integer)", `1e3`, `1e3`},
		{"an integer or a string, with a fraction of 0", `{"type":["integer","string"]}`, "f (integer|string)", `5.0`, `5.0`},
		{"an integer or a string, as a fraction", `{"type":["integer","string"]}`, "f (integer|string)", `5.5`, `"5.5"`},
		{"an integer or a string, beyond a float", `{"type":["integer","string"]}`, "f (integer|string)", `1e999`, `1e999`},
		{"an integer or a string, as text", `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, "f (integer|string)", `five`, `"five"`},
		{"a number or a string", `{"type":["number","string"]}`, "f (number|string)", `5.5`, `5.5`},
		{"anything", `{}`, "f (as JSON, or a text)", `[1`, `"[1"`},
		{"a choice with titles", `{"type":"string","oneOf":[{"const":"v","title":"Visa"},{"const":"m","title":"Master"}],"default":"m"}`, "f (a number; default Master)", "VISA", `"v"`},
		{"a choice by its number", `{"type":"integer","enum":[2,1]}`, "f (a number)", "2", "2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			form := newForm(json.RawMessage(schema + test.field + `}}`))
			f := &form.fields[0]
			if got := f.label(); got != test.label {
				t.Errorf("the label is %q, want %q", got, test.label)
			}
			value, err := f.read(form, test.typed)
			if err == nil {
				err = form.check(&f.argument, value)
			}
			got := string(value)
			if err != nil {
				got = "!" + err.Error()
			}
			if got != test.want {
				t.Errorf("%q becomes %s, want %s", test.typed, got, test.want)
			}
		})
	}
}

// A violation is shown without an example of a whole object, and nothing else is left out.
func TestViolation(t *testing.T) {
	t.Parallel()
	schema, err := reflectschema.ParseSchema([]byte(`{"type":"object","properties":{"n":{"type":"integer"},"m":{"type":"integer"}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	invalid := schema.Check([]byte(`{"n":"x","m":"y"}`))
	if invalid == nil || !strings.Contains(invalid.Error(), "\nExample: ") {
		t.Fatalf("there is no example to leave out: %v", invalid)
	}
	for _, err := range []error{invalid, fmt.Errorf("wrapped: %w", invalid)} {
		if text := violation(err).Error(); strings.Contains(text, "Example") || strings.Count(text, "must be") != 2 {
			t.Errorf("got %q", text)
		}
	}
	other := errors.New("a text with\nExample: of its own")
	if got := violation(other); !errors.Is(got, other) {
		t.Errorf("another error became %v", got)
	}
	if got := violation(nil); got != nil {
		t.Errorf("no error became %v", got)
	}
}
