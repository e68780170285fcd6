// Command web is the smallest server over HTTP, at /mcp. It does not authenticate callers, so it listens on loopback.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
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
	keys, err := runtime.StateKeysFromFile("state.keys") // made at the first start; sessions of clients survive a restart
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, *addr, &runtime.Server{StateKeys: keys}); err != nil { // with all registered tools
		log.Fatal(err)
	}
}
