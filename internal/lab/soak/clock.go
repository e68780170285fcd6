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

	"github.com/mcptool-go/mcptool/bench/client"
)

// answerTimeout is how long anything may take before it counts as not answered.
const answerTimeout = 60 * time.Second

var errTimeout = errors.New("not done after " + answerTimeout.String())

const (
	tick = 500 * time.Millisecond
	// longSuspension is how long this program must have been suspended for that to excuse a missing answer. A busy
	// server does not suspend it: only the client that has asked waits for the answer.
	longSuspension = 3 * time.Second
)

// clock measures how long this program has run, and detects when it was suspended: by a debugger, by a laptop that was
// closed, by an overloaded machine. That time does not count against the servers, whether or not they were suspended
// too.
type clock struct {
	mu          sync.Mutex
	ran         time.Duration // in ticks
	suspensions int           // longer than longSuspension
	longest     time.Duration // suspension of any length
	waiting     map[*waiter]struct{}
}

// waiter is a context that ends at a time of the clock.
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
	if suspension := took - tick; suspension > longSuspension {
		c.suspensions++
		c.longest = max(c.longest, suspension)
	}
	for w := range c.waiting {
		if c.ran >= w.until {
			w.cancel(errTimeout)
		}
	}
}

// now returns how long the program has run, to the tick.
func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ran
}

// suspended returns how often this program was suspended for long, and the longest time.
func (c *clock) suspended() (times int, longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suspensions, c.longest
}

// withTimeout returns a context that ends after answerTimeout, by the clock.
func (c *clock) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &waiter{c.ran + answerTimeout + tick, cancel} // the tick that is under way is not a whole one
	c.waiting[w] = struct{}{}
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, w)
		cancel(nil)
	}
}

// isAbsence reports whether err means that an answer was missing or incomplete, or that a session was gone: a suspension
// can cause that. It cannot cause a wrong answer.
func isAbsence(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if status, ok := errors.AsType[*client.StatusError](err); ok {
		return status.Status == http.StatusNotFound
	}
	if p, ok := errors.AsType[*client.RPCError](err); ok {
		return p.Code == noSession.Code && p.Message == noSession.Message
	}
	for _, absence := range []error{errTimeout, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, absence) {
			return true
		}
	}
	return false
}

// noSession is the error that a client gets whose session has expired.
var noSession = client.RPCError{Code: -32600, Message: "unknown or expired session: begin a new one with initialize"}

// String says how often this program was stopped.
func (c *clock) String() string {
	times, longest := c.suspended()
	if times == 0 {
		return "this program was never suspended for long"
	}
	return fmt.Sprintf("this program was suspended for more than %v %d times, at most for %v", longSuspension, times, longest.Round(time.Millisecond))
}
