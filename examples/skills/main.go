// Command skills keeps a log of incidents, and provides a skill that teaches a model to keep it well, with advice that
// does not belong in the description of a single tool.
//
//	go run ./examples/skills
//	go run ./examples/skills -addr 127.0.0.1:8080
package main

import (
	"context"
	"embed"
	"flag"
	"io/fs"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/extension/skills"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

//go:embed skills
var files embed.FS

// teaching returns the extension with the skills: one for each directory of skills that has a SKILL.md.
func teaching() (runtime.Extension, error) {
	tree, err := fs.Sub(files, "skills")
	if err != nil {
		return runtime.Extension{}, err
	}
	return skills.FromFS(tree)
}

// newServer returns the server: three tools, and the skill.
func newServer() (*runtime.Server, error) {
	extension, err := teaching()
	if err != nil {
		return nil, err
	}
	registry := &mcptool.Registry{}
	tools, err := mcptool.NewService(&Log{now: time.Now})
	if err != nil {
		return nil, err
	}
	return &runtime.Server{
		Name: "incidents", Version: "1.0.0", Tools: registry, Extensions: []runtime.Extension{extension},
		Instructions: "Before you open or update an incident, read the skill at skill://incident-log/SKILL.md.",
	}, registry.Add(tools)
}

func main() {
	addr := flag.String("addr", "", "the address to serve HTTP on; by default the server speaks over standard input and output")
	flag.Parse()
	srv, err := newServer()
	if err != nil {
		log.Fatal(err)
	}
	if *addr == "" {
		stdio.Main(srv)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, *addr, srv); err != nil {
		log.Fatal(err)
	}
}
