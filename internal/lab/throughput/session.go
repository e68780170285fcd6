package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/load"
	"github.com/mcptool-go/mcptool/bench/process"
)

// revision is a protocol revision.
type revision string

// The legacy era is represented by the newest revision in which all contenders behave the same.
const (
	handshake revision = "2025-06-18"
	modern    revision = "2026-07-28"
)

// answerTimeout is the time limit for a response.
const answerTimeout = time.Minute

// A session is a connection to a running contender over stdio or HTTP.
type session struct {
	client   *client.Client
	pid      int
	end      func() error // stops the contender
	pipe     load.Pipe    // over stdio
	lastID   atomic.Int64 // of requests, and of calls over HTTP
	answered time.Time    // when the last response to request arrived, before decoding
}

// options returns the client options for a revision.
func options(rev revision) client.Options {
	o := client.Options{Era: client.Modern, Timeout: answerTimeout}
	if rev != modern {
		o.Era, o.Revision = client.Legacy, string(rev)
	}
	return o
}

// openStdio starts a contender that serves stdio, and connects to it.
func (r *rig) openStdio(ctx context.Context, c contender, rev revision, args ...string) (*session, error) {
	cl, err := client.Dial(ctx, client.Target{Command: r.command(c, args...)}, options(rev))
	if err != nil {
		return nil, err
	}
	return &session{client: cl, pid: cl.PID(), end: cl.Close}, nil
}

// openHTTP starts a contender that serves HTTP, and connects to it.
func (r *rig) openHTTP(ctx context.Context, c contender, rev revision) (*session, error) {
	ch, address, err := r.start(ctx, c)
	if err != nil {
		return nil, err
	}
	cl, err := client.Dial(ctx, client.Target{URL: address}, options(rev))
	if err != nil {
		return nil, errors.Join(err, ch.stop())
	}
	return &session{client: cl, pid: ch.cmd.Process.Pid, end: func() error { return errors.Join(cl.Close(), ch.stop()) }}, nil
}

// cpu returns the user and system CPU time of all threads of the contender so far.
func (s *session) cpu() (time.Duration, error) { return process.Time(s.pid) }

// peak returns the peak resident memory of the contender so far, in bytes.
func (s *session) peak() (int64, error) { return process.Peak(s.pid) }

// fail stops the contender after an error.
func (s *session) fail(err error) error {
	_ = s.end() // err is more useful
	return err
}

// request sends one request and returns its result.
func (s *session) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	p, err := s.client.PrepareRequest(method, params)
	if err != nil {
		return nil, err
	}
	text, err := s.client.RoundTrip(ctx, p, s.lastID.Add(1))
	s.answered = time.Now()
	if err != nil {
		return nil, err
	}
	var answer struct{ Result json.RawMessage }
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	if answer.Result == nil {
		return nil, fmt.Errorf("%s was answered with %s", method, cut(text))
	}
	return answer.Result, nil
}
