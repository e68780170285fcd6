package hang

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// Limit is how much processor time an execution may take.
	Limit = time.Second
	// tick is how often a watcher looks. It adds as much to both limits.
	tick = 100 * time.Millisecond
	// maxWait is how many ticks an execution may last that only waits. A stopped process
	// does not tick.
	maxWait = 600
	// minTicks is how many ticks an execution that takes too much has lasted. A virtual machine
	// that was halted counts that as time of whatever ran, and has hardly ticked.
	minTicks = 8
)

// Watch watches the executions of a target, one at a time, until f ends. The func it returns marks the begin of an
// execution, and the func that this returns marks its end. Together they cost a few nanoseconds.
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

// watcher looks at executions from the outside.
type watcher struct {
	marks atomic.Uint64 // begins and ends; odd while an execution runs

	seen  uint64        // marks, at the first tick of the execution that runs
	since time.Duration // processor time at that tick
	ticks int           // since then
}

// run looks on until stop.
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
				panic("hang: " + complaint) //nolint:forbidigo // all that ends an execution from outside
			}
		}
	}
}

// look is one tick, at a processor time of the process. It returns what is wrong with the
// execution that runs, "" if nothing.
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
