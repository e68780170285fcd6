package mcptool_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

type ShoutIn struct {
	_    struct{} `mcp:"title=Shout,readOnly" doc:"Says it louder"`
	Text string   `json:"text" jsonschema:"minLength=1" doc:"What to say"`
}

type ShoutOut struct {
	Text string `json:"text"`
}

func Shout(_ context.Context, in ShoutIn) (ShoutOut, error) {
	return ShoutOut{strings.ToUpper(in.Text)}, nil
}

// A tool runs without a server, which is how to test one.
func ExampleTool_Call() {
	tool, err := mcptool.New(Shout)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.Info().Name, "-", tool.Info().Description)

	result, err := tool.Call(context.Background(), []byte(`{"text":"hello"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", result.Structured)
	// Output:
	// shout - Says it louder
	// {"text":"HELLO"}
}
