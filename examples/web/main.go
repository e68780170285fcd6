// Command web is the smallest server over HTTP, at /mcp. It does not authenticate callers, so it listens on loopback.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type GreetIn struct {
	_    struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"Greet somebody"`
	Name string   `json:"name" jsonschema:"minLength=1,maxLength=80"`
}

type GreetOut struct {
	Greeting string `json:"greeting"`
}

func Greet(_ context.Context, in GreetIn) (GreetOut, error) {
	return GreetOut{Greeting: "Hello, " + in.Name + "!"}, nil
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to listen on")
	flag.Parse()
	mcptool.Register(Greet)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, *addr, nil); err != nil { // nil: all registered tools
		log.Fatal(err)
	}
}
