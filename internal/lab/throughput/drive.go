package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/load"
)

// drive keeps calls in flight for a time, at least one call each, and returns their number. It returns after all
// responses have arrived and were checked.
func (s *session) drive(ctx context.Context, j *judge, inFlight int, d time.Duration) (calls int, err error) {
	calls, err = s.load(ctx, j, load.Load{Concurrency: inFlight, Duration: d})
	if calls == 0 && err == nil { // the time was over before the first call
		calls, err = s.load(ctx, j, load.Load{Concurrency: inFlight, Calls: int64(inFlight)})
	}
	return calls, err
}

// load makes calls and checks the responses.
func (s *session) load(ctx context.Context, j *judge, l load.Load) (calls int, err error) {
	prepared, err := j.asked.prepare(ctx, s.client)
	if err != nil {
		return 0, err
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &checks{judge: j, open: map[int64]bool{}, fail: cancel}
	var tally *load.Tally
	if stream, ok := s.client.Stream(); ok {
		s.pipe.Wire, s.pipe.Timeout = checkedWire{stream, c}, answerTimeout
		tally = s.pipe.Closed(running, l, func(dst []byte, id int64) []byte {
			c.asked(id)
			return turn(prepared, id).Append(dst, id)
		})
	} else {
		tally = load.Closed(running, l, func(ctx context.Context) error {
			id := s.lastID.Add(1)
			c.asked(id)
			answer, err := s.client.RoundTrip(ctx, turn(prepared, id), id)
			if err == nil {
				c.answered(answer)
			}
			return err
		})
	}
	if running.Err() != nil {
		return 0, context.Cause(running)
	}
	refused := tally.Failures[load.ToolError] + tally.Failures[load.ProtocolError]
	if j.asked.invalid && tally.Failed() == refused && tally.OK() == 0 {
		return int(refused), nil
	}
	if tally.Failed() > 0 {
		kind := slices.Sorted(maps.Keys(tally.First))[0]
		return 0, fmt.Errorf("%d calls failed; the first %s: %s", tally.Failed(), kind, tally.First[kind])
	}
	return int(tally.OK()), nil
}

// turn returns the next call.
func turn(calls []*client.Prepared, id int64) *client.Prepared { return calls[id%int64(len(calls))] }

// checks reads the responses of one drive.
type checks struct {
	fail context.CancelCauseFunc // ends the drive

	mu    sync.Mutex
	judge *judge
	open  map[int64]bool // ids of the calls in flight
}

// asked records the start of a call.
func (c *checks) asked(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[id] = true
}

// answered checks a response, and that it is the only one to a call in flight.
func (c *checks) answered(answer []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, err := c.judge.judge(answer)
	switch {
	case err != nil:
		c.fail(err)
	case !c.open[id]:
		c.fail(fmt.Errorf("request %d was not asked, or is answered twice", id))
	}
	delete(c.open, id)
}

// A checkedWire is the pipes of a contender with checked responses.
type checkedWire struct {
	client.Stream
	*checks
}

// Tap implements [load.Wire].
func (w checkedWire) Tap(tap func(line []byte, last bool) bool) {
	if tap == nil {
		w.Stream.Tap(nil)
		return
	}
	w.Stream.Tap(func(line []byte, last bool) bool {
		w.answered(line)
		return tap(line, last)
	})
}
