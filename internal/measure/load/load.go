package load

import (
	"context"
	"time"
)

// A Load describes a load. Without Calls and Duration it lasts until the context ends.
type Load struct {
	// Concurrency is the number of calls in flight: constant in a closed loop, where 0 means 1; the maximum in an open
	// loop, where 0 means 10 000.
	Concurrency int
	// Rate is the number of calls per second of an open loop, above 0. A closed loop ignores it.
	Rate float64
	// Calls is the maximum number of calls; 0 means no limit.
	Calls int64
	// Duration is the time during which calls start; the load then waits for those in flight. 0 means no limit.
	Duration time.Duration
}

// A Call starts a call and passes its outcome to done, once, before or after it returns. A [*CallError] has the kind of
// the failure; any other error counts as [TransportError]. A Call returns an error, and does not call done, if no call can
// be started any more.
type Call func(ctx context.Context, done func(error)) error

// Closed keeps a number of calls in flight: each response starts the next call. It returns after the last response, or
// when ctx ends with the results until then.
func Closed(ctx context.Context, l Load, call Call) *Tally {
	l.Concurrency = max(l.Concurrency, 1)
	c := newCounter(l, time.Now())
	var next func(from time.Time)
	next = func(from time.Time) {
		if c.begin(ctx, from) {
			c.giveUp(call(ctx, func(err error) {
				to := time.Now()
				c.end(ctx, from, to, err)
				next(to)
				c.inFlight.Done()
			}))
		}
	}
	for range l.Concurrency {
		next(time.Now())
	}
	return c.close(ctx)
}

// mostInFlight is the default maximum number of calls in flight in an open loop.
const mostInFlight = 10_000

// Open starts a call every 1/Rate seconds, whether or not earlier calls have completed. The latency of a call counts
// from the time it was due. A server that stalls for a second therefore shows a latency of a second in one call,
// slightly less in the next, and so on, as independent callers would see it. If the limit of calls in flight is
// reached, the time until a call can start also counts.
//
// Open returns after the last response, or soon after ctx ends.
func Open(ctx context.Context, l Load, call Call) *Tally { return open(ctx, l, call, pause) }

func open(ctx context.Context, l Load, call Call, pause func(context.Context, time.Duration)) *Tally {
	if l.Concurrency <= 0 {
		l.Concurrency = mostInFlight
	}
	begin := time.Now()
	c := newCounter(l, begin)
	places := make(chan struct{}, l.Concurrency)
	for i := 0; ; i++ {
		due := begin.Add(time.Duration(float64(i) / l.Rate * float64(time.Second)))
		for wait := time.Until(due); wait > 0 && ctx.Err() == nil; wait = time.Until(due) {
			pause(ctx, wait) // a signal may end it early
		}
		if !c.begin(ctx, due) {
			break
		}
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return c.close(ctx)
		}
		c.late(time.Since(due))
		c.giveUp(call(ctx, func(err error) {
			c.end(ctx, due, time.Now(), err)
			<-places
			c.inFlight.Done()
		}))
	}
	return c.close(ctx)
}
