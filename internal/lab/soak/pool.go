package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// gate lets scenarios run, or blocks them while the servers are measured.
type gate struct {
	running sync.RWMutex // read-locked by each running scenario
	closed  atomic.Bool  // scenarios should end
}

// close waits until no scenario runs, and blocks new ones until open.
func (g *gate) close() {
	g.closed.Store(true)
	g.running.Lock()
}

func (g *gate) open() {
	g.closed.Store(false)
	g.running.Unlock()
}

// A clientPool runs the scenarios of clients of one revision and transport sequentially.
type clientPool struct {
	*soak
	name    string
	rand    *rand.Rand
	gap     time.Duration // average time between actions
	actions []action
	connect func(ctx context.Context) (*session, error)
	leave   func(ctx context.Context, v *scenario) error // nil without checks
	stays   bool                                         // the session does not end with the scenario
}

// work runs scenarios until ctx ends.
func (c *clientPool) work(ctx context.Context) {
	for ctx.Err() == nil {
		c.gate.running.RLock()
		c.runScenario(ctx)
		c.gate.running.RUnlock()
	}
}

// runScenario performs some actions with one client. It completes an action even if ctx ends.
func (c *clientPool) runScenario(until context.Context) {
	ctx := context.WithoutCancel(until)
	v := &scenario{Rand: c.rand}
	v.suspensions, _ = c.clock.suspended()
	c.perform(ctx, v, action{name: "beginning of a session", do: func(ctx context.Context, v *scenario) (err error) {
		v.session, err = c.connect(ctx)
		return err
	}})
	if v.session == nil {
		c.pause(until, time.Second)
		return
	}
	if !c.stays {
		defer func() { _ = v.Close() }() // checked before if necessary
	}
	next := time.Now()
	for range 10 + c.rand.IntN(50) {
		next = next.Add(time.Duration(c.rand.ExpFloat64() * float64(c.gap)))
		c.pause(until, time.Until(next))
		if until.Err() != nil || c.gate.closed.Load() {
			break
		}
		if suspensions, _ := c.clock.suspended(); suspensions != v.suspensions {
			return // the session may have expired
		}
		if c.perform(ctx, v, c.choose(v.rev)) {
			return
		}
	}
	if c.leave != nil {
		c.perform(ctx, v, action{name: "end of a session", isFault: true, do: c.leave})
	}
}

// pause waits for d or until ctx ends.
func (c *clientPool) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// choose returns the next action.
func (c *clientPool) choose(rev revision) action {
	sum := 0
	fit := c.actions[:0:0]
	for _, a := range c.actions {
		if rev >= a.since && (a.until == "" || rev <= a.until) {
			fit = append(fit, a)
			sum += a.weight
		}
	}
	n := c.rand.IntN(sum)
	for _, a := range fit {
		if n -= a.weight; n < 0 {
			return a
		}
	}
	return fit[0]
}

// perform performs an action and records the outcome. It reports whether the action failed because of a suspension
// since the last action.
func (c *clientPool) perform(ctx context.Context, v *scenario, a action) (disturbed bool) {
	ctx, done := c.clock.withTimeout(ctx)
	defer done()
	v.checked, v.sent = 0, nil
	begun := time.Now()
	err := a.do(ctx, v)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	c.tally.record(a.name, a.isFault, v.checked, time.Since(begun))
	before := v.suspensions
	v.suspensions, _ = c.clock.suspended()
	switch {
	case err == nil:
	case errors.Is(err, errLost):
		c.tally.recordLost()
	case v.suspensions != before && isAbsence(err):
		c.tally.recordDisturbed(c.name, a.name, err)
		return true
	default:
		c.tally.recordWrong(c.name, a.name, v.sent, err)
	}
	return false
}

// pools returns a number of client pools for each revision and transport of the hosts, and one that starts and stops
// servers.
func (s *soak) pools(clients int, gap time.Duration) []*clientPool {
	var all []*clientPool
	add := func(c *clientPool) {
		c.soak, c.gap = s, gap
		c.rand = rand.New(rand.NewPCG(s.seed, uint64(len(all))))
		all = append(all, c)
	}
	for range clients {
		for _, h := range s.hosts {
			if h.child != nil {
				for _, rev := range revisions {
					add(s.httpPool(h.base, rev))
				}
				continue
			}
			add(&clientPool{
				name: h.name, actions: append(calls(), streamFaults()...), stays: true,
				connect: func(context.Context) (*session, error) { return h.session, nil },
			})
		}
	}
	add(&clientPool{
		name: "short-lived servers", actions: s.shortLived(), stays: true,
		connect: func(context.Context) (*session, error) { return &session{rev: modern}, nil }, // they open their own sessions
	})
	all[len(all)-1].gap = 3 * time.Second
	return all
}

// httpPool returns a pool of clients over HTTP.
func (s *soak) httpPool(base string, rev revision) *clientPool {
	c := &clientPool{
		name: "http " + string(rev), actions: append(calls(), httpFaults()...),
		connect: func(ctx context.Context) (*session, error) { return s.dialHTTP(ctx, rev, base) },
	}
	switch rev {
	case revisions[0]:
		c.actions = append(calls(), streamFaults()...)
		c.leave = func(_ context.Context, v *scenario) error { return v.Close() }
	case modern: // no sessions
	default:
		c.leave = (&sessionEnd{clock: s.clock}).leave
	}
	return c
}

// sessionEnd ends the sessions of a pool: most by a request, some by expiry, which are then resumed.
type sessionEnd struct {
	*clock
	left *session      // a session left to expire
	when time.Duration // time of the clock
}

func (f *sessionEnd) leave(ctx context.Context, v *scenario) error {
	ended := v.session
	if f.left == nil && v.IntN(3) == 0 {
		f.left, f.when = ended, f.now()
		ended.wire.leave()
		return ended.Close()
	}
	if f.left != nil && f.now()-f.when > 2*server.SessionIdle {
		response, err := f.list(ctx, v, f.left)
		if err != nil {
			return err
		}
		f.left = nil
		if err := errors.Join(v.Close(), response.Body.Close()); err != nil || response.StatusCode == http.StatusOK {
			return err
		}
		return fmt.Errorf("an expired session is not resumed: %s", response.Status)
	}
	if err := v.Close(); err != nil {
		return err
	}
	if !ended.wire.isDeleted.Load() { // a client waits only briefly for the response to its DELETE
		if err := ended.delete(ctx); err != nil {
			return err
		}
	}
	response, err := f.list(ctx, v, ended)
	if err != nil {
		return err
	}
	return v.rejected(response, http.StatusNotFound, 0)
}

// list requests the tools in a session that has ended.
func (f *sessionEnd) list(ctx context.Context, v *scenario, ended *session) (*http.Response, error) {
	var err error
	if v.sent, err = ended.rawRequest("tools/list", object{}); err != nil {
		return nil, err
	}
	return ended.post(ctx, v.sent, ended.header("", ""))
}
