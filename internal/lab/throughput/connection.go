package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/load"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// revision is a protocol revision.
type revision string

// The revision over stdio is the newest one in which all servers behave the same.
const (
	legacy revision = "2025-06-18" // over stdio
	modern revision = "2026-07-28" // over HTTP
)

// callTimeout is the time limit of a call.
const callTimeout = time.Minute

// A connection is a connection to a running server.
type connection struct {
	client *client.Client
	rev    revision
	pid    int
	end    func() error // stops the server
	lastID atomic.Int64 // of calls
}

// openStdio starts a server that serves stdio, and connects to it.
func openStdio(ctx context.Context, s server) (*connection, error) {
	options := client.Options{Era: client.Legacy, Revision: string(legacy), Timeout: callTimeout}
	c, err := client.Dial(ctx, client.Target{Command: s.command()}, options)
	if err != nil {
		return nil, err
	}
	return &connection{client: c, rev: legacy, pid: c.PID(), end: c.Close}, nil
}

// openHTTP starts a server that serves HTTP, and connects to it.
func openHTTP(ctx context.Context, s server) (*connection, error) {
	p, url, err := s.serveHTTP(ctx)
	if err != nil {
		return nil, err
	}
	c, err := client.Dial(ctx, client.Target{URL: url}, client.Options{Era: client.Modern, Timeout: callTimeout})
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return &connection{client: c, rev: modern, pid: p.cmd.Process.Pid, end: func() error { return errors.Join(c.Close(), p.stop()) }}, nil
}

// cpu returns the user and system CPU time of all threads of the server so far.
func (c *connection) cpu() (time.Duration, error) { return process.Time(c.pid) }

// peak returns the peak resident memory of the server so far, in bytes.
func (c *connection) peak() (int64, error) { return process.Peak(c.pid) }

// drive keeps calls in flight for a duration, at least one call each, and returns their number. It returns after all
// responses have arrived and were checked.
func (c *connection) drive(ctx context.Context, check *checker, inFlight int, d time.Duration) (calls int, err error) {
	calls, err = c.load(ctx, check, load.Load{Concurrency: inFlight, Duration: d})
	if calls == 0 && err == nil { // the time was over before the first call
		calls, err = c.load(ctx, check, load.Load{Concurrency: inFlight, Calls: int64(inFlight)})
	}
	return calls, err
}

// load makes calls and checks the responses.
func (c *connection) load(ctx context.Context, check *checker, l load.Load) (calls int, err error) {
	prepared, err := check.calls.prepare(ctx, c.client)
	if err != nil {
		return 0, err
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	open := &openCalls{checker: check, ids: map[int64]bool{}, fail: cancel}
	tally := load.Closed(running, l, func(ctx context.Context, done func(error)) error {
		id := c.lastID.Add(1)
		open.sent(id)
		return c.client.Start(ctx, next(prepared, id), id, func(response []byte, err error) {
			if err == nil {
				open.received(response)
			}
			done(err)
		})
	})
	if running.Err() != nil {
		return 0, context.Cause(running)
	}
	if tally.Failed() > 0 {
		kind := slices.Sorted(maps.Keys(tally.First))[0]
		return 0, fmt.Errorf("%d calls failed; the first %s: %s", tally.Failed(), kind, tally.First[kind])
	}
	return int(tally.OK()), nil
}

// next returns the call to send with a request id.
func next(calls []*client.Prepared, id int64) *client.Prepared { return calls[id%int64(len(calls))] }
