package main

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// A sample has the results of one measurement of one contender, as far as they apply.
type sample struct {
	cpu  time.Duration // processor time of the server, per call if there are many
	rate float64       // completed calls per second
	peak int64         // peak memory in bytes
	wall time.Duration // wall time of operations that are not repeated
}

// A measure is one row: an operation of every contender.
type measure struct {
	name  string // for -only
	title string
	run   func(context.Context, *rig, contender) (sample, error)
	// only names the contenders; if empty, the result of general and the hand-tuned one.
	only []string
}

// measures returns the rows of all tables, in order.
func measures() []measure {
	return []measure{
		{name: "stdio-1", title: "stdio, get_weather, one at a time", run: overStdio(handshake, weatherQuestions, 1)},
		{name: "stdio-64", title: "stdio, get_weather, 64 in flight", run: overStdio(handshake, weatherQuestions, 64)},
		{name: "safe-1", title: "stdio, get_weather, one at a time, safe", run: overStdio(handshake, weatherQuestions, 1), only: safe()},
		{name: "safe-64", title: "stdio, get_weather, 64 in flight, safe", run: overStdio(handshake, weatherQuestions, 64), only: safe()},
		{name: "invalid-64", title: "stdio, get_weather, invalid arguments, 64 in flight", run: overStdio(handshake, invalidQuestions, 64), only: general()},
		{name: "modern-64", title: "stdio, get_weather, 64 in flight, 2026-07-28", run: overStdio(modern, weatherQuestions, 64)},
		{name: "orders-16", title: "stdio, search_orders (7 KB), 16 in flight", run: overStdio(handshake, ordersQuestions, 16)},
		{name: "echo-4", title: "stdio, echo of 64 KB, 4 in flight", run: overStdio(handshake, echoQuestions, 4)},
		{name: "rows-1mb", title: "stdio, big_rows, 1 MB", run: overStdio(handshake, bigQuestions(10_000), 1)},
		{name: "rows-10mb", title: "stdio, big_rows, 10 MB", run: overStdio(handshake, bigQuestions(100_000), 1)},
		{name: "http-1", title: "HTTP, get_weather, 1 connection", run: overHTTP(modern, 1)},
		{name: "http-16", title: "HTTP, get_weather, 16 connections", run: overHTTP(modern, 16)},
		{name: "http-64", title: "HTTP, get_weather, 64 connections", run: overHTTP(modern, 64)},
		{name: "session-16", title: "HTTP, get_weather, 16 connections of one session", run: overHTTP(handshake, 16), only: []string{ours}},
		{name: "session-64", title: "HTTP, get_weather, 64 connections of one session", run: overHTTP(handshake, 64), only: []string{ours}},
		{name: "list-1000", title: "tools/list of 1 000 tools, again", run: listAgain(1000), only: append(general(), copying)},
		{name: "start-1", title: "exec to a complete tools/list, 1 tool", run: startUp(1, 1), only: general()},
		{name: "start-100", title: "exec to a complete tools/list, 100 tools", run: startUp(100, 100), only: general()},
		{name: "start-1000", title: "exec to a complete tools/list, 1 000 tools", run: startUp(1000, 1000), only: general()},
		{name: "start-alike", title: "exec to a complete tools/list, 1 000 tools of one type", run: startUp(1000, 1), only: general()},
		{name: "page-first", title: "10 000 tools: the first page of tools/list", run: firstPage(false), only: general()},
		{name: "page-again", title: "10 000 tools: the first page once more", run: firstPage(true), only: general()},
	}
}

// general returns the contenders that support any number of tools.
func general() []string { return []string{byHand, ours, goSDK, mcpGo} }

// safe returns the contenders for the cost of safety features.
func safe() []string { return []string{ours, limited, audited, wrapped} }

// questioner creates questions.
type questioner func(context.Context) (*questions, error)

func bigQuestions(rows int) questioner {
	return func(ctx context.Context) (*questions, error) { return rowsQuestions(ctx, rows) }
}

// overStdio measures calls over stdio.
func overStdio(rev revision, ask questioner, inFlight int) func(context.Context, *rig, contender) (sample, error) {
	return func(ctx context.Context, r *rig, c contender) (sample, error) {
		q, err := ask(ctx)
		if err != nil {
			return sample{}, err
		}
		p, err := r.openStdio(ctx, c, rev)
		if err != nil {
			return sample{}, err
		}
		j := newJudge(q, rev)
		s, err := r.calls(p, func(d time.Duration) (int, error) { return p.drive(ctx, j, inFlight, d) })
		if err != nil {
			return sample{}, p.fail(err)
		}
		return s, p.end()
	}
}

// overHTTP measures calls over HTTP: in the modern era, or in a session.
func overHTTP(rev revision, connections int) func(context.Context, *rig, contender) (sample, error) {
	return func(ctx context.Context, r *rig, c contender) (sample, error) {
		q, err := weatherQuestions(ctx)
		if err != nil {
			return sample{}, err
		}
		p, err := r.openHTTP(ctx, c, rev)
		if err != nil {
			return sample{}, err
		}
		j := newJudge(q, rev)
		s, err := r.calls(p, func(d time.Duration) (int, error) { return p.drive(ctx, j, connections, d) })
		return s, errors.Join(err, p.end())
	}
}

// calls warms a server up and measures the calls of drive.
func (r *rig) calls(p *session, drive func(time.Duration) (calls int, err error)) (sample, error) {
	if _, err := drive(r.span / 3); err != nil {
		return sample{}, err
	}
	before, err := p.cpu()
	if err != nil {
		return sample{}, err
	}
	begin := time.Now()
	calls, err := drive(r.span)
	if err != nil {
		return sample{}, err
	}
	took := time.Since(begin)
	after, err := p.cpu()
	if err != nil {
		return sample{}, err
	}
	peak, err := p.peak()
	return sample{cpu: (after - before) / time.Duration(calls), rate: float64(calls) / took.Seconds(), peak: peak}, err
}

// listAgain measures a repeated tools/list.
func listAgain(tools int) func(context.Context, *rig, contender) (sample, error) {
	return func(ctx context.Context, r *rig, c contender) (sample, error) {
		p, err := r.openStdio(ctx, c, handshake, "-many", strconv.Itoa(tools))
		if err != nil {
			return sample{}, err
		}
		s, err := r.calls(p, func(d time.Duration) (calls int, err error) {
			for begin := time.Now(); calls == 0 || time.Since(begin) < d; calls++ {
				if err := p.list(ctx, tools); err != nil {
					return 0, err
				}
			}
			return calls, nil
		})
		if err != nil {
			return sample{}, p.fail(err)
		}
		return s, p.end()
	}
}

// startUp measures the time from the start of the process to the last page of tools/list. The tools are of several
// kinds, each with its own types.
func startUp(tools, kinds int) func(context.Context, *rig, contender) (sample, error) {
	return func(ctx context.Context, r *rig, c contender) (sample, error) {
		begin := time.Now()
		p, err := r.openStdio(ctx, c, handshake, "-many", strconv.Itoa(tools), "-kinds", strconv.Itoa(kinds))
		if err != nil {
			return sample{}, err
		}
		if err := p.list(ctx, tools); err != nil {
			return sample{}, p.fail(err)
		}
		return p.since(begin, 0)
	}
}

// firstPage measures the time of tools/list, either the first one after the handshake or the second.
func firstPage(again bool) func(context.Context, *rig, contender) (sample, error) {
	return func(ctx context.Context, r *rig, c contender) (sample, error) {
		p, err := r.openStdio(ctx, c, handshake, "-many", "10000")
		if err != nil {
			return sample{}, err
		}
		if again {
			if _, err := p.request(ctx, "tools/list", nil); err != nil {
				return sample{}, p.fail(err)
			}
		}
		before, err := p.cpu()
		if err != nil {
			return sample{}, p.fail(err)
		}
		begin := time.Now()
		if _, err := p.request(ctx, "tools/list", nil); err != nil {
			return sample{}, p.fail(err)
		}
		return p.since(begin, before)
	}
}

// since returns the cost until the last response arrived, and ends the session.
func (p *session) since(begin time.Time, before time.Duration) (sample, error) {
	s := sample{wall: p.answered.Sub(begin)}
	after, err := p.cpu()
	if err != nil {
		return sample{}, p.fail(err)
	}
	s.cpu = after - before
	if s.peak, err = p.peak(); err != nil {
		return sample{}, p.fail(err)
	}
	return s, p.end()
}
