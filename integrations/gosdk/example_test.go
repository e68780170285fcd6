package gosdk_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
	"github.com/mcptool-go/mcptool/mcptool"
)

type SearchIn struct {
	Text string `json:"text" jsonschema:"part of the title"`
}

type SearchOut struct {
	Titles []string `json:"titles"`
}

func Search(_ context.Context, _ *mcp.CallToolRequest, in SearchIn) (*mcp.CallToolResult, SearchOut, error) {
	return nil, SearchOut{[]string{in.Text + " Messiah"}}, nil
}

func Count(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "3 books"}}}, nil, nil
}

// addTool replaces mcp.AddTool.
func addTool[In, Out any](registry *mcptool.Registry, t *mcp.Tool, h mcp.ToolHandlerFor[In, Out]) error {
	tool, err := gosdk.Handler(t, h)
	if err != nil {
		return err
	}
	return registry.Add(tool)
}

func newRegistry() (*mcptool.Registry, error) {
	registry := new(mcptool.Registry)
	return registry, errors.Join(
		addTool(registry, &mcp.Tool{Name: "search", Description: "Find books by their title"}, Search),
		addTool(registry, &mcp.Tool{Name: "count", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, Count),
	)
}

// Handlers that were written for the SDK, in a server of this module.
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
		fmt.Printf("%s\n", res.Structured)
	}
	// Output:
	// {"titles":["Dune Messiah"]}
	// search: invalid arguments
	// text: is required but missing
	// txt: is not a known property; did you mean "text"?
	// Example: {"text":"text"}
}
