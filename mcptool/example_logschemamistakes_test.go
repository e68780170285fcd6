package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/mcptool-go/mcptool/mcptool"
)

// A gateway offers the tools of another server, whose schemas it cannot correct. Their mistakes are logged, and the
// schemas are applied unchanged.
func ExampleLogSchemaMistakes() {
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	schema := json.RawMessage(`{"type":"object","properties":{"limit":{"type":"integer","default":null}}}`)
	forward := func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "forwarded " + string(args)}}}, nil
	}

	tool, err := mcptool.NewRaw("list_orders", schema, forward, mcptool.LogSchemaMistakes(logger))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := tool.Call(context.Background(), []byte(`{"limit":3}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if text, ok := result.Content[0].(mcptool.Text); ok {
		fmt.Println(text.Text)
	}
	// Output:
	// level=WARN msg="mcptool: mistake in a schema" mistake="list_orders: the argument inputSchema: schema: /properties/limit/default: default null: must be an integer, got null; its own schema rejects the value, so clients that use it get an error; correct the value, or the schema"
	// forwarded {"limit":3}
}
