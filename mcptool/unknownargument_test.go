package mcptool_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

type folder struct {
	Name    string   `json:"name"`
	Folders []folder `json:"folders,omitempty"`
}

// TestIgnoringUnknown checks which arguments of a call are ignored, and that the schema allows the same ones.
func TestIgnoringUnknown(t *testing.T) {
	t.Parallel()
	echo := func(schema string, opts ...mcptool.ToolOption) *mcptool.Tool {
		tool, err := mcptool.NewRaw("raw", json.RawMessage(schema), func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: args}, nil
		}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	typed := mustNew(t, func(_ context.Context, in addIn) (addIn, error) { return in, nil }, mcptool.Name("typed"))
	recursive := mustNew(t, func(_ context.Context, in folder) (folder, error) { return in, nil }, mcptool.Name("recursive"))
	strict := echo(`{"type":"object","properties":{"a":{},"\"é":{}},"additionalProperties":false}`, mcptool.LogSchemaMistakes(slog.New(slog.DiscardHandler)))
	coerced := echo(`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`, mcptool.Coerce(true))
	patterns := echo(`{"type":"object","patternProperties":{"^a":{}},"additionalProperties":false}`)
	open := echo(`{"type":"object","properties":{"a":{}}}`)
	for _, test := range []struct {
		name string
		tool *mcptool.Tool
		args string
		want string // in the arguments or the error
	}{
		{"nothing is unknown", typed, `{"a":1,"b":2}`, `{"a":1,"b":2}`},
		{"first, middle and last", typed, `{"x":1,"a":1,"y":{"a":[2]},"b":2,"z":null}`, `{"a":1,"b":2}`},
		{"only unknown ones", strict, ` {"x":1} `, `{}`},
		{"a name with an escape", strict, `{"\u0061":1,"\"\u00e9":2,"\u0078":3}`, `{"a":1,"\"é":2}`},
		{"names are case-sensitive", strict, `{"A":1,"a":2}`, `{"a":2}`},
		{"a value is converted afterwards", coerced, `{"x":1,"a":"5"}`, `{"a":5}`},
		{"the schema allows them anyway", open, `{"x":1,"a":2}`, `{"x":1,"a":2}`},
		{"a recursive type", recursive, `{"name":"a","x":1,"folders":[{"name":"b"}]}`, `{"name":"a","folders":[{"name":"b"}]}`},
		{"no arguments", strict, ``, `{}`},
		{"within an object", recursive, `{"name":"a","folders":[{"name":"b","x":1}]}`, "folders[0].x: is not a known property"},
		{"a pattern decides", patterns, `{"x":1,"a":2}`, "x: is not a known property"},
		{"a missing argument", recursive, `{"x":1}`, "name: is required"},
		{"one argument twice", typed, `{"x":1,"a":1,"a":2,"b":3}`, "a: must be given once"},
		{"invalid JSON", strict, `{"x":1,"a":}`, "invalid arguments"},
		{"an incomplete object", strict, `{"x":1`, "invalid arguments"},
		{"text after the object", strict, `{"x":1} x`, "invalid arguments"},
		{"another value than an object", strict, `[1]`, "invalid arguments"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := internals.IgnoringUnknown(test.tool)
			before := strings.Clone(test.args)
			res, err := tool.Call(t.Context(), []byte(test.args))
			var got string
			if err != nil {
				got = err.Error()
			} else {
				structured, _ := res.Structured.(json.RawMessage)
				got = string(structured)
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s: got %s, want %s", test.args, got, test.want)
			}
			if test.args != before {
				t.Errorf("the arguments have become %s", test.args)
			}
			if test.args != "" && json.Valid([]byte(test.args)) && test.tool != coerced && (tool.InputSchema().Check([]byte(test.args)) == nil) != (err == nil) {
				t.Errorf("the schema %s does not agree with the error %v", tool.InputSchema(), err)
			}
		})
	}
}

// TestUnknownNames checks that the log of one call is bounded.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	tool := internals.IgnoringUnknown(mustNew(t, func(context.Context, None) (None, error) { return None{}, nil }, mcptool.Name("n")))
	args := []byte(`{"` + strings.Repeat("x", 10_000) + `":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`)
	kept, names := internals.WithoutUnknown(tool, args)
	if string(kept) != "{}" || len(names) != 10 || len(names[0]) > 100 || names[9] != "i" {
		t.Errorf("got the arguments %s and the names %q, want none and the first 10 names, shortened", kept, names)
	}
}
