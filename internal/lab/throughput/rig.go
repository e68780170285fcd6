package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/bench/figure"
)

// A rig measures.
type rig struct {
	contenders []contender
	measures   []measure
	rounds     int
	span       time.Duration // how long calls are made in one measurement
	profiles   string        // a directory for CPU profiles; empty for none
	progress   io.Writer

	current string // the measure at work
}

// results has, for each measure and contender by name, one sample per round.
type results map[string]map[string][]sample

// run measures everything, in rounds: what the machine does besides, and how it is tuned
// at that moment, meets all contenders alike. Each round begins with another one.
func (r *rig) run(ctx context.Context) (results, error) {
	all := results{}
	for round := range r.rounds {
		for _, m := range r.measures {
			_, _ = fmt.Fprintf(r.progress, "\r\033[Kround %d of %d: %s", round+1, r.rounds, m.title)
			if all[m.name] == nil {
				all[m.name] = map[string][]sample{}
			}
			for i := range r.contenders {
				c := r.contenders[(i+round)%len(r.contenders)]
				if !m.isFor(c) {
					continue
				}
				r.current = m.name
				s, err := m.run(ctx, r, c)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", m.title, c.name, err)
				}
				all[m.name][c.name] = append(all[m.name][c.name], s)
			}
		}
	}
	_, _ = fmt.Fprint(r.progress, "\r\033[K")
	return all, nil
}

// isFor reports whether a contender takes part.
func (m *measure) isFor(c contender) bool {
	name := c.name
	if c.isOlder() {
		name = ours
	}
	if m.only == nil {
		return name == handTuned || slices.Contains(general(), name)
	}
	return slices.Contains(m.only, name)
}

// profileName says where the profile of a contender goes.
func (r *rig) profileName(c contender) string {
	return filepath.Join(r.profiles, r.current+"-"+strings.ReplaceAll(c.name, " ", "-")+".pprof")
}

// metric takes a number from a sample.
type metric func(sample) float64

func cpuOf(s sample) float64  { return float64(s.cpu) }
func rateOf(s sample) float64 { return s.rate }
func peakOf(s sample) float64 { return float64(s.peak) }
func wallOf(s sample) float64 { return float64(s.wall) }

// figure returns what a measure found for a contender.
func (all results) figure(measure, contender string, of metric) (figure.Figure, bool) {
	return figure.Of(all.values(measure, contender, of))
}

// A measureOf is a measure of one contender.
type measureOf struct{ measure, contender string }

// ratio returns what the figures of one are to those of another, round by round.
func (all results) ratio(one, to measureOf, of metric) (figure.Figure, bool) {
	return figure.Of(figure.Ratios(all.values(one.measure, one.contender, of), all.values(to.measure, to.contender, of)))
}

// values returns a number of each round.
func (all results) values(measure, contender string, of metric) []float64 {
	samples := all[measure][contender]
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, of(s))
	}
	return values
}
