package admission

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxCallers is how many callers a [RateLimiter] remembers, at about 300 bytes each.
	maxCallers = 10_000
	// evictionSample is how many callers are compared to find one to evict.
	evictionSample = 16
	// sweepInterval is the minimum time between two removals of callers with full buckets.
	sweepInterval = time.Second
)

// RateLimiter limits the rate of events of each caller with one token bucket per caller. It is safe for concurrent use.
type RateLimiter[K comparable] struct {
	rate  rate.Limit
	burst int

	last atomic.Pointer[bucket[K]] // of the last caller, which often is the next one as well; nil at first

	mu      sync.Mutex
	callers map[K]*rate.Limiter
	swept   time.Time
}

// bucket is the token bucket of one caller.
type bucket[K comparable] struct {
	who    K
	tokens *rate.Limiter
}

// NewRateLimiter returns a limiter that allows each caller a number of events per interval, and a burst.
func NewRateLimiter[K comparable](events int, per time.Duration, burst int) *RateLimiter[K] {
	return &RateLimiter[K]{rate: rate.Limit(float64(events) / per.Seconds()), burst: burst, callers: map[K]*rate.Limiter{}}
}

// Take takes a token of a caller and returns 0, or returns the time until a token is available.
func (r *RateLimiter[K]) Take(who K, now time.Time) (wait time.Duration) {
	if last := r.last.Load(); last != nil && last.who == who && last.tokens.AllowN(now, 1) && r.last.Load() == last {
		return 0 // last is unchanged, so the bucket had not been removed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	tokens := r.of(who, now)
	if tokens.AllowN(now, 1) {
		return 0
	}
	next := tokens.ReserveN(now, 1)
	if wait = next.DelayFrom(now); wait > 0 {
		next.CancelAt(now)
	}
	return wait
}

// of returns the bucket of a caller, which it creates if necessary. r.mu must be locked.
func (r *RateLimiter[K]) of(who K, now time.Time) *rate.Limiter {
	if tokens := r.callers[who]; tokens != nil {
		if last := r.last.Load(); last == nil || last.who != who {
			r.last.Store(&bucket[K]{who, tokens})
		}
		return tokens
	}
	if now.Sub(r.swept) >= sweepInterval {
		r.sweep(now)
	}
	if len(r.callers) >= maxCallers {
		r.evict(now)
	}
	tokens := rate.NewLimiter(r.rate, r.burst)
	r.callers[who] = tokens
	return tokens
}

// evict removes the caller with the most tokens in a random sample, so that new callers are accepted. It does not
// weaken the limit much: a caller with enough addresses to be evicted could call more often by using these addresses.
func (r *RateLimiter[K]) evict(now time.Time) {
	last := r.last.Load()
	var fullest K
	most, left := math.Inf(-1), evictionSample
	for who, tokens := range r.callers { // in random order
		if last != nil && last.who == who { // it may be taking a token without the lock
			continue
		}
		if n := tokens.TokensAt(now); n > most {
			fullest, most = who, n
		}
		if left--; left == 0 {
			break
		}
	}
	delete(r.callers, fullest)
}

// sweep removes the callers whose buckets are full, except for the last one, which may be taking a token without the
// lock.
func (r *RateLimiter[K]) sweep(now time.Time) {
	r.swept = now
	last := r.last.Load()
	for who, tokens := range r.callers {
		if (last == nil || last.who != who) && tokens.TokensAt(now) >= float64(r.burst) {
			delete(r.callers, who)
		}
	}
}
