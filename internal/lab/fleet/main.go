// Command fleet runs three instances of examples/fleet behind a real nginx, all on loopback, each with a node of a JetStream
// cluster inside. Customers order tea through nginx and answer what they are asked, while one instance after another is
// killed, as by kill -9, and started again, and the last one is asked to end. It prints what happens, and what became of the
// orders.
//
//	go run ./internal/lab/fleet
//
// It needs nginx and the go command. It fails if an order was lost or has another result than it should.
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

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// size is the number of instances.
const size = 3

func main() {
	o := options{log: io.Discard}
	flag.IntVar(&o.customers, "customers", 12, "how many customers order at the same time")
	flag.IntVar(&o.kills, "kills", size-1, "how many instances are killed, one after the other, before one is asked to end")
	flag.DurationVar(&o.lease, "lease", 3*time.Second, "how long the tasks of an instance wait for it before another takes them")
	verbose := flag.Bool("v", false, "print to stderr what nginx and the instances report, and which requests fail")
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

// options are those of run.
type options struct {
	customers int
	kills     int
	lease     time.Duration
	log       io.Writer // of nginx, of the instances, and of requests that fail
}

// run shows it all on out, within three minutes. What it has started it ends.
func run(ctx context.Context, out io.Writer, o options) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Minute, errors.New("it takes longer than three minutes"))
	defer cancel()
	bed, err := testbed.Open(ctx, "github.com/mcptool-go/mcptool/examples/fleet")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.Close()) }()
	b := newBook(&lockedWriter{w: o.log})
	instances, err := startAll(ctx, bed, o.lease, b)
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
		Timeout: 10 * time.Second, // an instance that has no majority fails a request after 5 s
		Tasks:   true,
		Elicit: func(context.Context, client.Elicitation) (client.ElicitResult, error) { // declares that users can be asked
			return client.ElicitResult{}, errors.New("questions of tasks are answered with tasks/update")
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
