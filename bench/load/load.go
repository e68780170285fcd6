package load

import (
	"context"
	"sync"
	"time"
)

// A Load describes a load. Without Calls and Duration it goes on until the context ends.
type Load struct {
	// Concurrency is how many calls are in flight: in a closed loop always, 0 meaning 1; in an open loop at
	// most, 0 meaning 10 000.
	Concurrency int
	// Rate is the calls per second of an open loop, above 0. A closed loop ignores it.
	Rate float64
	// Calls is how many calls are made at most; 0 for any number.
	Calls int64
	// Duration is how long calls begin; those in flight then are waited for. 0 for any time.
	Duration time.Duration
}

// A Call makes one call. A [*CallError] has the kind of the failure; any other error counts as [TransportError]. It returns
// soon after ctx ends.
type Call func(ctx context.Context) error

// Closed keeps a number of calls in flight: each caller calls again as soon as it has its
// answer. It returns when all have theirs, or soon after ctx ends, with what there was until
// then.
func Closed(ctx context.Context, l Load, call Call) *Tally {
	l.Concurrency = max(l.Concurrency, 1)
	begin := time.Now()
	c := newCounter(l, begin)
	var callers sync.WaitGroup
	for range l.Concurrency {
		callers.Go(func() {
			for from := time.Now(); c.begin(ctx, from); {
				err := call(ctx)
				to := time.Now()
				c.end(ctx, from, to, err)
				from = to
			}
		})
	}
	callers.Wait()
	return c.close(begin)
}

// mostInFlight is how many calls an open loop has in flight if the load does not say.
const mostInFlight = 10_000

// Open makes calls at a rate, one every 1/Rate seconds, whether or not the ones before are
// answered. The latency of a call counts from when it was to be made. A server that stalls for a
// second therefore shows a second in the call that met the stall, almost as much in the next, and so
// on: what its callers would have waited. Where the number in flight has come to its limit, calls
// wait for a place, and that counts too.
//
// It returns when all calls are answered, or soon after ctx ends.
func Open(ctx context.Context, l Load, call Call) *Tally { return open(ctx, l, call, pause) }

func open(ctx context.Context, l Load, call Call, pause func(context.Context, time.Duration)) *Tally {
	if l.Concurrency <= 0 {
		l.Concurrency = mostInFlight
	}
	begin := time.Now()
	c := newCounter(l, begin)
	places := make(chan struct{}, l.Concurrency)
	var calls sync.WaitGroup
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
			calls.Wait()
			return c.close(begin)
		}
		c.late(time.Since(due))
		calls.Go(func() {
			err := call(ctx)
			c.end(ctx, due, time.Now(), err)
			<-places
		})
	}
	calls.Wait()
	return c.close(begin)
}
