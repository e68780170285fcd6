// Command balance runs three instances of examples/loadbalanced behind a real nginx, all on
// loopback, and shows that any instance serves any request: it calls tools over many
// connections, subscribes, and stops one instance in the middle.
//
//	go run ./internal/lab/balance
//
// It needs nginx and the go command. It fails if one answer is not what it should be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	connections := flag.Int("connections", 16, "how many connections to make calls over")
	calls := flag.Int("calls", 3000, "how many calls to make at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, *connections, *calls)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "balance:", err)
		os.Exit(1)
	}
}

// run shows it all on out, within two minutes. What it has started it ends.
func run(ctx context.Context, out io.Writer, connections, calls int) (err error) {
	const host = "mcp.example.com"
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if _, err := findNginx(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "loadbalanced")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { // started by root, nginx works as another user
		return err
	}
	instances, err := startInstances(ctx, dir, host, 3)
	if err != nil {
		return err
	}
	defer stopAll(instances)
	balancer, err := startNginx(ctx, dir, host, instances)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, balancer.stop()) }()

	client, err := connect(ctx, balancer.addr, host, connections)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.client.Close()) }()
	s := &show{out: out, client: client, instances: instances, connections: connections, calls: calls}
	s.printf("%d instances behind %s, %d connections\n\n", len(instances), balancer.version(ctx), connections)
	return s.all(ctx)
}
