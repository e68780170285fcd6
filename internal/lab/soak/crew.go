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

// gate lets clients come, or keeps them away while the servers are measured.
type gate struct {
	visits sync.RWMutex // held for reading by each visit
	closed atomic.Bool  // visitors are asked to leave
}

// close waits until nobody is there, and keeps everybody out until open.
func (g *gate) close() {
	g.closed.Store(true)
	g.visits.Lock()
}

func (g *gate) open() {
	g.closed.Store(false)
	g.visits.Unlock()
}

// A crew is one client after the other, of one revision and transport.
type crew struct {
	*soak
	name string
	rand *rand.Rand
	gap  time.Duration // on average, from one thing that is done to the next
	acts []act[client]
	meet func(ctx context.Context) (client, error)
	part func(ctx context.Context, v *visit) error // nil if the client stays
}

// work makes visits until ctx ends.
func (c *crew) work(ctx context.Context) {
	for ctx.Err() == nil {
		c.gate.visits.RLock()
		c.visit(ctx)
		c.gate.visits.RUnlock()
	}
}

// visit does some things as one client. What was begun is done to its end, whatever becomes of ctx.
func (c *crew) visit(until context.Context) {
	ctx := context.WithoutCancel(until)
	v := &visit{Rand: c.rand}
	v.halts, _ = c.clock.halted()
	c.perform(ctx, v, act[client]{name: "beginning of a session", do: func(ctx context.Context, v *visit, _ client) (err error) {
		v.client, err = c.meet(ctx)
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
		if halts, _ := c.clock.halted(); halts != v.halts {
			c.abandon(ctx, v)
			return
		}
		a := c.choose(v.revision())
		if c.perform(ctx, v, a, a.isFault) {
			c.abandon(ctx, v)
			return
		}
	}
	if c.part != nil {
		c.perform(ctx, v, act[client]{name: "end of a session", do: func(ctx context.Context, v *visit, _ client) error { return c.part(ctx, v) }}, true)
	}
}

// abandon ends what is the client's own after a halt: there may be no session any more.
func (c *crew) abandon(ctx context.Context, v *visit) {
	if c.part == nil {
		return
	}
	ctx, done := c.clock.patient(ctx)
	defer done()
	_ = v.close(ctx) // if it is there
}

// pause waits, unless ctx ends.
func (c *crew) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// choose returns what to do next.
func (c *crew) choose(rev revision) act[client] {
	sum := 0
	fit := c.acts[:0:0]
	for _, a := range c.acts {
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

// perform does one thing, and notes how it went. It reports whether it could not be done for a halt of this program
// since the last thing was.
func (c *crew) perform(ctx context.Context, v *visit, a act[client], isFault bool) (disturbed bool) {
	ctx, done := c.clock.patient(ctx)
	defer done()
	v.checked, v.last = 0, nil
	begun := time.Now()
	err := a.do(ctx, v, v.client)
	c.tally.did(a.name, isFault, v.checked, time.Since(begun))
	before := v.halts
	v.halts, _ = c.clock.halted()
	switch {
	case err == nil:
	case errors.Is(err, errLost):
		c.tally.lose()
	case v.halts != before && isAbsence(err):
		c.tally.disturb(c.name, a.name, err)
		return true
	default:
		c.tally.wrong(c.name, a.name, v.last, err)
	}
	return false
}

// as makes acts of one kind of client acts of any, of which there is that kind.
func as[C client](acts []act[C], isFault bool) []act[client] {
	all := make([]act[client], 0, len(acts))
	for _, a := range acts {
		all = append(all, act[client]{
			name: a.name, weight: a.weight, since: a.since, until: a.until, isFault: isFault,
			do: func(ctx context.Context, v *visit, c client) error {
				return a.do(ctx, v, c.(C)) //nolint:errcheck // see crews
			},
		})
	}
	return all
}

// crews returns those who visit the hosts, so many of each revision and transport, and who starts and ends
// servers.
func (s *soak) crews(clients int, gap time.Duration) []*crew {
	var all []*crew
	hire := func(c *crew) {
		c.soak, c.gap = s, gap
		c.rand = rand.New(rand.NewPCG(s.seed, uint64(len(all))))
		all = append(all, c)
	}
	for range clients {
		for _, h := range s.hosts {
			if h.link == nil {
				for _, rev := range revisions {
					hire(s.webCrew(h.base, rev))
				}
				continue
			}
			hire(&crew{name: h.name, acts: append(calls(), as(linkFaults(), true)...), meet: func(context.Context) (client, error) { return h.link, nil }})
		}
	}
	hire(&crew{name: "short-lived servers"})
	last := all[len(all)-1]
	last.gap = 3 * time.Second
	last.acts = s.episodes()
	last.meet = func(context.Context) (client, error) { return nobody{}, nil }
	return all
}

// webCrew returns a crew that visits over HTTP.
func (s *soak) webCrew(base string, rev revision) *crew {
	c := &crew{name: "http " + string(rev)}
	if rev == revisions[0] {
		c.acts = append(calls(), as(linkFaults(), true)...)
		c.meet = func(ctx context.Context) (client, error) {
			return openSSE(ctx, s.http, base, s.wrongFrom(c.name))
		}
		c.part = func(ctx context.Context, v *visit) error { return v.close(ctx) }
		return c
	}
	c.acts = append(calls(), as(webFaults(), true)...)
	c.meet = func(ctx context.Context) (client, error) { return openPoster(ctx, rev, s.http, base) }
	if rev != modern {
		c.part = (&farewell{clock: s.clock}).part
	}
	return c
}

// farewell is how the clients of a crew leave their sessions: in order, or not.
type farewell struct {
	*clock
	left *poster       // that was not ended
	when time.Duration // of the clock
}

func (f *farewell) part(ctx context.Context, v *visit) error {
	p := v.client.(*poster) //nolint:errcheck // no others have sessions
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
