package runtime

import (
	"sync"
	"time"
)

// budget allows so many things per second, and as many at once. The zero value is full.
type budget struct {
	mu    sync.Mutex
	spent float64 // what has not been paid back yet
	at    time.Time
}

// take reports whether one more is allowed now.
func (b *budget) take(perSecond int) bool {
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
