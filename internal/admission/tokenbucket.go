package admission

import (
	"sync"
	"time"
)

// TokenBucket is a token bucket whose rate per second is also its size. The zero value is full. It is safe for
// concurrent use.
type TokenBucket struct {
	mu    sync.Mutex
	spent float64 // tokens that have not been refilled
	at    time.Time
}

// Take takes a token from a bucket with this rate, and reports whether one was available.
func (b *TokenBucket) Take(perSecond int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.spent = max(b.spent-now.Sub(b.at).Seconds()*float64(perSecond), 0)
	b.at = now
	if b.spent+1 > float64(perSecond) {
		return false
	}
	b.spent++
	return true
}
