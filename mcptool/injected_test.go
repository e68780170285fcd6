package mcptool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestInjectedArguments: arguments that some clients add are removed, unless the schema has them.
func TestInjectedArguments(t *testing.T) {
	t.Parallel()
	typed, err := mcptool.New(func(_ context.Context, in addIn) (addIn, error) { return in, nil }, mcptool.Name("typed"))
	if err != nil {
		t.Fatal(err)
	}
	type waitIn struct {
		A    int  `json:"a"`
		Wait bool `json:"wait_for_previous,omitempty"`
	}
	own, err := mcptool.New(func(_ context.Context, in waitIn) (waitIn, error) { return in, nil }, mcptool.Name("own"))
	if err != nil {
		t.Fatal(err)
	}
	open, err := mcptool.New(func(_ context.Context, in map[string]int) (map[string]int, error) { return in, nil }, mcptool.Name("open"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := mcptool.NewRaw("raw", json.RawMessage(`{"type":"object","properties":{"a":{}},"additionalProperties":false}`),
		func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: args}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tool       *mcptool.Tool
		args, want string
	}{
		{tool: typed, args: `{"wait_for_previous":true,"a":1,"b":2}`, want: `{"a":1,"b":2}`},
		{tool: typed, args: `{"a":1 , "wait_for_previous" : false , "b":2}`, want: `{"a":1,"b":2}`},
		{tool: typed, args: `{"a":1,"b":2,"wait_for_previous":true}`, want: `{"a":1,"b":2}`},
		{tool: raw, args: ` { "wait_for_previous":true } `, want: `{}`},
		{tool: raw, args: `{"wait_for_previous":true,"a":{"wait_for_previous":true}}`, want: `{"a":{"wait_for_previous":true}}`},
		{tool: open, args: `{"wait_for_previous":true,"a":1}`, want: `{"a":1}`},
		{tool: own, args: `{"wait_for_previous":true,"a":1}`, want: `{"a":1,"wait_for_previous":true}`},
		{tool: typed, args: `{"a":1,"wait_for_previous":"yes"}`, want: "wait_for_previous: is not a known property"},
		{tool: typed, args: `{"a":1,"wait_for_previous":true,"wait_for_previous":true}`, want: "wait_for_previous: is not a known property"},
		{tool: typed, args: `{"a":1,"a":1,"wait_for_previous":true}`, want: "a: must be given once"},
		{tool: typed, args: `{"a":1,"wait_for_previous":true`, want: "invalid arguments"},
		{tool: typed, args: `{"a":1,"wait_for_previous":true]`, want: "invalid arguments"},
		{tool: raw, args: `{"a":1,"wait_for_previous":true}x`, want: "invalid arguments"},
	} {
		res, err := test.tool.Call(t.Context(), []byte(test.args))
		var got string
		if err != nil {
			got = err.Error()
		} else {
			structured, _ := res.Structured.(json.RawMessage)
			got = string(structured)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s\n got %s\nwant %s", test.tool.Info().Name, test.args, got, test.want)
		}
	}
}
