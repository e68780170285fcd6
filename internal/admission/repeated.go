package admission

import (
	"log/slog"
	"sync"
	"time"
)

// repeatedInterval is the minimum time between records at level error.
const repeatedInterval = time.Minute

// Repeated limits log records about failures that clients can cause. The zero value has logged nothing. It is safe for
// concurrent use.
type Repeated struct {
	mu      sync.Mutex
	next    time.Time
	skipped int
}

// Level returns the level for the record of another failure: error if none was logged at that level in the last minute,
// and otherwise debug. With level error it also returns the number of failures since the previous such record.
func (r *Repeated) Level() (level slog.Level, skipped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Before(r.next) {
		r.skipped++
		return slog.LevelDebug, 0
	}
	skipped, r.skipped, r.next = r.skipped, 0, now.Add(repeatedInterval)
	return slog.LevelError, skipped
}
