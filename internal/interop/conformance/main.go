// Command conformance serves the tools, prompts and resources that the official
// conformance suite of the Model Context Protocol requires, over HTTP at /mcp.
//
//	go run ./internal/interop/conformance -addr 127.0.0.1:8080
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// pollAfter is longer than any call except test_reconnection.
const pollAfter = time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, *addr, newServer(), streamhttp.Poll(pollAfter, pollAfter)); err != nil {
		slog.Error("conformance has ended", slog.Any("error", err))
		os.Exit(1) //nolint:forbidigo // it is a command
	}
}

// newServer returns the complete server.
func newServer() *runtime.Server {
	tools := &mcptool.Registry{}
	srv := &runtime.Server{
		Name: "conformance", Version: "1.0.0", Tools: tools, Tasks: tasks.New(nil), ClientLog: runtime.ClientLogAll,
	}
	must(tools.Add(contentTools(), hostTools(tools), schemaTools(), askTools(), taskTools()))
	must(addPrompts(tools))
	must(addResources(tools))
	return srv
}

func must(err error) {
	if err != nil {
		panic(err) //nolint:forbidigo // a mistake in this package
	}
}

// define creates a tool from a func.
func define[In, Out any](name, description string, fn func(context.Context, In) (Out, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	tool, err := mcptool.New(fn, append(opts, mcptool.Name(name), mcptool.Description(description))...)
	must(err)
	return tool
}
