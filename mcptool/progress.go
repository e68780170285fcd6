package mcptool

import (
	"context"
	"math"
)

// Progress reports to the client how far the running call is: done of total, in any unit, and a message for people. A
// total of 0 means unknown; done must grow from report to report, and a server drops a report in which it does not.
// Progress does nothing if the client did not ask for it, if the call is over, without a server, or if a number is
// not finite. It is safe for concurrent use and cheap enough for a loop: servers limit the rate.
func Progress(ctx context.Context, done, total float64, message string) {
	if !isFinite(done) || !isFinite(total) {
		return
	}
	if h := hostOf(ctx); h != nil {
		h.Progress(done, max(total, 0), message)
	}
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
