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

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// answerTimeout is the time limit of any operation.
const answerTimeout = 60 * time.Second

var errTimeout = errors.New("not done after " + answerTimeout.String())

const (
	tick = 500 * time.Millisecond
	// longSuspension is the minimum suspension of this program that excuses a missing response. A busy server does not
	// suspend it: only the client of the request waits.
	longSuspension = 3 * time.Second
)

// clock measures how long this program has run, and detects suspensions: by a debugger, a closed laptop, or an
// overloaded machine. That time does not count against the servers, whether or not they were also suspended.
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

// startClock returns a clock that runs until ctx ends.
func startClock(ctx context.Context) *clock {
	c := newClock()
	go func() {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C: // only one, even if several were missed
			}
			now := time.Now()
			c.tick(now.Sub(last))
			last = now
		}
	}()
	return c
}

// tick records a tick that took a certain time.
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

// suspended returns the number of long suspensions of this program, and the longest time.
func (c *clock) suspended() (times int, longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suspensions, c.longest
}

// withTimeout returns a context that ends after answerTimeout of the clock.
func (c *clock) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &waiter{c.ran + answerTimeout + tick, cancel} // the current tick is partly over
	c.waiting[w] = struct{}{}
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, w)
		cancel(nil)
	}
}

// isAbsence reports whether err means a missing or incomplete response, or a lost session, which a suspension can
// cause. It cannot cause a wrong response.
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

// noSession is the error for a client with an expired session.
var noSession = client.RPCError{Code: -32600, Message: "unknown or expired session: begin a new one with initialize"}

// String describes the suspensions of this program.
func (c *clock) String() string {
	times, longest := c.suspended()
	if times == 0 {
		return "this program was never suspended for long"
	}
	return fmt.Sprintf("this program was suspended for more than %v %d times, at most for %v", longSuspension, times, longest.Round(time.Millisecond))
}
