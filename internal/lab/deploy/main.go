// Command deploy restarts three instances of a server behind a real nginx, one after the other, while clients with
// sessions (of revisions up to 2025-11-25) call its tools, as a deployment does. The instances have the same state keys, so
// each resumes the sessions of the others.
//
//	go run ./internal/lab/deploy                          # clients in Go
//	internal/lab/deploy/run                               # and the official one in TypeScript
//	internal/lab/deploy/run all                           # and others, most of which never recover from a lost session
//	internal/lab/deploy/run all -secret ""                # without common keys: shows which recover by themselves
//
// It needs nginx and the go command. It fails if a call fails, or a session begins again.
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
)

// options are the options of the command line.
type options struct {
	secret string
	rounds int
	script string // of the clients in TypeScript; "" for none
	only   string // the client of the script; "" for all
	node   string
}

func main() {
	var o options
	flag.StringVar(&o.secret, "secret", "of all instances", "the secret of the instances; if empty, each process has its own keys, and failures are expected")
	flag.IntVar(&o.rounds, "rounds", 2, "how often each instance restarts")
	flag.StringVar(&o.script, "script", "", "the script with the clients in TypeScript, in a directory with its packages")
	flag.StringVar(&o.only, "only", "", "the only client of the script; by default it runs all")
	flag.StringVar(&o.node, "node", "node", "the program that runs the script")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		os.Exit(1)
	}
}

// run runs the deployment, and prints the results to out. It takes at most three minutes, and stops everything that it has
// started.
func run(ctx context.Context, out io.Writer, o options) (err error) {
	const count = 3
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	bed, err := testbed.Open(ctx, "github.com/mcptool-go/mcptool/internal/lab/deploy/server")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bed.Close()) }()
	var log sessionLog
	start := func(addr string) (*testbed.Instance, error) {
		return testbed.Start(ctx, testbed.Command{Program: bed.Program, Args: []string{"-addr", addr, "-secret", o.secret}, Stderr: &log})
	}
	var instances []*testbed.Instance
	defer func() { testbed.KillAll(instances) }()
	for range count {
		i, err := start("127.0.0.1:0")
		if err != nil {
			return err
		}
		instances = append(instances, i)
	}
	balance := "hash $session consistent"
	if o.secret == "" {
		balance = "ip_hash" // no other instance knows the session
	}
	balancer, err := testbed.StartNginx(ctx, testbed.Config{
		Dir: bed.Dir, Host: "mcp.example.com", Instances: testbed.Addrs(instances), Stderr: os.Stderr, Balance: balance,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, balancer.Stop()) }()

	clients, err := connect(ctx, "http://"+balancer.Addr+"/mcp", o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clients.close()) }()
	printf(out, "%d instances behind %s, each restarts %d times\n\n", count, balancer.Version(ctx), o.rounds)
	clients.load(ctx)
	for range o.rounds {
		for k, i := range instances {
			if err := i.Stop(); err != nil {
				return err
			}
			if instances[k], err = start(i.Addr); err != nil {
				return err
			}
			time.Sleep(2 * time.Second) // until nginx uses it again
			clients.ask(ctx)
		}
	}
	return clients.report(out, &log, o.secret != "")
}
