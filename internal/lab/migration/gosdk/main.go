// Command gosdk is the server of the migration guide, written with the official Go SDK.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/lab/migration/library"
)

type FindIn struct {
	Text  string `json:"text" jsonschema:"part of the title"`
	Kind  string `json:"kind,omitempty" jsonschema:"only books or only magazines"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many at most"`
}

type FindOut struct {
	Books []library.Book `json:"books"`
}

func FindBooks(_ context.Context, _ *mcp.CallToolRequest, in FindIn) (*mcp.CallToolResult, FindOut, error) {
	return nil, FindOut{Books: library.Find(in.Text, in.Kind, in.Limit)}, nil
}

// findSchema returns the schema of FindIn with the constraints that tags cannot express.
func findSchema() (*jsonschema.Schema, error) {
	schema, err := jsonschema.For[FindIn](nil)
	if err != nil {
		return nil, err
	}
	schema.Properties["text"].MinLength = jsonschema.Ptr(1)
	schema.Properties["kind"].Enum = []any{"book", "magazine"}
	schema.Properties["limit"].Minimum = jsonschema.Ptr(1.0)
	schema.Properties["limit"].Maximum = jsonschema.Ptr(50.0)
	schema.Properties["limit"].Default = json.RawMessage(`10`)
	return schema, nil
}

type ReserveIn struct {
	ID string `json:"id" jsonschema:"the id of the book"`
}

type ReserveOut struct {
	Reserved bool `json:"reserved"`
}

func ReserveBook(_ context.Context, req *mcp.CallToolRequest, in ReserveIn) (*mcp.CallToolResult, ReserveOut, error) {
	book, ok := library.Get(in.ID)
	if !ok {
		return nil, ReserveOut{}, fmt.Errorf("there is no book %q; find_books returns the ids", in.ID)
	}
	answer, ok := req.Params.InputResponses["confirm"].(*mcp.ElicitResult)
	if !ok {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"confirm": &mcp.ElicitParams{
			Mode: "form", Message: "Reserve " + book.Title + "?",
			RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"confirm": {Type: "boolean"}}},
		}}}, ReserveOut{}, nil
	}
	if answer.Action != "accept" || answer.Content["confirm"] != true {
		return nil, ReserveOut{}, errors.New("the user declined")
	}
	library.Reserve(book.ID)
	return nil, ReserveOut{Reserved: true}, nil
}

func Recommend(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := fmt.Sprintf("Recommend a %s from the library.", req.Params.Arguments["kind"])
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}

func ReadBook(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	book, ok := library.Get(strings.TrimPrefix(req.Params.URI, "library:///books/"))
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	text, err := json.Marshal(book)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(text)}}}, nil
}

func newServer() (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1.0.0"}, &mcp.ServerOptions{Logger: slog.Default()})
	schema, err := findSchema()
	if err != nil {
		return nil, err
	}
	mcp.AddTool(server, &mcp.Tool{
		Name: "find_books", Description: "Find books by their title", InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, FindBooks)
	mcp.AddTool(server, &mcp.Tool{Name: "reserve_book", Description: "Reserve a book for the user"}, ReserveBook)
	server.AddPrompt(&mcp.Prompt{Name: "recommend", Arguments: []*mcp.PromptArgument{{Name: "kind", Required: true}}}, Recommend)
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "book", URITemplate: "library:///books/{id}", MIMEType: "application/json"}, ReadBook)
	return server, nil
}

func main() {
	server, err := newServer()
	if err == nil {
		err = server.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil {
		slog.Error("library", "error", err)
	}
}
