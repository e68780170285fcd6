package hang

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// Limit is the maximum processor time of an execution.
	Limit = slowdown * time.Second
	// tick is the interval of checks. It adds to both limits.
	tick = 100 * time.Millisecond
	// maxWait is the maximum number of ticks of an execution that only waits. A suspended process does not tick.
	maxWait = 600
	// minTicks is the minimum number of ticks of an execution that exceeds Limit. A virtual machine that was halted
	// counts that time as processor time, but has hardly ticked.
	minTicks = 8
)

// Watch watches the executions of a target, one at a time, until f ends. The returned func marks the beginning of an
// execution, and the func that it returns marks the end. Together they cost a few nanoseconds.
func Watch(f *testing.F) (begin func() (end func())) {
	f.Helper()
	w := new(watcher)
	stop := make(chan struct{})
	f.Cleanup(func() { close(stop) })
	go w.run(stop)
	end := func() { w.marks.Add(1) }
	return func() func() {
		w.marks.Add(1)
		return end
	}
}

// watcher observes executions from another goroutine.
type watcher struct {
	marks atomic.Uint64 // beginnings and ends; odd during an execution

	seen  uint64        // marks at the first tick of the current execution
	since time.Duration // processor time at that tick
	ticks int           // since then
}

// run checks at each tick until stop.
func (w *watcher) run(stop <-chan struct{}) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			if complaint := w.look(ProcessorTime()); complaint != "" {
				debug.SetTraceback("all")
				panic("hang: " + complaint) //nolint:forbidigo // the only way to end an execution from outside
			}
		}
	}
}

// look is one tick, at a processor time of the process. It returns the problem with the current execution, or "".
func (w *watcher) look(now time.Duration) string {
	marks := w.marks.Load()
	if marks%2 == 0 || marks != w.seen {
		w.seen, w.since, w.ticks = marks, now, 0
		return ""
	}
	w.ticks++
	switch used := now - w.since; {
	case used > Limit && w.ticks >= minTicks:
		return fmt.Sprintf("an execution has taken %v of processor time, and runs on", used.Round(tick))
	case w.ticks > maxWait:
		return "an execution waits for what does not come"
	}
	return ""
}
