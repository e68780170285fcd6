package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"time"
)

func main() {
	if isChild() {
		exit(serveChild())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, os.Args[1:], os.Stdout)) //nolint:forbidigo // stdout does not carry the protocol here
}

// exit ends the program.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "worst:", err) //nolint:forbidigo // this is a command
		os.Exit(1)                             //nolint:forbidigo // this is a command
	}
	os.Exit(0) //nolint:forbidigo // this is a command
}

// errAbove is the error of a run with finds above the bars.
var errAbove = errors.New("messages exceed the limits")

// run executes the command line.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("worst", flag.ContinueOnError)
	flags.SetOutput(out)
	var (
		length = flags.Duration("for", 10*time.Minute, "`duration` of the search")
		seed   = flags.Uint64("seed", 1, "seed of the random numbers")
		cpu    = flags.Duration("cpu", 5*time.Second, "CPU time that a message may take")
		peak   = flags.Int("memory", 256, "memory in `MB` that a message may take")
		visit  = flags.Duration("visit", time.Second, "`duration` of a visit to one schema")
		only   = flags.String("tool", "", "search only the tool with this `name`")
		stop   = flags.Bool("stop", false, "end at the first find that exceeds the limits")
		folder = flags.String("out", "", "write the finds to this `directory`")
		replay = flags.String("replay", "", "measure the find in this `file` of -out again, instead of a search")
		tries  = flags.Int("tries", 2, "minimum number of repeated measurements of a find")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s := &search{
		Rand:    rand.New(rand.NewPCG(*seed, 0)), //nolint:gosec // need not be unpredictable
		program: program, seed: *seed, bars: bars{*cpu, *peak * 1e6}, visit: *visit, tries: *tries, out: out,
	}
	if *replay != "" {
		return s.replay(*replay)
	}
	for _, t := range append(tools(), &tool{Name: otherMethods, Schema: []byte(`{"type":"object"}`)}) {
		if *only == "" || *only == t.Name {
			s.subjects = append(s.subjects, &subject{tool: t})
		}
	}
	if len(s.subjects) == 0 {
		return fmt.Errorf("unknown tool %q", *only)
	}
	s.Shuffle(len(s.subjects), func(i, j int) { s.subjects[i], s.subjects[j] = s.subjects[j], s.subjects[i] })
	s.lone, s.stop = *only != "", *stop
	begun := time.Now()
	exploring, end := context.WithDeadline(ctx, begun.Add(*length*9/10))
	defer end()
	if err := s.explore(exploring); err != nil {
		return err
	}
	if err := s.confirm(begun.Add(*length)); err != nil {
		return err
	}
	if *folder != "" {
		if err := os.MkdirAll(*folder, 0o750); err != nil {
			return err
		}
	}
	return s.report(*folder)
}

// replay measures a find again, at a smaller size if the limits have become
// lower.
func (s *search) replay(path string) error {
	f, err := readFind(path)
	if err != nil {
		return err
	}
	if !f.Message.within(f.Message.Size, limits.MaxMessageBytes) {
		f.Message = f.Message.at(f.Message.largest(limits.MaxMessageBytes))
	}
	if err := s.again(f); err != nil {
		return err
	}
	s.finds = []*find{f}
	return s.report("")
}

// sortedNames returns the keys of a map, sorted.
func sortedNames[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
