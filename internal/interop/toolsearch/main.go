// Command toolsearch is a server with hundreds of tools and tool search, for the official clients and for coding agents:
// clients list four tools, and find, describe and call the others with them.
//
//	toolsearch FILE
//
// FILE is a JSON array of definitions of tools, such as internal/toolrank/testdata/codehost.json.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

func main() {
	if err := addCatalog(os.Args[1:]); err != nil {
		slog.Error("toolsearch cannot start", slog.Any("error", err))
		os.Exit(1) //nolint:forbidigo // it is a command
	}
	mcptool.Register(Survey)
	mcptool.Register(Erase)
	mcptool.Register(Wait)
	mcptool.Register(GetConnection)
	stdio.Main(&runtime.Server{
		Name:       "toolsearch",
		ClientLog:  runtime.ClientLogAll,
		Extensions: []runtime.Extension{toolsearch.New(toolsearch.Options{})},
	})
}

// echoed is the result of the tools of the catalog.
type echoed struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// addCatalog adds the tools of the file, which return their name and arguments.
func addCatalog(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("got %d arguments, want the file of definitions", len(args))
	}
	text, err := os.ReadFile(args[0]) //nolint:gosec // the file of the test, named by its script
	if err != nil {
		return err
	}
	var definitions []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal(text, &definitions); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	tools := make(mcptool.Tools, len(definitions))
	for i, d := range definitions {
		verb, _, _ := strings.Cut(d.Name, "_")
		readOnly := verb == "get" || verb == "list" || verb == "search"
		tools[i], err = mcptool.NewRaw(d.Name, d.InputSchema, func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: echoed{d.Name, args}}, nil
		}, mcptool.Description(d.Description), mcptool.ReadOnly(readOnly), mcptool.Group(groupOf(d.Name)))
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	}
	return mcptool.Default.Add(tools)
}

// groupOf returns the group of a tool of the catalog.
func groupOf(name string) string {
	switch {
	case strings.Contains(name, "issue"):
		return "issues"
	case strings.Contains(name, "pull_request"):
		return "pulls"
	default:
		return "others"
	}
}
