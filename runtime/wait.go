package runtime

import (
	"context"
	"time"
)

// sleep waits until the pause is over or ctx ends, and reports whether the pause is over.
func sleep(ctx context.Context, pause time.Duration) bool { return !wait(ctx.Done(), pause) }

// wait waits until done is closed, at most for this duration, and reports whether done was closed.
func wait(done <-chan struct{}, most time.Duration) bool {
	select {
	case <-done: // even if most has passed as well
		return true
	default:
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
