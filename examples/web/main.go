// Command web is the smallest server over HTTP, at /mcp. It does not authenticate callers, so it listens on loopback.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"time"

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
	mux := http.NewServeMux()
	mux.Handle("/mcp", streamhttp.NewHandler(nil)) // nil: all registered tools
	server := &http.Server{
		Addr:              *addr,
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	log.Fatal(server.ListenAndServe())
}
