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

// A rig runs the measurements.
type rig struct {
	contenders []contender
	measures   []measure
	rounds     int
	span       time.Duration // duration of the calls in one measurement
	profiles   string        // directory for CPU profiles; "" for none
	progress   io.Writer

	current string // current measure
}

// results has one sample per round for each measure and contender, by name.
type results map[string]map[string][]sample

// run measures everything in rounds, so that other load on the machine and its frequency
// scaling affect all contenders alike. Each round starts with another contender.
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

// profileName returns the path of the profile of a contender.
func (r *rig) profileName(c contender) string {
	return filepath.Join(r.profiles, r.current+"-"+strings.ReplaceAll(c.name, " ", "-")+".pprof")
}

// metric extracts a number from a sample.
type metric func(sample) float64

func cpuOf(s sample) float64  { return float64(s.cpu) }
func rateOf(s sample) float64 { return s.rate }
func peakOf(s sample) float64 { return float64(s.peak) }
func wallOf(s sample) float64 { return float64(s.wall) }

// figure returns the result of a measure for a contender.
func (all results) figure(measure, contender string, of metric) (figure.Figure, bool) {
	return figure.Of(all.values(measure, contender, of))
}

// A measureOf is a measure of one contender.
type measureOf struct{ measure, contender string }

// ratio returns the ratio of two figures, computed round by round.
func (all results) ratio(one, to measureOf, of metric) (figure.Figure, bool) {
	return figure.Of(figure.Ratios(all.values(one.measure, one.contender, of), all.values(to.measure, to.contender, of)))
}

// values returns a metric for each round.
func (all results) values(measure, contender string, of metric) []float64 {
	samples := all[measure][contender]
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, of(s))
	}
	return values
}
