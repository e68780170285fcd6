package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

func TestParamHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		want         []private.ParamHeader
	}{
		{"none", `{"type":"object","properties":{"a":{"type":"string"}}}`, nil},
		{"data that looks like one", `{"type":"object","properties":{"a":{"enum":[{"x-mcp-header":"A"}]}}}`, nil},
		{"another case", `{"type":"object","properties":{"a":{"type":"string","X-Mcp-Header":"A"}}}`, nil},
		{"written with an escape", `{"type":"object","properties":{"a":{"type":"string","x-mcp\u002dheader":"A"}}}`, []private.ParamHeader{{Name: "A", Path: []string{"a"}}}},
		{
			"in the order of the schema, nested ones too",
			`{"type":"object","properties":{"z":{"type":"boolean","x-mcp-header":"Z"},"a.b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"Deep"},"d":true}}}}`,
			[]private.ParamHeader{{Name: "Z", Path: []string{"z"}}, {Name: "Deep", Path: []string{"a.b", "c"}}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.NewRaw("n", json.RawMessage(test.schema), func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, internals.Settings(tool).Headers); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

func TestParamHeadersOfStructs(t *testing.T) {
	t.Parallel()
	type in struct {
		Region string `json:"region" jsonschema:"x-mcp-header=Region"`
	}
	tool, err := mcptool.New(func(context.Context, in) (struct{}, error) { return struct{}{}, nil }, mcptool.Name("n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]private.ParamHeader{{Name: "Region", Path: []string{"region"}}}, internals.Settings(tool).Headers); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}
