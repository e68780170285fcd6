// Command largeserver manages a cloud, in memory, with 300 tools in 12 groups: five operations on each of 60 kinds of
// records, from two tables. Their definitions are more than a model should read, so there are three ways to offer less.
//
// The operator selects groups or tools, with flags or with variables such as CLOUD_GROUPS:
//
//	go run ./examples/largeserver -groups compute,network -read-only
//
// Over HTTP, each client selects from that, with headers such as X-MCP-Toolsets or in the URL, as in
// http://127.0.0.1:8080/mcp?toolsets=dns:
//
//	go run ./examples/largeserver -addr 127.0.0.1:8080
//
// Or the model searches the tools, for clients that do not search them themselves:
//
//	go run ./examples/largeserver -search
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// newServer returns the server with the selected tools, of which clients get a list or, with search, the tools that search.
func newServer(selection runtime.Selection, search bool) (*runtime.Server, error) {
	tools, err := newTools()
	if err != nil {
		return nil, err
	}
	srv := &runtime.Server{
		Name: "cloud", Version: "1.0.0", Tools: &mcptool.Registry{}, Select: selection,
		OmitOutputSchemas: true, // models rarely use them
	}
	if search {
		srv.Extensions = []runtime.Extension{toolsearch.New(toolsearch.Options{})}
	}
	return srv, srv.Tools.Add(tools)
}

func main() {
	addr := flag.String("addr", "", "the address to serve HTTP on; by default the server speaks over standard input and output")
	search := flag.Bool("search", false, "list only tools that search, describe and call the others")
	selection, err := runtime.SelectionFromEnv("CLOUD_")
	if err != nil {
		log.Fatal(err)
	}
	selection.Flags(flag.CommandLine)
	flag.Parse()
	srv, err := newServer(selection, *search)
	if err != nil {
		log.Fatal(err)
	}
	if *addr == "" {
		stdio.Main(srv)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, *addr, srv, streamhttp.SelectByRequest()); err != nil {
		log.Fatal(err)
	}
}
