package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/process"
)

// A Plan describes what is measured.
type Plan struct {
	// Servers are measured side by side; the others are compared with the first.
	Servers []Server
	// Work is the calls that each of them gets, one after the other.
	Work []Work
	// Steps are how many calls are in flight, one measurement each. Of an open loop it is at most
	// how many, and one step; none means 10 000 then, and 1 in a closed loop.
	Steps []int
	// Rate is how many calls per second an open loop makes; 0 for a closed loop.
	Rate float64
	// Duration is how long each server is measured for each step, in all rounds together; 0 for any time.
	Duration time.Duration
	// Calls is how many calls are made at most meanwhile; 0 for any number.
	Calls int64
	// Warmup is how long calls are made before, which are not counted: all of it in the first round,
	// and a quarter in each later one.
	Warmup time.Duration
	// Rounds is how often the servers take turns; 0 means once.
	Rounds int
	// Progress gets a description of each measurement before it begins; it may be nil.
	Progress func(what string)
}

// Run measures. Each round begins with another server, so that none has the better place. When ctx
// ends, the report has what was measured until then. Servers that are lost on the way are left
// out from there on, and the report says so.
func Run(ctx context.Context, p Plan) *Report {
	p.Rounds = max(p.Rounds, 1)
	if len(p.Steps) == 0 {
		p.Steps = []int{0}
		if p.Rate <= 0 {
			p.Steps = []int{1}
		}
	}
	r := &runner{Plan: p, report: newReport(p)}
	for _, s := range p.Servers {
		r.sessions = append(r.sessions, newSession(s))
	}
	for _, w := range p.Work {
		for _, step := range p.Steps {
			if ctx.Err() == nil {
				r.row(ctx, w, step)
			}
		}
	}
	for i, s := range r.sessions {
		if use, err := process.Tree(s.pid()); err == nil && s.pid() != 0 {
			r.report.Servers[i].Peak = use.Peak
		}
	}
	r.report.Interrupted = ctx.Err() != nil
	return r.report
}

// A runner is a run of a Plan.
type runner struct {
	Plan
	sessions []*session
	report   *Report
}

// A sample is what one round of one server gave.
type sample struct {
	*Tally
	cpu      time.Duration
	resident int64
	known    bool // of cpu and resident
}

// row measures all servers at one step of one tool.
func (r *runner) row(ctx context.Context, w Work, step int) {
	samples := make([][]sample, len(r.sessions))
	for round := range r.Rounds {
		for i := range r.sessions {
			i = (i + round) % len(r.sessions)
			s := r.sessions[i]
			if s.lost != nil || ctx.Err() != nil {
				continue
			}
			r.tell(w, step, round, s)
			got, err := r.measure(ctx, s, w, step, round)
			if err != nil {
				r.lose(s, err)
				continue
			}
			if got.OK()+got.Failed() > 0 {
				samples[i] = append(samples[i], got)
			}
			if err := s.err(got.Tally); err != nil && ctx.Err() == nil {
				r.lose(s, err)
			}
		}
	}
	r.report.add(w, step, samples)
}

// lastWords is how many lines of a lost server's stderr the report has.
const lastWords = 10

// lose leaves a server out from here on.
func (r *runner) lose(s *session, err error) {
	s.lost = err
	loss := Loss{Server: s.server.Name, Reason: err.Error()}
	if lost, ok := errors.AsType[*client.UnreachableError](err); ok {
		loss.Stderr = lost.LastWords(lastWords)
	}
	r.report.Lost = append(r.report.Lost, loss)
}

// tell says what is measured next.
func (r *runner) tell(w Work, step, round int, s *session) {
	if r.Progress == nil {
		return
	}
	what := w.Tool
	if r.Rate <= 0 {
		what += fmt.Sprintf(", %d in flight", step)
	}
	if len(r.sessions) > 1 {
		what += ", " + s.server.Name
	}
	if r.Rounds > 1 {
		what += fmt.Sprintf(", round %d of %d", round+1, r.Rounds)
	}
	r.Progress(what)
}

// measure measures one server for one round. What is in flight when warming up has been answered
// before the measurement begins.
func (r *runner) measure(ctx context.Context, s *session, w Work, step, round int) (sample, error) {
	l := Load{Concurrency: step, Rate: r.Rate}
	if r.Warmup > 0 {
		warm := l
		if warm.Duration = r.Warmup; round > 0 {
			warm.Duration /= 4
		}
		t, err := s.run(ctx, warm, w)
		if err != nil || t.GaveUp {
			return sample{Tally: t}, err
		}
	}
	l.Duration, l.Calls = r.Duration/time.Duration(r.Rounds), share(r.Calls, r.Rounds, round)
	if r.Calls > 0 && l.Calls == 0 {
		return sample{Tally: NewTally()}, nil
	}
	before, beforeErr := r.usage(s)
	t, err := s.run(ctx, l, w)
	if err != nil {
		return sample{}, err
	}
	after, afterErr := r.usage(s)
	got := sample{Tally: t}
	// A process that was started meanwhile and has ended unnoticed would take time away.
	if beforeErr == nil && afterErr == nil && after.CPU >= before.CPU {
		got.cpu, got.resident, got.known = after.CPU-before.CPU, after.Resident, true
	}
	return got, nil
}

// usage reads what a server has cost so far.
func (r *runner) usage(s *session) (process.Usage, error) {
	if s.pid() == 0 {
		return process.Usage{}, errNoProcess
	}
	return process.Tree(s.pid())
}

// share returns the part of a number of calls that a round makes.
func share(calls int64, rounds, round int) int64 {
	n := calls / int64(rounds)
	if int64(round) < calls%int64(rounds) {
		n++
	}
	return n
}

// machine says what was measured on.
func machine() string {
	return fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
