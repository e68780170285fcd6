package mcptool

import (
	"context"
	"math"
)

// Progress tells the client how far the running call is: done of total, in any unit,
// and a line for people. A total of 0 is unknown; done grows from report to report, and
// a server drops one that does not. It does nothing when the client did not ask, when
// the call is over, without a server, or when a number is not finite. It is safe for
// concurrent use and cheap enough for a loop: servers thin out floods.
func Progress(ctx context.Context, done, total float64, message string) {
	if !isFinite(done) || !isFinite(total) {
		return
	}
	if h := hostOf(ctx); h != nil {
		h.Progress(done, max(total, 0), message)
	}
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
