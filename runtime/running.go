package runtime

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// add records that the func of a call begins.
func (r *runningCalls) add(c *call) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[c] = now
}

// remove records that the func of a call has returned.
func (r *runningCalls) remove(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.begun, c)
}

// logStuck logs each call that applies, whose context has ended but whose func has not returned, with the name of the
// tool, and for how long it has been running. A call is logged only once.
func (r *runningCalls) logStuck(applies func(*call) bool) {
	r.mu.Lock()
	begun := maps.Clone(r.begun)
	r.mu.Unlock()
	maps.DeleteFunc(begun, func(c *call, at time.Time) bool { // without the lock: a call may hold its own
		return at.IsZero() || c.Err() == nil || !applies(c)
	})
	for _, c := range slices.SortedFunc(maps.Keys(begun), func(a, b *call) int { return begun[a].Compare(begun[b]) }) {
		r.mu.Lock()
		at, isRunning := r.begun[c]
		if isRunning {
			r.begun[c] = time.Time{}
		}
		r.mu.Unlock()
		if isRunning && !at.IsZero() {
			c.from.log.LogAttrs(c.from.ctx, slog.LevelError, c.noun()+" ignores the end of its call", c.attr(),
				slog.Duration("elapsed", time.Since(at)), slog.Any("cause", context.Cause(c)))
		}
	}
}

// runningCalls are the calls of a server whose funcs have begun and not returned. They are kept to name in the log the
// funcs that ignore the end of their contexts: nothing else can.
type runningCalls struct {
	mu    sync.Mutex
	begun map[*call]time.Time // zero: it was logged
}
