// Command fleet runs three instances of examples/fleet behind a real nginx, all on loopback, each with an embedded node
// of a JetStream cluster. Customers order tea through nginx and answer questions, while one instance after another is
// killed, as by kill -9, and restarted, and the last one is shut down. It prints the events, and the outcome of the
// orders.
//
//	go run ./internal/lab/fleet
//
// It needs nginx and the go command. It fails if an order was lost or has a wrong result.
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

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// size is the number of instances.
const size = 3

func main() {
	o := options{customers: 12, kills: size - 1, log: io.Discard}
	verbose := flag.Bool("v", false, "print the logs of nginx and the instances, and failed requests, to stderr")
	flag.Parse()
	if *verbose {
		o.log = os.Stderr
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// options are the options of run.
type options struct {
	customers int       // how many order at the same time
	kills     int       // how many instances are killed, one after the other, before one gets SIGTERM
	log       io.Writer // output of nginx and the instances, and failed requests
}

// run runs the demonstration with output on out, within three minutes. It stops everything that it has started.
func run(ctx context.Context, out io.Writer, o options) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Minute, errors.New("not finished after three minutes"))
	defer cancel()
	bed, err := testbed.Open(ctx, "github.com/mcptool-go/mcptool/examples/fleet")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.Close()) }()
	b := newBook(&lockedWriter{w: o.log})
	instances, err := startAll(ctx, bed, b)
	if err != nil {
		return err
	}
	defer instances.kill()
	balancer, err := testbed.StartNginx(ctx, testbed.Config{Dir: bed.Dir, Host: host, Instances: instances.addrs, Stderr: b.log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, balancer.Stop()) }()
	c, err := balancer.Dial(ctx, o.customers, client.Options{
		Timeout: 10 * time.Second, // an instance without a majority fails a request after 5 s
		Tasks:   true,
		Elicit: func(context.Context, client.Elicitation) (client.ElicitResult, error) { // declares elicitation
			return client.ElicitResult{}, errors.New("requests of tasks are answered with tasks/update")
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	s := &show{out: out, began: time.Now(), instances: instances, book: b}
	s.printf("%d instances behind %s, each with a node of a JetStream cluster; %d customers\n\n", size, balancer.Version(ctx), o.customers)
	if err := s.orders(ctx, &shop{client: c, book: b}, o); err != nil {
		return err
	}
	return s.table()
}
