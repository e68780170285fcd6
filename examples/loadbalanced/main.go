// Command loadbalanced is a server that can run as any number of instances behind a load balancer:
// it serves the revision with independent requests, so any instance can serve any request.
//
//	go run ./examples/loadbalanced -addr 127.0.0.1:8081 -host mcp.example.com
//
// go run ./internal/lab/balance runs three of them behind nginx.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
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

// serve serves until ctx ends. Then the balancer has a second to use the other instances, by /readyz
// or because its connections are closed, before requests get status 503 and running calls finish.
func serve(ctx context.Context, l net.Listener, host string) error {
	srv := &runtime.Server{Name: "loadbalanced", Version: "1.0.0"}
	return streamhttp.Serve(ctx, l, srv,
		streamhttp.Sessions(0), // a session would tie its client to one instance
		streamhttp.AllowHosts(host),
		streamhttp.ShutdownDelay(time.Second))
}
