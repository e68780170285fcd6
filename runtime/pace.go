package runtime

import (
	"sync/atomic"
	"time"
)

const (
	// quick is how long a call may take that need not have a goroutine of its own.
	quick = time.Millisecond
	// patience is how many quick calls in a row it takes to forget a slow one.
	patience = 8
)

// pace is how long the calls of one tool tend to take. A call that is expected to be
// quick is run by the goroutine that reads; any other has one of its own from the start. A
// tool has to show first that it is quick.
type pace struct {
	due atomic.Int32 // how many quick calls are still to be seen
}

func newPace() *pace {
	p := new(pace)
	p.due.Store(1)
	return p
}

// isQuick reports whether the next call is expected to be quick.
func (p *pace) isQuick() bool { return p.due.Load() <= 0 }

// took notes how long a call took.
func (p *pace) took(d time.Duration) {
	if d >= quick {
		p.due.Store(patience)
	} else if due := p.due.Load(); due > 0 {
		p.due.CompareAndSwap(due, due-1) // another call's word is as good as ours
	}
}
