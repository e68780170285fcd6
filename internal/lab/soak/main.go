// Command soak runs servers for a long time under mixed traffic and faults, checks every response, and compares the
// resource usage of the servers at the end with that in the middle:
//
//	go run ./internal/lab/soak -for 60m
//
// It starts the servers, as processes of this program (package server): one per revision over stdio and one over HTTP,
// which run from start to end, and short-lived ones that are stopped during calls. internal/lab/README.md describes the
// traffic. It needs Linux.
//
// The exit code is 1 if a response was wrong, or if the resident memory of a server, or its goroutines or open files at
// rest, have grown by more than a tenth from the middle to the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// serve is the argument that makes the program a server.
const serve = "serve"

// mostGrown is the maximum ratio of the resource usage of a server at the end to that in the middle.
const mostGrown = 1.1

func main() {
	if len(os.Args) > 1 && os.Args[1] == serve {
		exit(server.Main(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, os.Args[1:], os.Stdout))
}

// exit ends the program if there is an error.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// soak is one run.
type soak struct {
	program []string // server command
	seed    uint64
	clock   *clock
	tally   *tally
	gate    gate
	http    *http.Transport // shared by all clients over HTTP
	hosts   []*host
	pause   time.Duration // between two measurements of a host at rest
	grown   float64       // maximum ratio of final to intermediate usage

	sampling sync.Mutex // guards host.memory
}

// wrongFrom returns a func that records messages of a server that answer no request.
func (s *soak) wrongFrom(who string) func(request []byte, err error) {
	return func(request []byte, err error) { s.tally.recordWrong(who, "unexpected messages", request, err) }
}

// clients is the number of concurrent clients of each revision and transport.
const clients = 4

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("soak", flag.ExitOnError)
	var (
		length = flags.Duration("for", 60*time.Minute, "`duration` of the run")
		rate   = flags.Float64("rate", 150, "actions per second of all clients")
		seed   = flags.Uint64("seed", 0, "seed of the random numbers; 0 chooses one")
		lie    = flags.Int("lie", 0, "let the servers return a wrong result for each `n`th call of the tool add, to test the check")
	)
	_ = flags.Parse(args) // it exits on errors
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s := &soak{program: []string{program, serve, fmt.Sprint("-lie=", *lie)}, seed: *seed, tally: newTally(out), pause: 250 * time.Millisecond, grown: mostGrown}
	for s.seed == 0 {
		s.seed = rand.Uint64()
	}
	if _, err := fmt.Fprintf(out, "%v, seed %d\n", *length, s.seed); err != nil {
		return err
	}
	return s.run(ctx, *length, *rate, clients, out)
}

// run runs the whole soak.
func (s *soak) run(ctx context.Context, length time.Duration, rate float64, clients int, out io.Writer) (err error) {
	s.clock = startClock(ctx)
	s.http = newHTTP()
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.openHosts(ctx); err != nil {
		return err
	}
	working, rest := context.WithCancel(ctx)
	pools := s.pools(clients, time.Duration(float64(clients*2*len(revisions))/rate*float64(time.Second)))
	var wg sync.WaitGroup
	for _, c := range pools {
		wg.Go(func() { c.work(working) })
	}
	sampled := make(chan error, 1)
	go func() { sampled <- s.sample(working, max(length/300, 200*time.Millisecond)) }()
	err = s.observe(ctx, length, out)
	rest()
	wg.Wait()
	_, told := fmt.Fprintf(out, "\n%v\n", s.clock)
	return errors.Join(err, told, <-sampled, s.report(out))
}

// newHTTP returns the transport of all clients over HTTP.
func newHTTP() *http.Transport { return &http.Transport{MaxIdleConnsPerHost: 100} }

// openHosts starts the servers that run from start to end.
func (s *soak) openHosts(ctx context.Context) error {
	c, base, err := s.startHTTP(ctx)
	if err != nil {
		return err
	}
	h := &host{name: "http", child: c, base: base, pid: c.cmd.Process.Pid}
	s.hosts = append(s.hosts, h)
	if h.session, err = s.dialHTTP(ctx, modern, base); err != nil {
		return err
	}
	for _, rev := range revisions {
		v, err := s.dialPipe(ctx, rev)
		if err != nil {
			return err
		}
		s.hosts = append(s.hosts, &host{name: "stdio " + string(rev), session: v, pid: v.PID()})
	}
	return nil
}

// observe measures the hosts three times: after warm-up, in the middle of the remaining time, and at the end. It prints
// the progress each minute.
func (s *soak) observe(ctx context.Context, length time.Duration, out io.Writer) error {
	begun := time.Now()
	warm := min(length/6, 3*time.Minute)
	looks := []time.Duration{warm, (warm + length) / 2, length}
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	for _, at := range looks {
		timer := time.NewTimer(time.Until(begun.Add(at)))
		for waiting := true; waiting; {
			select {
			case <-minute.C:
				s.progress(out, time.Since(begun))
			case <-timer.C:
				waiting = false
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err := s.lookAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// progress prints the counts and the memory of the hosts.
func (s *soak) progress(out io.Writer, since time.Duration) {
	calls, faults, checked, wrong := s.tally.totals()
	line := fmt.Sprintf("%v: %d calls, %d faults, %d answers checked, %d wrong; RSS in MB:", since.Round(time.Second), calls, faults, checked, wrong)
	for _, h := range s.hosts {
		resident, _ := process.Resident(h.pid) // 0 if it has exited, which is detected elsewhere
		line += fmt.Sprintf(" %d", resident>>20)
	}
	_, _ = fmt.Fprintln(out, line) // best effort, unlike the final report
}

// stop stops the hosts.
func (s *soak) stop() error {
	var err error
	for _, h := range slices.Backward(s.hosts) {
		if h.child == nil {
			err = errors.Join(err, h.session.exit())
			continue
		}
		if h.session != nil {
			err = errors.Join(err, h.session.Close())
		}
		_ = h.child.in.Close() // stops the server
		err = errors.Join(err, h.child.end())
	}
	return err
}
