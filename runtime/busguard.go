package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// busTime is how long a method of the Bus may take.
	busTime = 5 * time.Second
	// outageInterval is the minimum time between two logged outages, in case the Bus fails every other time.
	outageInterval = time.Minute
)

var errBusHangs = errors.New("the bus does not answer")

// busGuard calls one method of the Bus, which is not trusted to work. It logs when the method begins to fail and when
// it works again, but not each failure.
type busGuard struct {
	ctx  context.Context // of log records
	log  *slog.Logger
	what string // the consequence of a failing method, for the log

	mu     sync.Mutex
	failed time.Time // when the last logged outage began
	down   bool      // that outage is not over
}

// call calls the method, and returns a panic as an error. If the method does not return in time, call logs that, and
// continues to wait.
func (g *busGuard) call(method func() error) (err error) {
	late := time.AfterFunc(busTime, func() { g.fail(errBusHangs) })
	defer func() {
		late.Stop()
		if v := recover(); v != nil {
			err = fmt.Errorf("the bus has panicked: %v\n%s", v, debug.Stack())
		}
		if err != nil {
			g.fail(err)
		} else {
			g.work()
		}
	}()
	return method()
}

// fail logs the beginning of an outage.
func (g *busGuard) fail(err error) {
	g.mu.Lock()
	logs := !g.down && (g.failed.IsZero() || time.Since(g.failed) >= outageInterval)
	if logs {
		g.down, g.failed = true, time.Now()
	}
	g.mu.Unlock()
	if logs {
		g.log.LogAttrs(g.ctx, slog.LevelError, "the bus fails: "+g.what, slog.Any("error", err))
	}
}

// work logs the end of an outage whose beginning was logged.
func (g *busGuard) work() {
	g.mu.Lock()
	logs := g.down
	g.down = false
	g.mu.Unlock()
	if logs {
		g.log.LogAttrs(g.ctx, slog.LevelInfo, "the bus works again")
	}
}
