package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

// A runner runs the measurements.
type runner struct {
	servers   []server
	workloads []workload
	rounds    int
	span      time.Duration // duration of one measurement
	progress  io.Writer
}

// A sample is the result of one measurement of one server.
type sample struct {
	cpu  time.Duration // processor time of the server per call
	rate float64       // completed calls per second
	peak int64         // peak memory in bytes
}

// results has one sample per round for each workload and server, by name.
type results map[string]map[string][]sample

// run measures everything in rounds, so that other load on the machine and its frequency scaling affect all servers
// alike. Each round starts with another server.
func (r *runner) run(ctx context.Context) (results, error) {
	all := results{}
	for round := range r.rounds {
		for _, w := range r.workloads {
			_, _ = fmt.Fprintf(r.progress, "\r\033[Kround %d of %d: %s", round+1, r.rounds, w.title)
			if all[w.name] == nil {
				all[w.name] = map[string][]sample{}
			}
			for i := range w.servers {
				name := w.servers[(i+round)%len(w.servers)]
				at := slices.IndexFunc(r.servers, func(s server) bool { return s.name == name })
				result, err := r.measure(ctx, w, r.servers[at])
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", w.title, name, err)
				}
				all[w.name][name] = append(all[w.name][name], result)
			}
		}
	}
	_, _ = fmt.Fprint(r.progress, "\r\033[K")
	return all, nil
}

// measure starts a server, warms it up, and measures calls.
func (r *runner) measure(ctx context.Context, w workload, s server) (_ sample, err error) {
	tool, err := w.calls(ctx)
	if err != nil {
		return sample{}, err
	}
	conn, err := w.open(ctx, s)
	if err != nil {
		return sample{}, err
	}
	defer func() {
		if end := conn.end(); err == nil {
			err = end
		}
	}()
	check := newChecker(tool, conn.rev)
	if _, err := conn.drive(ctx, check, w.inFlight, r.span/3); err != nil {
		return sample{}, err
	}
	before, err := conn.cpu()
	if err != nil {
		return sample{}, err
	}
	begin := time.Now()
	calls, err := conn.drive(ctx, check, w.inFlight, r.span)
	if err != nil {
		return sample{}, err
	}
	took := time.Since(begin)
	after, err := conn.cpu()
	if err != nil {
		return sample{}, err
	}
	peak, err := conn.peak()
	return sample{cpu: (after - before) / time.Duration(calls), rate: float64(calls) / took.Seconds(), peak: peak}, err
}

// metric extracts a number from a sample.
type metric func(sample) float64

func cpuOf(s sample) float64  { return float64(s.cpu) }
func rateOf(s sample) float64 { return s.rate }
func peakOf(s sample) float64 { return float64(s.peak) }

// figure returns the result of a workload for a server.
func (all results) figure(workload, server string, of metric) (figure.Figure, bool) {
	return figure.Of(all.values(workload, server, of))
}

// ratio returns the ratio of the results of two servers, computed round by round.
func (all results) ratio(workload, server, to string, of metric) (figure.Figure, bool) {
	return figure.Of(figure.Ratios(all.values(workload, server, of), all.values(workload, to, of)))
}

// values returns a metric for each round.
func (all results) values(workload, server string, of metric) []float64 {
	samples := all[workload][server]
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, of(s))
	}
	return values
}
