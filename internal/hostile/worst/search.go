package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// Objectives of the search.
const (
	totalCPU = iota
	totalPeak
	cpuPerByte
	peakPerByte
	objectives
)

var objectiveNames = [objectives]string{"CPU", "peak memory", "CPU per byte", "peak memory per byte"}

// groups are the messages with successful responses, and those with errors: they exercise different code.
const groups = 2

// survivors is the number of messages of a tool kept per objective and group.
const survivors = 6

// extrapolated is the size of messages from which the cost at the limits is estimated, in bytes.
const extrapolated = 256 << 10

// worthFollowing is the minimum share of a bar for which the growth of the cost is measured.
const worthFollowing = 0.2

// exploring are the initial sizes of messages, in bytes. Most are small, so that many can be tried; large ones reveal
// superlinear growth.
var exploring = []int{4 << 10, 4 << 10, 4 << 10, 4 << 10, 4 << 10, 4 << 10, 16 << 10, 16 << 10, 16 << 10, 64 << 10, 64 << 10, 1 << 20}

// A candidate is a message with its expected cost.
type candidate struct {
	message *message
	scores  [objectives]float64
	group   int
	// State of the measurement: larger than small, or at the limits.
	larger, full bool
}

// A subject is a tool with the state of the search in its messages.
type subject struct {
	tool   *tool
	start  *start
	seeded int                               // number of seeds tried
	best   [groups * objectives][]*candidate // by group and objective
	worth  float64                           // largest share of a bar that a message has taken
}

// A search is one run.
type search struct {
	*rand.Rand
	program  string
	seed     uint64
	bars     bars
	visit    time.Duration // time per subject
	tries    int           // minimum number of repeated measurements of a find
	subjects []*subject
	finds    []*find
	out      io.Writer

	stop                      bool // at the first find above the bars
	lone                      bool // the given subject is the only one
	tried, generated, refused int
}

// explore examines one subject after the other until the time is over or, with stop, until a find is above the bars in
// repeated measurements.
func (s *search) explore(ctx context.Context) error {
	next := 0
	for ctx.Err() == nil {
		if i := slices.IndexFunc(s.finds, s.failing); s.stop && i >= 0 {
			if err := s.again(s.finds[i]); err != nil || s.failing(s.finds[i]) {
				return err
			}
			continue
		}
		var sub *subject
		switch {
		case next < len(s.subjects) && s.IntN(2) == 0:
			sub = s.subjects[next]
			next++
		default:
			sub = s.choose()
		}
		if err := s.look(ctx, sub); err != nil {
			return fmt.Errorf("%s: %w", sub.tool.Name, err)
		}
	}
	return nil
}

// choose returns a new subject, any known one, or one of the most expensive.
func (s *search) choose() *subject {
	from := s.IntN(3)
	if s.lone {
		from = 1
	}
	switch from {
	case 0:
		for {
			s.generated++
			if t := generate(s.seed<<32 + uint64(s.generated)); t != nil { //nolint:gosec // positive
				sub := &subject{tool: t}
				s.subjects = append(s.subjects, sub)
				return sub
			}
			s.refused++
		}
	case 1:
		return pick(s.Rand, s.subjects)
	default:
		ranked := slices.Clone(s.subjects)
		slices.SortStableFunc(ranked, func(a, b *subject) int { return cmpDown(a.worth, b.worth) })
		return pick(s.Rand, ranked[:min(len(ranked), 10)])
	}
}

// look tries messages for a subject, and measures the most promising at full size.
func (s *search) look(ctx context.Context, sub *subject) error {
	if sub.start == nil {
		start, err := startOf(sub.tool)
		if err != nil {
			return err
		}
		s.Shuffle(len(start.seeds), func(i, j int) { start.seeds[i], start.seeds[j] = start.seeds[j], start.seeds[i] })
		sub.start = start
	}
	p, err := openProbe(s.program, sub.tool)
	if errors.Is(err, errDied) {
		s.add(&find{Tool: sub.tool, Message: call(object()), Died: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	v := &visit{search: s, subject: sub, probe: p, mutator: mutator{s.Rand, sub.start.material}}
	defer func() { v.probe.close() }()
	for until := time.Now().Add(s.visit); ctx.Err() == nil && time.Now().Before(until); {
		if err := v.try(v.next()); err != nil {
			return err
		}
	}
	return v.promote(ctx)
}

// add adds a find, replacing a similar one that is not worse.
func (s *search) add(f *find) {
	for i, g := range s.finds {
		if g.Tool.Name == f.Tool.Name && g.Objective == f.Objective && g.Died == "" && f.Died == "" {
			if f.score() > g.score() || f.grown() && !g.grown() {
				s.finds[i] = f
			}
			return
		}
	}
	s.finds = append(s.finds, f)
}

// A visit is a subject with a server for it.
type visit struct {
	*search
	*subject
	probe   *probe
	mutator mutator
}

// next returns the next message: a seed, or a mutation of one of the most expensive.
func (v *visit) next() *message {
	known := v.best[v.IntN(len(v.best))]
	var m *message
	if v.seeded < len(v.start.seeds) && (len(known) == 0 || v.IntN(4) > 0) {
		m = v.start.seeds[v.seeded].clone()
		v.seeded++
	} else if len(known) == 0 {
		m = pick(v.Rand, v.start.seeds).clone()
	} else {
		m = v.mutator.mutate(pick(v.Rand, known).message, pick(v.Rand, known).message)
	}
	if !m.grows() {
		v.mutator.grow(m)
	}
	if size := m.largest(pick(v.Rand, exploring)); m.Size > size || v.IntN(4) > 0 {
		m.Size = max(size, 1)
	}
	return m
}

// try measures a message and keeps it if it is expensive.
func (v *visit) try(m *message) error {
	if !m.within(m.Size, limits.MaxMessageBytes) {
		return nil
	}
	measured, err := v.checked(m, v.probe.estimate)
	if err != nil || measured.sent == 0 {
		return err
	}
	c := v.candidate(m, measured)
	if !v.promising(c) {
		return nil
	}
	again, err := v.checked(m, v.probe.estimate) // other load may have affected the first measurement
	if err != nil || again.sent == 0 {
		return err
	}
	measured.cost = merged(measured.cost, again.cost)
	v.keep(v.candidate(m, measured))
	return nil
}

// measure measures m, including peak memory.
func (v *visit) measure(m *message) (measurement, error) { return v.checked(m, v.probe.measure) }

// checked measures m. A server that has died is a find, and is replaced.
func (v *visit) checked(m *message, by func(*message) (measurement, error)) (measurement, error) {
	v.tried++
	measured, err := by(m)
	if !errors.Is(err, errDied) {
		return measured, err
	}
	reason := v.probe.close()
	v.add(&find{Tool: v.tool, Message: m, Sent: measured.sent, Died: reason})
	v.worth = max(v.worth, 1)
	v.probe, err = openProbe(v.program, v.tool)
	return measurement{}, err
}

// candidate creates a candidate from m and its measurement.
func (v *visit) candidate(m *message, measured measurement) *candidate {
	c := &candidate{message: m}
	if verdictOf(measured) != taken {
		c.group = 1
	}
	cpu := max(measured.cost.CPU-v.probe.base.CPU, 0).Seconds()
	memory := max(float64(measured.cost.Allocated)-float64(v.probe.base.Allocated), 0)
	scale := 1.0
	if m.grows() {
		scale = float64(max(m.largest(limits.MaxMessageBytes), 1)) / float64(m.Size)
	}
	const small = 4 << 10 // bytes; discounts the cost of any message, which is independent of its size
	c.scores = [objectives]float64{cpu * scale, memory * scale, cpu / float64(measured.sent+small), memory / float64(measured.sent+small)}
	return c
}

// promising reports whether c is more expensive than one that is kept.
func (v *visit) promising(c *candidate) bool {
	for o := range objectives {
		if best := v.best[c.group*objectives+o]; len(best) < survivors || c.scores[o] > best[len(best)-1].scores[o] {
			return true
		}
	}
	return false
}

// keep keeps c in the lists where it is among the most expensive.
func (v *visit) keep(c *candidate) {
	text := c.message.String()
	for o := range objectives {
		kept := &v.best[c.group*objectives+o]
		best := slices.DeleteFunc(*kept, func(k *candidate) bool { return k == c || k.message.String() == text })
		best = append(best, c)
		slices.SortStableFunc(best, func(a, b *candidate) int { return cmpDown(a.scores[o], b.scores[o]) })
		*kept = best[:min(len(best), survivors)]
	}
}

// promote measures the best candidates that are not finds yet, for each objective and group in turn, for as long as the
// visit has taken. Estimates of total memory are much too high if most of it becomes garbage, so it measures more of
// those candidates.
func (v *visit) promote(ctx context.Context) error {
	turns := []int{totalCPU, totalPeak, totalPeak, totalPeak, cpuPerByte, peakPerByte}
	turns = slices.Concat(turns, turns)
	for i := range turns {
		turns[i] += i / (len(turns) / groups) * objectives
	}
	v.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	until := time.Now().Add(v.visit)
	for _, turn := range turns {
		if ctx.Err() != nil || time.Now().After(until) {
			break
		}
		if err := v.promoteOne(turn/objectives, turn%objectives); err != nil {
			return err
		}
	}
	return nil //nolint:nilerr // the end of ctx ends the search without an error
}

// promoteOne measures the best candidate of an objective that is not a find yet, if any.
func (v *visit) promoteOne(group, o int) error {
	c, err := v.top(group, o)
	if err != nil || c == nil {
		return err
	}
	c.full = true
	m := c.message
	if o == totalCPU || o == totalPeak {
		m = m.at(m.largest(limits.MaxMessageBytes))
	}
	f := &find{Objective: objectiveNames[o], Tool: v.tool, Message: m}
	if err := f.measure(v.measure); err != nil || f.Sent == 0 {
		return err
	}
	if f.share(v.bars) > worthFollowing || f.Cost.CPU.Seconds() > mostSlope*c.scores[totalCPU] {
		if err := f.follow(v.measure); err != nil {
			return err
		}
	}
	v.worth = max(v.worth, f.share(v.bars))
	if o == totalCPU || o == totalPeak {
		c.scores[totalCPU] = min(c.scores[totalCPU], f.Cost.CPU.Seconds())
		c.scores[totalPeak] = min(c.scores[totalPeak], float64(f.Cost.Peak))
		v.keep(c)
	}
	v.add(f)
	return nil
}

// top returns the best candidate of a group and an objective that is not a find yet; nil if there is none. If the
// candidate was measured only at a small size, top first corrects the estimate, after which another one may be the
// best.
func (v *visit) top(group, o int) (*candidate, error) {
	for {
		best := v.best[group*objectives+o]
		i := slices.IndexFunc(best, func(c *candidate) bool { return !c.full })
		if i < 0 {
			return nil, nil //nolint:nilnil // see above
		}
		c := best[i]
		size := c.message.largest(extrapolated)
		if c.larger || o == cpuPerByte || o == peakPerByte || size < 3*c.message.Size || !c.message.grows() {
			return c, nil
		}
		c.larger = true
		measured, err := v.checked(c.message.at(size), v.probe.estimate)
		if err != nil {
			return nil, err
		}
		if measured.sent > 0 {
			scores := v.candidate(c.message.at(size), measured).scores
			c.scores[totalCPU], c.scores[totalPeak] = scores[totalCPU], scores[totalPeak]
			v.keep(c)
		}
	}
}

// cmpDown orders numbers in descending order.
func cmpDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	default:
		return 0
	}
}
