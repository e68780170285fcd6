// Command mcpgo is the server of the migration guide, written with mcp-go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/lab/migration/library"
)

type FindOut struct {
	Books []library.Book `json:"books"`
}

func FindBooks(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text, err := req.RequireString("text")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	books := library.Find(text, req.GetString("kind", ""), req.GetInt("limit", 10))
	return mcp.NewToolResultStructuredOnly(FindOut{Books: books}), nil
}

type ReserveOut struct {
	Reserved bool `json:"reserved"`
}

func reserveBook(srv *server.MCPServer) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		book, ok := library.Get(req.GetString("id", ""))
		if !ok {
			return mcp.NewToolResultError(fmt.Sprintf("there is no book %q; find_books returns the ids", req.GetString("id", ""))), nil
		}
		answer, err := srv.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
			Message:         "Reserve " + book.Title + "?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"confirm": map[string]any{"type": "boolean"}}},
		}})
		if err != nil {
			return nil, err
		}
		if content, ok := answer.Content.(map[string]any); !ok || answer.Action != mcp.ElicitationResponseActionAccept || content["confirm"] != true {
			return nil, errors.New("the user declined")
		}
		library.Reserve(book.ID)
		return mcp.NewToolResultStructuredOnly(ReserveOut{Reserved: true}), nil
	}
}

func Recommend(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := fmt.Sprintf("Recommend a %s from the library.", req.Params.Arguments["kind"])
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
}

func ReadBook(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	book, ok := library.Get(strings.TrimPrefix(req.Params.URI, "library:///books/"))
	if !ok {
		return nil, server.ErrResourceNotFound
	}
	text, err := json.Marshal(book)
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(text)}}, nil
}

func newServer() *server.MCPServer {
	srv := server.NewMCPServer("library", "1.0.0",
		server.WithInputSchemaValidation(), server.WithStrictInputSchemaDefault(), server.WithRecovery(), server.WithElicitation())
	srv.AddTool(mcp.NewTool("find_books",
		mcp.WithDescription("Find books by their title"),
		mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithString("text", mcp.Required(), mcp.MinLength(1), mcp.Description("part of the title")),
		mcp.WithString("kind", mcp.Enum("book", "magazine"), mcp.Description("only books or only magazines")),
		mcp.WithInteger("limit", mcp.Min(1), mcp.Max(50), mcp.DefaultNumber(10), mcp.Description("how many at most")),
		mcp.WithOutputSchema[FindOut](),
	), FindBooks)
	srv.AddTool(mcp.NewTool("reserve_book",
		mcp.WithDescription("Reserve a book for the user"),
		mcp.WithString("id", mcp.Required(), mcp.Description("the id of the book")),
		mcp.WithOutputSchema[ReserveOut](),
	), reserveBook(srv))
	srv.AddPrompt(mcp.NewPrompt("recommend", mcp.WithArgument("kind", mcp.RequiredArgument())), Recommend)
	srv.AddResourceTemplate(mcp.NewResourceTemplate("library:///books/{id}", "book", mcp.WithTemplateMIMEType("application/json")), ReadBook)
	return srv
}

func main() {
	if err := server.ServeStdio(newServer()); err != nil {
		slog.Error("library", "error", err)
	}
}
