package load

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// pause sleeps for d or until ctx ends; a signal may end it early. Go timers wake an idle program up to a millisecond
// late, which an open loop would count as latency of the server. So the last milliseconds are slept in the kernel,
// which is late by some tens of microseconds.
func pause(ctx context.Context, d time.Duration) {
	const last = 3 * time.Millisecond
	end := time.Now().Add(d)
	if d > last {
		timer := time.NewTimer(d - last)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
	if d = time.Until(end); d > 0 {
		t := unix.NsecToTimespec(int64(d))
		_ = unix.Nanosleep(&t, nil)
	}
}
