package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// NewRaw takes a schema instead of a Go type, for example from a file. The arguments are validated before the func gets
// them.
func ExampleNewRaw() {
	schema := json.RawMessage(`{
		"type": "object",
		"properties": {"id": {"type": "string", "pattern": "^[0-9]+$"}},
		"required": ["id"]
	}`)
	tool, err := mcptool.NewRaw("find_order", schema, func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "found " + string(args)}}}, nil
	}, mcptool.Title("Find an order"), mcptool.ReadOnly(true))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := tool.Call(context.Background(), []byte(`{"id":"42"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if text, ok := result.Content[0].(mcptool.Text); ok {
		fmt.Println(text.Text)
	}
	// Output:
	// found {"id":"42"}
}
