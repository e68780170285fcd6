package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestPublishedSchemas checks the published schemas. The description of the argument struct is only in the tool; that
// of the result struct is in its schema.
func TestPublishedSchemas(t *testing.T) {
	t.Parallel()
	type place struct {
		_    struct{} `doc:"A place"`
		City string   `json:"city" doc:"Name of the city"`
	}
	type in struct {
		_ struct{} `mcp:"name=look_up,title=Climate" doc:"Looks up the climate"`
		place
		Region string `json:"region" jsonschema:"x-mcp-header=Region"`
	}
	type out struct {
		_       struct{} `doc:"The climate"`
		Celsius float64  `json:"celsius"`
	}
	tool := mustNew(t, func(context.Context, *in) (*out, error) { return &out{}, nil })
	if tool.Info().Name != "look_up" || tool.Info().Title != "Climate" || tool.Info().Description != "Looks up the climate" {
		t.Errorf("got %q, %q, %q; want those of the tags", tool.Info().Name, tool.Info().Title, tool.Info().Description)
	}
	for _, test := range []struct {
		name string
		got  json.RawMessage
		want string
	}{
		{
			"T-XHDR-01 T-JSC-05 input", tool.InputSchema().JSON(),
			`{"type":"object","properties":{"city":{"description":"Name of the city","type":"string"},"region":{"type":"string","x-mcp-header":"Region"}},` +
				`"required":["city","region"],"additionalProperties":false}`,
		},
		{
			"T-JSC-05 output", tool.OutputSchema().JSON(),
			`{"description":"The climate","type":"object","properties":{"celsius":{"type":"number"}},"required":["celsius"],"additionalProperties":false}`,
		},
		{
			"T-TOOL-06 no arguments", mustNew(t, done).InputSchema().JSON(),
			`{"type":"object","properties":{},"additionalProperties":false}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if string(test.got) != test.want {
				t.Errorf("got  %s\nwant %s", test.got, test.want)
			}
		})
	}
}

func TestHeadersOfTypes(t *testing.T) {
	t.Parallel()
	type in struct {
		Fits int32   `json:"fits" jsonschema:"x-mcp-header=Fits"`
		Wide int     `json:"wide" jsonschema:"x-mcp-header=Wide"`
		Real float64 `json:"real" jsonschema:"x-mcp-header=fits"`
	}
	tool, err := mcptool.New(func(context.Context, in) (None, error) { return None{}, nil }, mcptool.Name("n"))
	wantMistakes(t, registerError(t, tool, err),
		"(wide): `x-mcp-header`: integers in headers must be within", "(real): `x-mcp-header`: \"fits\" is also the header of fits", "(real): `x-mcp-header`: only a string")
}
