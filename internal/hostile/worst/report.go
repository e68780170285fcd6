package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// shown is the number of finds shown per objective.
const shown = 5

// ranked returns the finds of an objective, worst first.
func (s *search) ranked(objective string) []*find {
	var all []*find
	for _, f := range s.finds {
		if f.Objective == objective {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b *find) int { return cmpDown(a.score(), b.score()) })
	return all
}

// failing reports whether f makes a run fail.
func (s *search) failing(f *find) bool { return f.above(s.bars) || f.grown() }

// confirm repeats, in fresh processes, the measurements of the finds that would fail the run, and of as many others as
// time permits.
func (s *search) confirm(until time.Time) error {
	var first, rest []*find
	for _, f := range s.finds {
		if s.failing(f) {
			first = append(first, f)
		}
	}
	for rank := range shown {
		for _, name := range objectiveNames {
			if all := s.ranked(name); rank < len(all) && !s.failing(all[rank]) {
				rest = append(rest, all[rank])
			}
		}
	}
	for _, f := range first {
		if err := s.again(f); err != nil {
			return err
		}
	}
	for _, f := range rest {
		if time.Now().After(until) {
			return nil
		}
		if err := s.again(f); err != nil {
			return err
		}
	}
	return nil
}

// mostTries is the maximum number of repeated measurements of a find that is above a bar or grows. See [merged].
const mostTries = 5

// again measures f in fresh processes.
func (s *search) again(f *find) error {
	f.Died, f.points = "", nil
	for i := range mostTries {
		p, err := openProbe(s.program, f.Tool)
		if err != nil {
			if errors.Is(err, errDied) {
				f.Died = err.Error()
				return nil
			}
			return err
		}
		now := find{Tool: f.Tool, Message: f.Message}
		err = now.measure(p.measure)
		if err == nil {
			err = now.follow(p.measure)
		}
		reason := p.close()
		if errors.Is(err, errDied) {
			f.Died = reason
			return nil
		}
		if err != nil {
			return err
		}
		now.Objective = f.Objective
		if i > 0 {
			now.merge(f)
		}
		*f = now
		if i+1 >= s.tries && !s.failing(f) {
			break
		}
	}
	return nil
}

// report prints the worst finds, writes them to a directory if one is given, and returns errAbove if one is above the
// bars.
func (s *search) report(folder string) error {
	failed := 0
	var show []*find
	for _, name := range append(objectiveNames[:], "") {
		all := s.ranked(name)
		for i, f := range all {
			if s.failing(f) {
				failed++
			}
			if i < shown || s.failing(f) {
				show = append(show, f)
			}
		}
	}
	objective := ""
	for i, f := range show {
		if f.Objective != objective {
			objective = f.Objective
			if _, err := fmt.Fprintf(s.out, "\nMost %s\n", objective); err != nil {
				return err
			}
		}
		if err := s.print(f); err != nil {
			return err
		}
		if folder != "" {
			if err := f.write(filepath.Join(folder, fmt.Sprintf("%02d.json", i))); err != nil {
				return err
			}
		}
	}
	verdict, err := "PASS", error(nil)
	if failed > 0 {
		verdict, err = "FAIL", errAbove
	}
	_, told := fmt.Fprintf(s.out, "\n%d messages to %d tools, %d schemas made up and %d of them refused, seed %d\n%s: %d finds are above %v of CPU or %d MB, or grow faster than their size\n",
		s.tried, len(s.subjects), s.generated, s.refused, s.seed, verdict, failed, s.bars.cpu, s.bars.peak/1e6)
	return errors.Join(err, told)
}

// print prints a find.
func (s *search) print(f *find) error {
	mark := "  "
	if s.failing(f) {
		mark = "! "
	}
	schema := "of Go type"
	if f.Tool.Schema != nil {
		schema = shorten(string(f.Tool.Schema), 200)
	}
	outcome := f.Verdict
	if f.Died != "" {
		outcome = "DIED: " + f.Died
	}
	head := f.Message.append(nil)
	_, err := fmt.Fprintf(s.out, "%s%8v CPU %6.1f MB peak  %9d bytes sent %9d answered  %7.1f ns/B %6.1f B/B  n^%.2f of CPU, n^%.2f of memory  %s: %s\n    schema   %s\n    message  %s\n    begins   %s\n",
		mark, f.Cost.CPU.Round(time.Millisecond), float64(f.Cost.Peak)/1e6, f.Sent, f.Answer, float64(f.Cost.CPU)/float64(f.Sent+1), float64(f.Cost.Peak)/float64(f.Sent+1),
		f.CPUSlope, f.PeakSlope, f.Tool.Name, outcome, schema, f.Message, shorten(string(head), 120))
	return err
}
