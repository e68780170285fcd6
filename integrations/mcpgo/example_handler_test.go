package mcpgo_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/mcptool"
)

func Search(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(req.GetString("text", "") + " Messiah"), nil
}

func Count(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("3 books"), nil
}

// addTool replaces the method AddTool of server.MCPServer.
func addTool(registry *mcptool.Registry, t mcp.Tool, h server.ToolHandlerFunc) error {
	tool, err := mcpgo.Handler(t, h)
	if err != nil {
		return err
	}
	return registry.Add(tool)
}

func newRegistry() (*mcptool.Registry, error) {
	registry := new(mcptool.Registry)
	return registry, errors.Join(
		addTool(registry, mcp.NewTool("search", mcp.WithDescription("Find books by their title"),
			mcp.WithString("text", mcp.Required(), mcp.MinLength(1)), mcp.WithSchemaAdditionalProperties(false)), Search),
		addTool(registry, mcp.NewTool("count", mcp.WithReadOnlyHintAnnotation(true)), Count),
	)
}

// Handlers that were written for mcp-go, in a server of this module.
func ExampleHandler() {
	registry, err := newRegistry()
	if err != nil {
		fmt.Println(err)
		return
	}

	// A program would serve them now, for example with
	// stdio.Main(&runtime.Server{Name: "library", Tools: registry}).
	search, _ := registry.Lookup("search")
	for _, arguments := range []string{`{"text":"Dune"}`, `{"txt":"Dune"}`} {
		res, err := search.Call(context.Background(), []byte(arguments))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Content[0].(mcptool.Text).Text)
	}
	// Output:
	// Dune Messiah
	// search: invalid arguments
	// text: is required but missing
	// txt: is not a known property; did you mean "text"?
	// Example: {"text":"text"}
}
