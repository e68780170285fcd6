// Command throughput measures what a call costs a server with this framework, the official Go SDK and mcp-go, all with
// the same tools and schemas:
//
//	go run ./internal/lab/throughput                  # against the other frameworks
//	go run ./internal/lab/throughput -before HEAD~3   # against another commit
//
// internal/lab/README.md describes the method. The command fails if a response is wrong, never because one is slow.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("throughput", flag.ExitOnError)
	only := flags.String("only", "", "run the workloads whose names match this `regexp`: stdio-1, stdio-64, orders-16, http-16, http-64, safe-64")
	commit := flags.String("before", "", "compare with the server of this `commit` instead of other frameworks")
	rounds := flags.Int("rounds", 0, "`number` of measurements of each workload; the tables have the medians. The default is 6, with -before 20")
	span := flags.Duration("span", 400*time.Millisecond, "`duration` of each measurement")
	_ = flags.Parse(args) // it exits on errors
	matching, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	r := &runner{rounds: *rounds, span: *span, progress: onTerminal(os.Stderr), workloads: workloads()}
	if *commit != "" {
		r.workloads = workloadsBefore()
	}
	r.workloads = slices.DeleteFunc(r.workloads, func(w workload) bool { return !matching.MatchString(w.name) })
	dir, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if *commit != "" {
		r.rounds = cmp.Or(r.rounds, 20)
		return r.compare(ctx, stdout, dir, *commit)
	}
	r.rounds = cmp.Or(r.rounds, 6)
	if r.servers, err = build(ctx, dir); err != nil {
		return err
	}
	all, err := r.run(ctx)
	if err != nil {
		return err
	}
	return r.print(stdout, all)
}

// onTerminal returns f for progress messages if it is a terminal, else io.Discard.
func onTerminal(f *os.File) io.Writer {
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return io.Discard
	}
	return f
}
