package mcptool

import (
	"context"
	"math"
)

// Progress reports the progress of the running call to the client: done of total, in any unit, and a message for the
// user. A total of 0 or less means unknown. The value of done must increase with every report; a server drops a report
// in which it does not. Progress does nothing if the client has not asked for progress, if the call is over, without a
// server, or if a number is not finite. It is safe for concurrent use, and can be called in a loop: servers limit the
// rate of notifications.
func Progress(ctx context.Context, done, total float64, message string) {
	if !isFinite(done) || !isFinite(total) {
		return
	}
	if h := hostOf(ctx); h != nil {
		h.Progress(done, max(total, 0), message)
	}
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
