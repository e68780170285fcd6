package limit

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxCallers is how many callers a [RateLimiter] remembers. A caller takes some 300 bytes.
	maxCallers = 10_000
	// evictionSample is how many callers are compared to find one to forget.
	evictionSample = 16
	// sweepInterval is how often callers are removed that need not be remembered.
	sweepInterval = time.Second
)

// RateLimiter limits how often each caller does something, by a token bucket per caller. It is safe for concurrent use.
type RateLimiter[K comparable] struct {
	rate  rate.Limit
	burst int

	last atomic.Pointer[bucket[K]] // of the caller seen last, who may be the next one, too; nil if none is known

	mu      sync.Mutex
	callers map[K]*rate.Limiter
	swept   time.Time
}

// bucket is the tokens of one caller.
type bucket[K comparable] struct {
	who    K
	tokens *rate.Limiter
}

// NewRateLimiter returns a limiter that allows each caller a number of events per interval, and burst at once.
func NewRateLimiter[K comparable](events int, per time.Duration, burst int) *RateLimiter[K] {
	return &RateLimiter[K]{rate: rate.Limit(float64(events) / per.Seconds()), burst: burst, callers: map[K]*rate.Limiter{}}
}

// Take takes a token of a caller, or returns how long it takes until there is one.
func (r *RateLimiter[K]) Take(who K, now time.Time) (wait time.Duration) {
	if last := r.last.Load(); last != nil && last.who == who && last.tokens.AllowN(now, 1) && r.last.Load() == last {
		return 0 // and it was not removed before
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

// of returns the bucket of a caller. The caller of it holds r.mu.
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

// evict removes the caller with the most tokens of a random sample, so that new callers are not refused. A caller with enough
// addresses to be forgotten could call more often with these addresses.
func (r *RateLimiter[K]) evict(now time.Time) {
	last := r.last.Load()
	var fullest K
	most, left := math.Inf(-1), evictionSample
	for who, tokens := range r.callers { // in random order
		if last != nil && last.who == who { // who may be taking a token
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

// sweep removes the callers whose buckets are full, except for the last one, who may be taking a token.
func (r *RateLimiter[K]) sweep(now time.Time) {
	r.swept = now
	last := r.last.Load()
	for who, tokens := range r.callers {
		if (last == nil || last.who != who) && tokens.TokensAt(now) >= float64(r.burst) {
			delete(r.callers, who)
		}
	}
}
