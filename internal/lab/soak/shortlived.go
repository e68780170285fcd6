package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// shortLived returns the actions that start and stop a server.
func (s *soak) shortLived() []action {
	return []action{
		{name: "stdio: end of the input", isFault: true, weight: 2, do: func(ctx context.Context, v *scenario) error {
			return s.endPipe(ctx, v, func(l *session) error {
				stream, _ := l.Stream()
				stream.CloseWrite()
				return nil
			})
		}},
		{name: "stdio: SIGTERM", isFault: true, weight: 2, do: func(ctx context.Context, v *scenario) error {
			return s.endPipe(ctx, v, func(l *session) error { return syscall.Kill(l.PID(), syscall.SIGTERM) })
		}},
		{name: "stdio: the client disconnects", isFault: true, weight: 2, do: s.vanish},
		{name: "http: SIGTERM", isFault: true, weight: 2, do: s.endHTTP},
	}
}

// endPipe stops a server during calls, which it answers first.
func (s *soak) endPipe(ctx context.Context, v *scenario, end func(*session) error) (err error) {
	rev := revisions[v.IntN(len(revisions))]
	l, err := s.dialPipe(ctx, rev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.exit()) }()
	type answer struct {
		n    int64
		text []byte
		err  error
	}
	answers := make(chan answer, 20)
	for range 1 + v.IntN(cap(answers)) {
		n := v.Int64()
		p, err := l.PrepareRequest("tools/call", encode(object{"name": "nap", "arguments": object{"n": n, "ms": v.IntN(500)}}))
		if err != nil {
			return err
		}
		id := l.begin()
		l.end(id)
		v.sent = p.Append(nil, id)
		if err := l.Start(ctx, p, id, func(text []byte, err error) { answers <- answer{n, text, err} }); err != nil {
			return err
		}
	}
	if _, err := l.Tools(ctx); err != nil { // the server has read all of it
		return err
	}
	if err := end(l); err != nil {
		return err
	}
	stream, _ := l.Stream()
	select {
	case <-stream.Dead(): // all calls have been answered, or have failed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	close(answers)
	for a := range answers {
		v.checked++
		if a.err != nil {
			return a.err
		}
		var r reply
		if err := json.Unmarshal(a.text, &r); err != nil {
			return err
		}
		result, err := readResult(&r)
		if err != nil {
			return err
		}
		if err := result.is(rev, server.Number{N: a.n}); err != nil {
			return err
		}
	}
	return nil
}

// vanish disconnects a client during calls. The server must then exit.
func (s *soak) vanish(ctx context.Context, v *scenario) error {
	c, err := s.start(ctx)
	if err != nil {
		return err
	}
	meta := object{}
	if rev := revisions[v.IntN(len(revisions))]; rev == modern {
		meta["io.modelcontextprotocol/protocolVersion"] = rev
		meta["io.modelcontextprotocol/clientCapabilities"] = object{}
	} else {
		v.sent = encode(object{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": object{
			"protocolVersion": rev, "capabilities": object{}, "clientInfo": object{"name": "soak", "version": "1.0.0"},
		}})
		if _, err := fmt.Fprintf(c.in, "%s\n", v.sent); err != nil {
			return err
		}
		if _, err := c.out.ReadBytes('\n'); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.in, "%s\n", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
			return err
		}
	}
	for id := range 1 + v.IntN(20) {
		meta["progressToken"] = id
		v.sent = encode(object{"jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": object{
			"name": "report", "arguments": object{"steps": 1000, "ms": 5}, "_meta": meta,
		}})
		if _, err := fmt.Fprintf(c.in, "%s\n", v.sent); err != nil {
			return err
		}
	}
	if v.IntN(2) == 0 {
		_ = c.in.Close() // the test covers the server's reaction
	}
	_ = c.pipe.Close()
	return c.wait()
}

// endHTTP stops a server during calls of all revisions, which it answers first, and during a subscription, which it
// ends.
func (s *soak) endHTTP(ctx context.Context, v *scenario) (err error) {
	c, base, err := s.startHTTP(ctx, "-poll=10s") // a client cannot resume a stream of a server that has exited
	if err != nil {
		return err
	}
	steps := 20 + v.IntN(80)
	begun, done := make(chan string, len(revisions)), make(chan error, len(revisions))
	var w *client.Subscription
	for _, rev := range revisions[1:] {
		l, err := s.dialHTTP(ctx, rev, base)
		if err != nil {
			return err
		}
		defer func() { _ = l.Close() }() // the server that could end its session has exited
		if rev == modern {
			if w, err = l.Subscribe(ctx, ""); err != nil {
				return err
			}
		}
		go func() { done <- l.outlive(ctx, steps, begun) }()
	}
	for range revisions[1:] {
		if kind := <-begun; kind != eventStream {
			err = errors.Join(err, fmt.Errorf("call with progress: got content type %q, want a stream", kind))
		}
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	for range revisions[1:] {
		err = errors.Join(err, <-done)
		v.checked++
	}
	for range w.Changed() {
		continue // the subscription also ends
	}
	return errors.Join(err, w.Err(), c.end())
}

// outlive makes a call that continues when the server is asked to stop, and reports when it has started: the header of
// the response is sent with the first step.
func (v *session) outlive(ctx context.Context, steps int, begun chan<- string) error {
	ctx = context.WithValue(ctx, faultKey{}, &fault{begun: begun})
	r, err := v.request(ctx, "tools/call", object{"name": "report", "arguments": object{"steps": steps, "ms": 5}})
	if err != nil {
		return fmt.Errorf("revision %s: %w", v.rev, err)
	}
	if err := progressed(r.notes, steps); err != nil {
		return fmt.Errorf("revision %s: %w", v.rev, err)
	}
	result, err := readResult(r)
	if err != nil {
		return err
	}
	return result.is(v.rev, server.Reported{Steps: steps})
}
