package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// A host is a server that runs from start to end.
type host struct {
	name    string
	session *session
	child   *child // over HTTP; nil over stdio, where the client has started it
	base    string // its address
	pid     int

	memory []int64 // recent samples of resident bytes under load, each after a garbage collection
	looks  []look
}

// look is the resource usage of a host at one time.
type look struct {
	resident                int64 // bytes, mean over some time under load
	heap                    int64 // bytes in use at rest
	goroutines, descriptors int   // at rest
}

// window is the largest number of samples of resident memory per look; a run has about 300. The number of freed pages that the
// heap retains varies randomly by some megabytes, often for minutes, so a few samples are not reliable.
const window = 120

// sample samples the memory of each host repeatedly until ctx ends.
func (s *soak) sample(ctx context.Context, every time.Duration) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
		for _, h := range s.hosts {
			l, err := s.lookAt(context.WithoutCancel(ctx), h)
			if err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			s.sampling.Lock()
			h.memory = append(h.memory[max(0, len(h.memory)-window+1):], l.resident)
			s.sampling.Unlock()
		}
	}
}

// lookAll measures all hosts several times while no scenario runs, and uses the minimum.
func (s *soak) lookAll(ctx context.Context) error {
	s.gate.close()
	defer s.gate.open()
	const samples = 21
	seen := make([][]look, len(s.hosts))
	for range samples {
		s.http.CloseIdleConnections()
		for i, h := range s.hosts {
			l, err := s.lookAt(ctx, h)
			if err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			seen[i] = append(seen[i], l)
		}
		time.Sleep(s.pause)
	}
	for i, h := range s.hosts {
		least := seen[i][0]
		for _, l := range seen[i] {
			least.goroutines = min(least.goroutines, l.goroutines)
			least.descriptors = min(least.descriptors, l.descriptors)
			least.heap = min(least.heap, l.heap)
		}
		s.sampling.Lock()
		if n := int64(len(h.memory)); n > 0 {
			var sum int64
			for _, resident := range h.memory {
				sum += resident
			}
			least.resident = sum / n
		}
		s.sampling.Unlock()
		h.looks = append(h.looks, least)
	}
	return nil
}

func (s *soak) lookAt(ctx context.Context, h *host) (look, error) {
	ctx, done := s.clock.withTimeout(ctx)
	defer done()
	r, err := h.session.request(ctx, server.MethodFacts, nil)
	if err == nil && r.Error != nil {
		err = r.Error
	}
	if err != nil {
		return look{}, err
	}
	var f server.Facts
	if err := json.Unmarshal(r.Result, &f); err != nil {
		return look{}, err
	}
	l := look{heap: int64(f.Heap), goroutines: f.Goroutines}
	if l.resident, err = process.Resident(h.pid); err != nil {
		return look{}, err
	}
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.pid))
	l.descriptors = len(names)
	return l, err
}

// report prints the counts and the measurements of the hosts, and returns an error if anything is wrong.
func (s *soak) report(out io.Writer) error {
	calls, faults, checked, wrong := s.tally.totals()
	var failed []string
	if wrong > 0 {
		failed = append(failed, fmt.Sprintf("%d wrong answers", wrong))
	}
	rows := [][]string{{"", "", "start", "middle", "end", "end/middle"}}
	for _, h := range s.hosts {
		for _, m := range h.measures() {
			rows = append(rows, append([]string{h.name, m.name}, m.cells()...))
			if m.isBound && m.ratio() > s.grown {
				failed = append(failed, fmt.Sprintf("%s: %s: at the end %.2f times the value in the middle", h.name, m.name, m.ratio()))
			}
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n%s\n%d calls, %d faults, %d answers checked, %d wrong, %d not kept for clients that resumed, %d not counted; seed %d\n",
		table(s.tally.rows()), table(rows), calls, faults, checked, wrong, s.tally.lost, s.tally.disturbed, s.seed)
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("%s", strings.Join(failed, "\n"))
	}
	return err
}

// measure is a figure of a host with one value per look.
type measure struct {
	name    string
	values  []float64
	format  string
	isBound bool // must not grow
}

func (h *host) measures() []measure {
	of := func(value func(look) float64) []float64 {
		var values []float64
		for _, l := range h.looks {
			values = append(values, value(l))
		}
		return values
	}
	const mb = 1 << 20
	return []measure{
		{"RSS at work", of(func(l look) float64 { return float64(l.resident) / mb }), "%.1f MB", true},
		{"heap at rest", of(func(l look) float64 { return float64(l.heap) / mb }), "%.2f MB", false},
		{"goroutines at rest", of(func(l look) float64 { return float64(l.goroutines) }), "%.0f", true},
		{"fds at rest", of(func(l look) float64 { return float64(l.descriptors) }), "%.0f", true},
	}
}

// ratio returns the ratio of the last value to the one before.
func (m *measure) ratio() float64 {
	n := len(m.values)
	if n < 2 {
		return math.NaN()
	}
	return m.values[n-1] / m.values[n-2]
}

func (m *measure) cells() []string {
	var cells []string
	for _, value := range m.values {
		cells = append(cells, fmt.Sprintf(m.format, value))
	}
	return append(cells, fmt.Sprintf("%.2f", m.ratio()))
}

// table formats rows as lines with aligned columns.
func table(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a Builder does not fail
	}
	_ = w.Flush()
	return b.String()
}
