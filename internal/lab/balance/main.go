// Command balance runs three instances of examples/loadbalanced behind a real nginx, all on
// loopback, and shows that any instance can serve any request: it calls tools over many
// connections, subscribes, and stops one instance while calls are made.
//
//	go run ./internal/lab/balance
//
// It needs nginx and the go command. It fails if any response is wrong.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, 16, 3000)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "balance:", err)
		os.Exit(1)
	}
}

// run runs the demonstration, with so many calls at a time, and prints the results to out. It takes at most two minutes,
// and stops everything that it has started.
func run(ctx context.Context, out io.Writer, connections, calls int) (err error) {
	const host = "mcp.example.com"
	const count = 3
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	bed, err := testbed.Open(ctx, "github.com/mcptool-go/mcptool/examples/loadbalanced")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.Close()) }()
	var instances []*testbed.Instance
	logs := make([]bytes.Buffer, count)
	defer func() {
		testbed.KillAll(instances)
		for i := range logs {
			if err != nil {
				fmt.Fprintf(os.Stderr, "log of instance %d:\n%s", i+1, logs[i].Bytes())
			}
		}
	}()
	for i := range logs {
		instance, err := testbed.Start(ctx, testbed.Command{Program: bed.Program, Args: []string{"-addr", "127.0.0.1:0", "-host", host}, Stderr: &logs[i]})
		if err != nil {
			return err
		}
		instances = append(instances, instance)
	}
	balancer, err := testbed.StartNginx(ctx, testbed.Config{
		Dir: bed.Dir, Host: host, Instances: testbed.Addrs(instances), Repeatable: []string{"digest", "count"}, Stderr: os.Stderr,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, balancer.Stop()) }()

	client, err := connect(ctx, balancer, connections)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.client.Close()) }()
	s := &show{out: out, client: client, instances: instances, connections: connections, calls: calls}
	s.printf("%d instances behind %s, %d connections\n\n", len(instances), balancer.Version(ctx), connections)
	return s.all(ctx)
}
