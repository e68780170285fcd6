// Command fleet is a server that can run as three instances behind a load balancer, without other services: each
// instance embeds a node of a NATS JetStream cluster, which stores the tasks. If an instance dies, its tasks continue
// in another one.
//
//	export FLEET_SECRET=…, the same for all
//	fleet -addr 127.0.0.1:8081 -dir /var/lib/fleet1 -cluster 127.0.0.1:6221 -peers 127.0.0.1:6222,127.0.0.1:6223
//	fleet -addr 127.0.0.1:8082 -dir /var/lib/fleet2 -cluster 127.0.0.1:6222 -peers 127.0.0.1:6221,127.0.0.1:6223
//	fleet -addr 127.0.0.1:8083 -dir /var/lib/fleet3 -cluster 127.0.0.1:6223 -peers 127.0.0.1:6221,127.0.0.1:6222
//
// go run ./internal/lab/fleet runs them behind nginx, and kills them. Without -cluster there is a single instance,
// whose tasks survive a restart.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	i := instance{secret: os.Getenv("FLEET_SECRET"), log: slog.New(slog.NewJSONHandler(os.Stderr, nil))}
	shop := Shop{Log: i.log}
	flag.StringVar(&i.addr, "addr", "127.0.0.1:8081", "where to listen; that is printed when the instance is ready")
	flag.StringVar(&i.host, "host", "mcp.example.com", "the name by which clients know the balancer")
	flag.StringVar(&i.dir, "dir", "fleet", "the directory for the tasks, of this instance alone")
	flag.StringVar(&i.node.Cluster, "cluster", "", "where to listen for the other instances; \"\" if there are none")
	flag.Func("peers", "the -cluster addresses of the other instances, with commas between them", func(peers string) error {
		i.node.Peers = strings.Split(peers, ",")
		return nil
	})
	flag.StringVar(&i.node.Listen, "listen", "", "where other programs reach the tasks, such as integrations/copytasks; \"\" if none does")
	flag.DurationVar(&i.lease, "lease", 15*time.Second, "how long the tasks of an instance wait for it before another takes them")
	flag.DurationVar(&i.grace, "grace", 5*time.Second, "how long calls and tasks may take after the end")
	flag.DurationVar(&shop.Step, "step", time.Second, "how long a step of an order takes")
	flag.Parse()
	if err := run(&i, &shop); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(i *instance, shop *Shop) (err error) {
	if i.tools, err = shop.Tools(); err != nil {
		return err
	}
	js, err := i.join() // until then a signal ends the process as usual
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return i.run(ctx, js, os.Stdout)
}
