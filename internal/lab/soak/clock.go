package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// patience is how long anything may take before it counts as not answered.
const patience = 60 * time.Second

var errImpatient = errors.New("not done after " + patience.String())

const (
	tick = 500 * time.Millisecond
	// longHalt is how long this program must have stood still for that to excuse anything. A server that is busy
	// does not have it stand still: nothing here waits for one but who has asked.
	longHalt = 3 * time.Second
)

// clock measures how long this program has run, and notices when it has not: when it was stopped by a debugger, by a
// laptop that was closed, by who wanted the machine for something else. That time does not count against the
// servers, which were stopped as well or not.
type clock struct {
	mu      sync.Mutex
	ran     time.Duration // in ticks
	halts   int           // longer than longHalt
	longest time.Duration // halt of any length
	waiting map[*waiter]struct{}
}

// waiter is who is patient until then.
type waiter struct {
	until  time.Duration
	cancel context.CancelCauseFunc
}

func newClock() *clock { return &clock{waiting: map[*waiter]struct{}{}} }

// startClock returns a clock that goes until ctx ends.
func startClock(ctx context.Context) *clock {
	c := newClock()
	go func() {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C: // one, however many were missed
			}
			now := time.Now()
			c.tick(now.Sub(last))
			last = now
		}
	}()
	return c
}

// tick notes that one tick has passed, in so much time.
func (c *clock) tick(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ran += tick
	if halt := took - tick; halt > longHalt {
		c.halts++
		c.longest = max(c.longest, halt)
	}
	for w := range c.waiting {
		if c.ran >= w.until {
			w.cancel(errImpatient)
		}
	}
}

// now returns how long the program has run, to the tick.
func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ran
}

// halted returns how often this program has stood still for long, and the longest time.
func (c *clock) halted() (times int, longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.halts, c.longest
}

// patient returns a context that ends when patience does.
func (c *clock) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &waiter{c.ran + patience + tick, cancel} // the tick that is under way is not a whole one
	c.waiting[w] = struct{}{}
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, w)
		cancel(nil)
	}
}

// isAbsence reports whether err says that an answer was not there, in time or in whole, or that a session was gone: what
// a halt can bring about. What an answer says it cannot.
func isAbsence(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.got == http.StatusNotFound
	}
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Code == noSession.Code && p.Message == noSession.Message
	}
	for _, absence := range []error{errImpatient, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, errEnded} {
		if errors.Is(err, absence) {
			return true
		}
	}
	return false
}

// noSession is what a client is told whose session has idled away.
var noSession = problem{-32600, "there is no such session, or no longer: begin with initialize"}

// errEnded is that a stream has ended from which an answer was to come.
var errEnded = errors.New("the stream has ended")

// String says how often this program was stopped.
func (c *clock) String() string {
	times, longest := c.halted()
	if times == 0 {
		return "this program was never stopped for long"
	}
	return fmt.Sprintf("this program was stopped for more than %v %d times, at most for %v", longHalt, times, longest.Round(time.Millisecond))
}
