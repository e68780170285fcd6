// Command loadbalanced is a server that can run as any number of instances behind a load balancer:
// it serves the revision with independent requests, so any instance can serve any request.
//
//	go run ./examples/loadbalanced -addr 127.0.0.1:8081 -host mcp.example.com
//
// go run ./internal/lab/balance runs three of them behind nginx.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const (
	// finishing is how long running calls may take after a signal to stop. New requests get status 503.
	finishing = 5 * time.Second
	// leaving is how long an instance then answers with status 503 before it stops listening, so that
	// the balancer stops sending requests to it.
	leaving = time.Second
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8081", "where to listen; with port 0 it says where that is")
	host := flag.String("host", "mcp.example.com", "the name by which clients know the balancer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	registerTools()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	if err := serve(ctx, l, *host); err != nil {
		log.Fatal(err)
	}
}

// serve serves until ctx ends. Then it answers new requests with status 503, so that the balancer
// uses the other instances, and finishes running calls.
func serve(ctx context.Context, l net.Listener, host string) error {
	srv := &runtime.Server{Name: "loadbalanced", Version: "1.0.0", Tools: mcptool.Default}
	handler := streamhttp.NewHandler(srv,
		streamhttp.Sessions(0), // a session would tie its client to one instance
		streamhttp.AllowHosts(host))
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	err := handler.Shutdown(ending)
	time.Sleep(leaving)
	return errors.Join(err, server.Shutdown(ending), srv.Shutdown(ending))
}
