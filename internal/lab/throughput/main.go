// Command throughput measures the cost of a server with the same tools in this framework,
// in the official Go SDK, in mcp-go, and handwritten:
//
//	go run ./internal/lab/throughput
//
// internal/lab/README.md describes the method. The command fails if a response is wrong,
// never because one is slow.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
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
	var (
		only       = flags.String("only", "", "the measures whose names match this `regexp`; -list shows the names")
		list       = flags.Bool("list", false, "list the measures and do nothing")
		contenders = flags.String("contenders", "", "these contenders only, `names` with commas between them")
		rounds     = flags.Int("rounds", 6, "how often everything is measured; medians are shown")
		span       = flags.Duration("span", 400*time.Millisecond, "how long calls are made in one measurement")
		quick      = flags.Bool("quick", false, "two short rounds: a first look, not a result")
		profiles   = flags.String("profiles", "", "write a CPU profile of every server into this `directory`; its figures are then worth less")
	)
	var older []contender
	flags.Func("before", "a `program`, the peer mcptool built from an older commit, to compare with; may be given several times", func(binary string) error {
		c, err := olderBuild(binary)
		if slices.ContainsFunc(older, func(other contender) bool { return other.name == c.name }) {
			return fmt.Errorf("two programs are named %s; rename one", filepath.Base(binary))
		}
		older = append(older, c)
		return err
	})
	_ = flags.Parse(args) // it exits on errors
	matching, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	chosen, err := choose(*contenders)
	if err != nil {
		return err
	}
	r := &rig{contenders: append(chosen, older...), rounds: *rounds, span: *span, profiles: *profiles, progress: onTerminal(os.Stderr)}
	r.measures = slices.DeleteFunc(measures(), func(m measure) bool { return !matching.MatchString(m.name) })
	if *quick {
		r.rounds, r.span = min(r.rounds, 2), 100*time.Millisecond
	}
	if *list {
		var rows [][]string
		for _, m := range r.measures {
			rows = append(rows, []string{m.name, m.title})
		}
		_, err := io.WriteString(stdout, markdown(rows))
		return err
	}
	dir, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(ctx, dir, r.contenders); err != nil {
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
