// Command stranger is a server with an extension, in a separate module: it uses only what any importer can use.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"

	"example.com/stranger/journal"
)

type greetIn struct {
	Name string `json:"name"`
}

func greet(_ context.Context, in greetIn) (string, error) { return "Hello, " + in.Name, nil }

func main() {
	addr := flag.String("addr", "", "")
	flag.Parse()
	var j journal.Journal
	extension, err := j.Extension()
	if err != nil {
		log.Fatal(err)
	}
	tool, err := mcptool.New(greet, mcptool.Name("greet"), journal.Recorded())
	if err != nil {
		log.Fatal(err)
	}
	srv := &runtime.Server{Name: "stranger", Version: "1", Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{extension}, Limits: runtime.Limits{ToolsPerPage: 2}}
	if err := srv.Tools.Add(tool); err != nil {
		log.Fatal(err)
	}
	if *addr == "" {
		stdio.Main(srv)
		return
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(*addr, handler))
}
