package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// patience is how long anything may take before it counts as not answered.
const patience = 60 * time.Second

var errImpatient = errors.New("not done after " + patience.String())

// clock notices when this program was stopped for a while, by a debugger, by a laptop that was closed, by
// who wanted the machine for something else: the time does not count against the servers, which were
// stopped as well or not.
type clock struct {
	stops atomic.Int64
}

// startClock returns a clock that goes until ctx ends.
func startClock(ctx context.Context) *clock {
	c := &clock{}
	go func() {
		const tick, long = 500 * time.Millisecond, 5 * time.Second
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if now := time.Now(); now.Sub(last) > long {
				c.stops.Add(1)
			}
			last = time.Now()
		}
	}()
	return c
}

// patient returns a context that ends when patience does.
func (c *clock) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	stops := c.stops.Load()
	timer = time.AfterFunc(patience, func() {
		if now := c.stops.Load(); now != stops {
			stops = now
			timer.Reset(patience)
			return
		}
		cancel(errImpatient)
	})
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}
