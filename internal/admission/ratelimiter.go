package admission

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxCallers is how many callers a [RateLimiter] remembers, at about 300 bytes each.
	maxCallers = 10_000
	// sweepInterval is the minimum time between two removals of callers with full buckets.
	sweepInterval = time.Second
)

// RateLimiter limits the rate of events of each caller with one token bucket per caller. It is safe for concurrent use.
type RateLimiter[K comparable] struct {
	rate  rate.Limit
	burst int

	mu      sync.Mutex
	callers map[K]*rate.Limiter
	swept   time.Time
}

// NewRateLimiter returns a limiter that allows each caller a number of events per interval, and a burst.
func NewRateLimiter[K comparable](events int, per time.Duration, burst int) *RateLimiter[K] {
	return &RateLimiter[K]{rate: rate.Limit(float64(events) / per.Seconds()), burst: burst, callers: map[K]*rate.Limiter{}}
}

// Take takes a token of a caller and returns 0, or returns the time until a token is available.
func (r *RateLimiter[K]) Take(who K, now time.Time) (wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.bucket(who, now).ReserveN(now, 1)
	if wait = next.DelayFrom(now); wait > 0 {
		next.CancelAt(now)
	}
	return wait
}

// bucket returns the bucket of a caller, which it creates if necessary. If there are too many callers, it removes one at
// random, so that new callers are accepted. That does not weaken the limit: a caller with so many addresses that it can
// remove its own bucket could use them to call more often anyway. r.mu must be locked.
func (r *RateLimiter[K]) bucket(who K, now time.Time) *rate.Limiter {
	tokens := r.callers[who]
	if tokens != nil {
		return tokens
	}
	if now.Sub(r.swept) >= sweepInterval {
		r.sweep(now)
	}
	if len(r.callers) >= maxCallers {
		for other := range r.callers { // in random order
			delete(r.callers, other)
			break
		}
	}
	tokens = rate.NewLimiter(r.rate, r.burst)
	r.callers[who] = tokens
	return tokens
}

// sweep removes the callers whose buckets are full.
func (r *RateLimiter[K]) sweep(now time.Time) {
	r.swept = now
	for who, tokens := range r.callers {
		if tokens.TokensAt(now) >= float64(r.burst) {
			delete(r.callers, who)
		}
	}
}
