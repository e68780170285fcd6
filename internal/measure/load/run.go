package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// A Plan describes a run.
type Plan struct {
	// Servers are measured side by side, and compared with the first.
	Servers []Server
	// Work holds the calls for each server, one after the other.
	Work []Work
	// Steps are the numbers of calls in flight, one measurement each. An open loop has a single step, the maximum, where 0
	// means 10 000.
	Steps []int
	// Rate is the rate of an open loop, in calls per second; 0 for a closed loop.
	Rate float64
	// Duration is the time per server and step, over all rounds; 0 means no limit.
	Duration time.Duration
	// Calls is the maximum number of calls in that time; 0 means no limit.
	Calls int64
	// Warmup is the time for uncounted calls before a measurement: all of it in the first round, and a quarter in each
	// later one.
	Warmup time.Duration
	// Rounds is the number of rounds; 0 means one.
	Rounds int
	// Progress receives a description of each measurement before it starts; it may be nil.
	Progress func(what string)
}

// Expected returns how long the measurements take; 0 if they are limited by the number of calls.
func (p Plan) Expected() time.Duration {
	rounds := time.Duration(max(p.Rounds, 1))
	each := p.Duration + p.Warmup + (rounds-1)*(p.Warmup/4)
	if p.Duration <= 0 {
		return 0
	}
	return each * time.Duration(len(p.Servers)*len(p.Work)*len(p.Steps))
}

// Run runs a plan. Each round starts with another server, so that none has an advantage. When ctx ends, the report has
// the results until then. A server that is lost during the run is skipped from then on, and reported.
func Run(ctx context.Context, p Plan) *Report {
	p.Rounds = max(p.Rounds, 1)
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
		if s.counted.Bench.All > 0 {
			r.report.Servers[i].Counted = &s.counted
		}
		if use, err := process.Tree(s.pid()); err == nil {
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

// A sample is the result of one round for one server.
type sample struct {
	*Tally
	cpu      time.Duration
	resident int64
	known    bool // cpu and resident are valid
}

// row measures all servers for one tool at one step.
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

// lose skips a server from here on.
func (r *runner) lose(s *session, err error) {
	s.lost = err
	loss := Loss{Server: s.server.Name, Reason: err.Error()}
	if lost, ok := errors.AsType[*client.UnreachableError](err); ok && lost.Stderr != "" {
		loss.Stderr = strings.Split(lost.Stderr, "\n")
	}
	r.report.Lost = append(r.report.Lost, loss)
}

// tell reports the next measurement to Progress.
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

// measure measures one server for one round. All warm-up calls have completed before the measurement starts.
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
	counted := s.counters(ctx)
	before, beforeErr := process.Tree(s.pid())
	t, err := s.run(ctx, l, w)
	if err != nil {
		return sample{}, err
	}
	after, afterErr := process.Tree(s.pid())
	s.count(ctx, counted, t)
	got := sample{Tally: t}
	// A descendant that exited without being reaped takes its CPU time with it, so the difference may be negative.
	if beforeErr == nil && afterErr == nil && after.CPU >= before.CPU {
		got.cpu, got.resident, got.known = after.CPU-before.CPU, after.Resident, true
	}
	return got, nil
}

// share returns the number of calls for a round.
func share(calls int64, rounds, round int) int64 {
	n := calls / int64(rounds)
	if int64(round) < calls%int64(rounds) {
		n++
	}
	return n
}

// machine describes the machine.
func machine() string {
	return fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
