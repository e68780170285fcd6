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

// What messages are searched for.
const (
	totalCPU = iota
	totalPeak
	cpuPerByte
	peakPerByte
	objectives
)

var objectiveNames = [objectives]string{"CPU", "peak memory", "CPU per byte", "peak memory per byte"}

// groups are the messages whose answers are results, and those whose answers are errors: different code is at work.
const groups = 2

// survivors is how many messages of a tool are kept for each objective in each group.
const survivors = 6

// extrapolated is the size of the messages from which the cost of the largest is estimated, in bytes.
const extrapolated = 256 << 10

// worthFollowing is the share of a bar from which it is of interest how the cost of a message grows.
const worthFollowing = 0.2

// exploring are the sizes that messages are tried at first, in bytes. Most are small, so that very many can be tried; what
// grows faster than its size is seen at large ones.
var exploring = []int{4 << 10, 4 << 10, 4 << 10, 4 << 10, 4 << 10, 4 << 10, 16 << 10, 16 << 10, 16 << 10, 64 << 10, 64 << 10, 1 << 20}

// A candidate is a message and what it is expected to cost.
type candidate struct {
	message *message
	scores  [objectives]float64
	group   int
	// How much is known: it was measured larger than small, or as large as may be.
	larger, full bool
}

// A subject is a tool and what is known of its messages.
type subject struct {
	tool   *tool
	start  *start
	seeded int                               // seeds that were tried
	best   [groups * objectives][]*candidate // by group and objective
	worth  float64                           // the largest share of a bar that a message has taken
}

// A search is one run.
type search struct {
	*rand.Rand
	program  string
	seed     uint64
	bars     bars
	visit    time.Duration // how long a subject is looked at
	subjects []*subject
	finds    []*find
	out      io.Writer

	stop                      bool // at the first find above the bars
	lone                      bool // there are no subjects but the given one
	tried, generated, refused int
}

// explore looks at one subject after the other until the time is over, or, with stop, until one find is above the bars and
// still so when it is measured again.
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

// choose returns a new subject, any that there is, or one of the costliest.
func (s *search) choose() *subject {
	from := s.IntN(3)
	if s.lone {
		from = 1
	}
	switch from {
	case 0:
		for {
			s.generated++
			if t := generate(s.seed<<32 + uint64(s.generated)); t != nil { //nolint:gosec // it is positive
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

// add adds a find, in the place of one that is like it and no worse.
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

// next returns a message that was not tried yet: a seed, or a mutation of what has cost most.
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

// try measures a message and keeps it if it costs much.
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
	again, err := v.checked(m, v.probe.estimate) // something else may have been at work
	if err != nil || again.sent == 0 {
		return err
	}
	measured.cost = merged(measured.cost, again.cost)
	v.keep(v.candidate(m, measured))
	return nil
}

// measure measures m with its peak of memory.
func (v *visit) measure(m *message) (measurement, error) { return v.checked(m, v.probe.measure) }

// checked measures m. A server that has died is a find, and there is another one then.
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

// candidate makes a candidate of m, which has cost so much.
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
	const small = 4 << 10 // bytes: what any message costs is no matter of its size
	c.scores = [objectives]float64{cpu * scale, memory * scale, cpu / float64(measured.sent+small), memory / float64(measured.sent+small)}
	return c
}

// promising reports whether c costs more than one that is kept.
func (v *visit) promising(c *candidate) bool {
	for o := range objectives {
		if best := v.best[c.group*objectives+o]; len(best) < survivors || c.scores[o] > best[len(best)-1].scores[o] {
			return true
		}
	}
	return false
}

// keep keeps c where it costs more than others.
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

// promote measures the best candidates as finds that are none yet: those of each objective and group in turn, as long as the
// visit has taken. What is expected of the total memory is much too high where most of it becomes garbage, so that more of
// those are looked at.
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
	return nil //nolint:nilerr // ctx ends the search, which is no error
}

// promoteOne measures the best candidate of an objective that is no find yet, if there is one.
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

// top returns the best candidate of a group and an objective that is no find yet, nil if there is none. Of one that was
// measured at a small size only the expectation is corrected first, after which another may be the best.
func (v *visit) top(group, o int) (*candidate, error) {
	for {
		best := v.best[group*objectives+o]
		i := slices.IndexFunc(best, func(c *candidate) bool { return !c.full })
		if i < 0 {
			return nil, nil //nolint:nilnil // as the comment says
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

// cmpDown orders numbers from the largest to the smallest.
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
