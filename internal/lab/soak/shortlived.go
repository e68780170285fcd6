package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// noClient is the client of actions that need none.
type noClient struct{ client }

func (noClient) revision() revision { return modern }

// shortLived are actions that start a server and end it.
func (s *soak) shortLived() []action[client] {
	return as([]action[client]{
		{name: "stdio: end of the input", weight: 2, do: func(ctx context.Context, v *scenario, _ client) error {
			return s.endPipe(ctx, v, func(_ *child, l *streamClient) error { return l.closeInput() })
		}},
		{name: "stdio: SIGTERM", weight: 2, do: func(ctx context.Context, v *scenario, _ client) error {
			return s.endPipe(ctx, v, func(c *child, _ *streamClient) error { return c.cmd.Process.Signal(syscall.SIGTERM) })
		}},
		{name: "stdio: the client disconnects", weight: 2, do: s.vanish},
		{name: "http: SIGTERM", weight: 2, do: s.endHTTP},
	}, true)
}

// endPipe ends a server during calls, which it answers first.
func (s *soak) endPipe(ctx context.Context, v *scenario, end func(*child, *streamClient) error) error {
	rev := revisions[v.IntN(len(revisions))]
	c, l, err := s.openPipe(ctx, rev)
	if err != nil {
		return err
	}
	calls := map[*exchange]int64{}
	for range 1 + v.IntN(20) {
		n := v.Int64()
		x, err := l.begin(ctx, "tools/call", object{"name": "nap", "arguments": object{"n": n, "ms": v.IntN(500)}})
		if err != nil {
			return err
		}
		v.last = x.sent
		calls[x] = n
	}
	if _, err := l.request(ctx, "tools/list", nil); err != nil { // the server has read all of it
		return err
	}
	if err := end(c, l); err != nil {
		return err
	}
	for x, n := range calls {
		r, err := l.rest(ctx, x)
		if err != nil {
			return fmt.Errorf("a call is not answered at the end: %w", err)
		}
		v.checked++
		result, err := readResult(r)
		if err != nil {
			return err
		}
		if err := result.is(rev, server.Number{N: n}); err != nil {
			return err
		}
	}
	<-l.ended
	if !errors.Is(l.err, io.EOF) {
		return l.err
	}
	return c.wait()
}

// vanish disconnects a client during calls. The server exits then.
func (s *soak) vanish(ctx context.Context, v *scenario, _ client) error {
	c, l, err := s.openPipe(ctx, revisions[v.IntN(len(revisions))])
	if err != nil {
		return err
	}
	for range 1 + v.IntN(20) {
		if _, err := l.begin(ctx, "tools/call", object{"name": "report", "arguments": object{"steps": 1000, "ms": 5}}); err != nil {
			return err
		}
	}
	if v.IntN(2) == 0 {
		_ = c.in.Close() // the server's reaction is what is tested
	}
	_ = c.pipe.Close()
	<-l.ended
	return c.wait()
}

// endHTTP ends a server during calls of all revisions, which it answers first, and during a subscription, which it ends.
func (s *soak) endHTTP(ctx context.Context, v *scenario, _ client) error {
	c, base, err := s.openHTTP(ctx, "-poll=10s") // a client cannot resume a stream of a server that has exited
	if err != nil {
		return err
	}
	steps := 20 + v.IntN(80)
	begun, done := make(chan struct{}, len(revisions)), make(chan error, len(revisions))
	for _, rev := range revisions[1:] {
		p, err := openHTTPClient(ctx, rev, s.http, base)
		if err != nil {
			return err
		}
		go func() { done <- p.outlive(ctx, steps, begun) }()
	}
	p := &httpClient{rev: modern, http: s.http, base: base}
	w, err := p.subscribe(ctx)
	if err != nil {
		return err
	}
	for range revisions[1:] {
		<-begun
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	for range revisions[1:] {
		err = errors.Join(err, <-done)
		v.checked++
	}
	for range w.changed {
		continue // the subscription ends as well
	}
	_, _ = io.Copy(io.Discard, c.out)
	return errors.Join(err, w.stop(), c.wait())
}

// outlive makes a call that goes on when the server is told to end, and reports when it has begun.
func (p *httpClient) outlive(ctx context.Context, steps int, begun chan<- struct{}) error {
	id := p.last.Add(1)
	msg := request(p.rev, id, "tools/call", object{"name": "report", "arguments": object{"steps": steps, "ms": 5}})
	response, err := p.post(ctx, msg) //nolint:bodyclose // read to its end, or there is an error that ends it all
	begun <- struct{}{}               // the header comes with the first step
	if err != nil {
		return err
	}
	if !isEvents(response) {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("a call with progress is answered with %s", shorten(text))
	}
	r, err := p.follow(ctx, newEvents(response.Body), &reply{})
	if err != nil {
		return fmt.Errorf("revision %s: %w", p.rev, err)
	}
	if err := progressed(r.notes, steps); err != nil {
		return err
	}
	result, err := readResult(r)
	if err != nil {
		return err
	}
	return result.is(p.rev, server.Reported{Steps: steps})
}

// facts requests a server's figures about itself.
func facts(ctx context.Context, c client) (server.Facts, error) {
	var f server.Facts
	r, err := c.request(ctx, server.MethodFacts, nil)
	if err != nil {
		return f, err
	}
	if r.Error != nil {
		return f, r.Error
	}
	return f, json.Unmarshal(r.Result, &f)
}
