package admission

import (
	"sync"
	"time"
)

// Repeated limits log records about events that clients can cause: one per interval is admitted, and the others are
// counted. The zero value admits the first. It is safe for concurrent use.
type Repeated struct {
	mu      sync.Mutex
	next    time.Time
	skipped int
}

// Admit reports whether an event is admitted: the previous one was admitted at least this interval ago. Then it returns
// the number of events since that were not.
func (r *Repeated) Admit(interval time.Duration) (skipped int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Before(r.next) {
		r.skipped++
		return 0, false
	}
	skipped, r.skipped, r.next = r.skipped, 0, now.Add(interval)
	return skipped, true
}
