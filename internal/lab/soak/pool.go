package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// gate lets scenarios run, or keeps them out while the servers are measured.
type gate struct {
	running sync.RWMutex // held for reading by each scenario that runs
	closed  atomic.Bool  // scenarios are asked to end
}

// close waits until no scenario runs, and lets none begin until open.
func (g *gate) close() {
	g.closed.Store(true)
	g.running.Lock()
}

func (g *gate) open() {
	g.closed.Store(false)
	g.running.Unlock()
}

// A clientPool runs the scenarios of clients of one revision and transport, one after the other.
type clientPool struct {
	*soak
	name    string
	rand    *rand.Rand
	gap     time.Duration // on average, from one action to the next
	actions []action[client]
	connect func(ctx context.Context) (client, error)
	leave   func(ctx context.Context, v *scenario) error // nil if the client stays
}

// work runs scenarios until ctx ends.
func (c *clientPool) work(ctx context.Context) {
	for ctx.Err() == nil {
		c.gate.running.RLock()
		c.runScenario(ctx)
		c.gate.running.RUnlock()
	}
}

// runScenario performs some actions with one client. An action that has begun is finished, even if ctx ends.
func (c *clientPool) runScenario(until context.Context) {
	ctx := context.WithoutCancel(until)
	v := &scenario{Rand: c.rand}
	v.suspensions, _ = c.clock.suspended()
	c.perform(ctx, v, action[client]{name: "beginning of a session", do: func(ctx context.Context, v *scenario, _ client) (err error) {
		v.client, err = c.connect(ctx)
		return err
	}}, false)
	if v.client == nil {
		c.pause(until, time.Second)
		return
	}
	next := time.Now()
	for range 10 + c.rand.IntN(50) {
		next = next.Add(time.Duration(c.rand.ExpFloat64() * float64(c.gap)))
		c.pause(until, time.Until(next))
		if until.Err() != nil || c.gate.closed.Load() {
			break
		}
		if suspensions, _ := c.clock.suspended(); suspensions != v.suspensions {
			c.abandon(ctx, v)
			return
		}
		a := c.choose(v.revision())
		if c.perform(ctx, v, a, a.isFault) {
			c.abandon(ctx, v)
			return
		}
	}
	if c.leave != nil {
		c.perform(ctx, v, action[client]{name: "end of a session", do: func(ctx context.Context, v *scenario, _ client) error { return c.leave(ctx, v) }}, true)
	}
}

// abandon ends a session after a suspension; it may have expired.
func (c *clientPool) abandon(ctx context.Context, v *scenario) {
	if c.leave == nil {
		return
	}
	ctx, done := c.clock.withTimeout(ctx)
	defer done()
	_ = v.close(ctx) // if it is there
}

// pause waits, unless ctx ends.
func (c *clientPool) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// choose returns the next action.
func (c *clientPool) choose(rev revision) action[client] {
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

// perform performs an action, and records the outcome. It reports whether it failed because of a suspension since the
// last action.
func (c *clientPool) perform(ctx context.Context, v *scenario, a action[client], isFault bool) (disturbed bool) {
	ctx, done := c.clock.withTimeout(ctx)
	defer done()
	v.checked, v.last = 0, nil
	begun := time.Now()
	err := a.do(ctx, v, v.client)
	c.tally.record(a.name, isFault, v.checked, time.Since(begun))
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
		c.tally.recordWrong(c.name, a.name, v.last, err)
	}
	return false
}

// as converts actions of one kind of client to actions of any client; they are given to pools of that kind.
func as[C client](actions []action[C], isFault bool) []action[client] {
	all := make([]action[client], 0, len(actions))
	for _, a := range actions {
		all = append(all, action[client]{
			name: a.name, weight: a.weight, since: a.since, until: a.until, isFault: isFault,
			do: func(ctx context.Context, v *scenario, c client) error {
				return a.do(ctx, v, c.(C)) //nolint:errcheck // see pools
			},
		})
	}
	return all
}

// pools returns so many client pools for each revision and transport of the hosts, and one that starts and ends servers.
func (s *soak) pools(clients int, gap time.Duration) []*clientPool {
	var all []*clientPool
	add := func(c *clientPool) {
		c.soak, c.gap = s, gap
		c.rand = rand.New(rand.NewPCG(s.seed, uint64(len(all))))
		all = append(all, c)
	}
	for range clients {
		for _, h := range s.hosts {
			if h.stream == nil {
				for _, rev := range revisions {
					add(s.httpPool(h.base, rev))
				}
				continue
			}
			add(&clientPool{name: h.name, actions: append(calls(), as(streamFaults(), true)...), connect: func(context.Context) (client, error) { return h.stream, nil }})
		}
	}
	add(&clientPool{name: "short-lived servers"})
	last := all[len(all)-1]
	last.gap = 3 * time.Second
	last.actions = s.shortLived()
	last.connect = func(context.Context) (client, error) { return noClient{}, nil }
	return all
}

// httpPool returns a pool of clients over HTTP.
func (s *soak) httpPool(base string, rev revision) *clientPool {
	c := &clientPool{name: "http " + string(rev)}
	if rev == revisions[0] {
		c.actions = append(calls(), as(streamFaults(), true)...)
		c.connect = func(ctx context.Context) (client, error) {
			return openSSE(ctx, s.http, base, s.wrongFrom(c.name))
		}
		c.leave = func(ctx context.Context, v *scenario) error { return v.close(ctx) }
		return c
	}
	c.actions = append(calls(), as(httpFaults(), true)...)
	c.connect = func(ctx context.Context) (client, error) { return openHTTPClient(ctx, rev, s.http, base) }
	if rev != modern {
		c.leave = (&sessionEnd{clock: s.clock}).leave
	}
	return c
}

// sessionEnd ends the sessions of a pool: most by a request, some by leaving them to expire.
type sessionEnd struct {
	*clock
	left *httpClient   // whose session was not ended
	when time.Duration // of the clock
}

func (f *sessionEnd) leave(ctx context.Context, v *scenario) error {
	p := v.client.(*httpClient) //nolint:errcheck // no others have sessions
	ended := p
	switch {
	case f.left == nil && v.IntN(3) == 0:
		f.left, f.when = p, f.now()
		return nil
	case f.left != nil && f.now()-f.when > 2*server.SessionIdle:
		ended, f.left = f.left, nil
		if err := p.close(ctx); err != nil {
			return err
		}
	default:
		if err := p.close(ctx); err != nil {
			return err
		}
	}
	v.last = request(p.rev, ended.last.Add(1), "tools/list", nil)
	response, err := ended.post(ctx, v.last)
	if err != nil {
		return err
	}
	return v.rejected(response, http.StatusNotFound, 0)
}
