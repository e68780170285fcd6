package runtime_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type prompt struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type promptList struct {
	Prompts []prompt `json:"prompts"`
}

func listPrompts(context.Context, struct{}) (promptList, error) {
	return promptList{Prompts: []prompt{{Name: "summarize", Description: "Summarize a text"}}}, nil
}

// A server answers other requests than those for tools with custom methods.
func ExampleMustMethods() {
	srv := &runtime.Server{
		Name: "example", Version: "1.0.0", Tools: &mcptool.Registry{},
		Methods: runtime.MustMethods(
			runtime.Method{Name: "prompts/list", Capability: "prompts", Handle: runtime.Typed(listPrompts)},
		),
	}
	session := srv.Open(context.Background(), printer{})
	session.Receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err := session.Close(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"summarize","description":"Summarize a text"}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"example","version":"1.0.0"}}}}
}
