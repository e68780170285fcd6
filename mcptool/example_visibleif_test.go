package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// Clients that cannot show forms do not see a tool that needs them.
func ExampleVisibleIf() {
	type None struct{}
	book := func(ctx context.Context, _ None) (string, error) {
		seat, err := mcptool.Elicit[struct {
			Row int `json:"row"`
		}](ctx, "Which row?")
		return fmt.Sprint("row ", seat.Row), err
	}

	tool, err := mcptool.New(book, mcptool.Name("book"), mcptool.VisibleIf(func(_ context.Context, caller mcptool.CallInfo) bool {
		return caller.Supports("elicitation.form")
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	var registry mcptool.Registry
	if err := registry.Add(tool); err != nil {
		fmt.Println(err)
		return
	}
	for _, capabilities := range []string{`{"elicitation":{}}`, `{"sampling":{}}`} {
		client := &mcptooltest.Client{Capabilities: json.RawMessage(capabilities)}
		fmt.Println(len(client.Tools(context.Background(), &registry)))
	}
	// Output:
	// 1
	// 0
}
