package runtime

import (
	"sync/atomic"
	"time"
)

// schedule runs the call: at once, in the turn of the goroutine that has read it, if it is expected to be quick;
// otherwise in another goroutine, at once or when other calls have ended. It checks the in-flight limit first, so that
// a refused call does not wait.
func (r *request) schedule(c *call) *wireError {
	if err := r.from.inFlight.enter(c, r.memory); err != nil {
		return r.from.inFlight.refusal(c, err)
	}
	run := c.extras().taskRun()
	if run != nil {
		run.tie()
	}
	err := r.from.peer.run(r, c)
	if err != nil {
		r.from.inFlight.leave(c)
		if run != nil {
			run.untie()
		}
	}
	return err
}

// run implements [peer]. It chooses the goroutine that runs the call, and the replier for its messages.
func (s *Session) run(r *request, c *call) *wireError {
	if c.extras().taskRun() == nil && c.pace.isQuick() {
		if to, ok := r.to.(*reader); ok {
			return to.serve(c)
		}
	}
	c.answerThrough(r.later())
	return s.calls.admit(c) // queue.go
}

const (
	// quick is how long a call may take to count as quick.
	quick = time.Millisecond
	// patience is the number of consecutive quick calls after which a tool counts as quick again.
	patience = 8
)

// pace is whether the calls of one tool are usually quick. The goroutine that has read a call runs it if it is expected
// to be quick; any other call has its own goroutine. A tool is expected to be slow until a call was quick.
type pace struct {
	due atomic.Int32 // number of quick calls until the tool counts as quick
}

func newPace() *pace {
	p := new(pace)
	p.due.Store(1)
	return p
}

// isQuick reports whether the next call is expected to be quick.
func (p *pace) isQuick() bool { return p.due.Load() <= 0 }

// took records how long a call took.
func (p *pace) took(d time.Duration) {
	if d >= quick {
		p.due.Store(patience)
	} else if due := p.due.Load(); due > 0 {
		p.due.CompareAndSwap(due, due-1) // if this fails, another update won; either is fine
	}
}
