package runtime

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// places are how many calls of one tool run at once, over all sessions. Most calls find one free: they take no lock.
type places struct {
	most     int64         // how many there are
	patience time.Duration // how long a call waits for one, 0 if the tool has no timeout

	// taken is how many are taken, and queued besides while calls wait. Then all are taken, and only who holds mu
	// changes it.
	taken atomic.Int64

	mu      sync.Mutex
	waiting waitlist
}

// queued is more than there are places.
const queued = 1 << 62

// maxWait is how long a call waits for a slot of its endpoint or a place at its tool: about as long as clients wait for
// an answer. Trusted peers, tasks, and calls of tools with a timeout of their own are not bound by it where they wait for
// a place.
const maxWait = time.Minute

// busyError refuses a call for which there is no place or slot.
type busyError struct{ text string } // for the model

func (e *busyError) Error() string { return e.text }

// busy returns the refusal of a call for which there is no place.
func (p *places) busy() error {
	return &busyError{fmt.Sprintf("the tool is busy: at most %d of its calls run at once, and others wait already; call it again later", p.most)}
}

// enter takes a place for c, and waits for one if need be. In the meantime other calls
// can run in the place that c has in its session.
func (p *places) enter(c *call) error {
	if p.take() {
		return nil
	}
	who := c.access.Caller()
	turn, err := p.queue(who)
	if turn == nil {
		return err
	}
	c.handOver()
	c.session.stepAside(c)
	defer c.session.stepBack(c)
	return p.wait(c, who, turn)
}

// take takes a place if one is free and nobody waits for it.
func (p *places) take() bool {
	for {
		taken := p.taken.Load()
		if taken >= p.most {
			return false
		}
		if p.taken.CompareAndSwap(taken, taken+1) {
			return true
		}
	}
}

// queue returns a turn to wait for, nil if a place has become free and been taken, or nobody else may wait.
func (p *places) queue(who Caller) (turn chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.waiting.count == 0 && !p.taken.CompareAndSwap(p.most, p.most|queued) {
		if p.take() {
			return nil, nil
		}
	}
	if turn = p.waiting.add(who); turn == nil {
		p.settle()
		return nil, p.busy()
	}
	return turn, nil
}

// wait waits for the turn of c.
func (p *places) wait(c *call, who Caller, turn chan struct{}) error {
	var late <-chan time.Time
	if patience := p.patienceWith(c); patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	var err error
	select {
	case <-turn:
		return nil
	case <-c.Done():
		err = c.Err()
	case <-late:
		err = p.busy()
	}
	if !p.giveUp(who, turn) {
		p.leave() // the turn came at the same time
	}
	return err
}

// patienceWith returns how long c waits for a place; 0: until it ends.
func (p *places) patienceWith(c *call) time.Duration {
	if p.patience == 0 && c.access != nil && c.has().job == nil {
		return maxWait
	}
	return p.patience
}

// giveUp no longer waits for the turn; it reports whether it had not come.
func (p *places) giveUp(who Caller, turn chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting.remove(who, turn) {
		return false
	}
	p.settle()
	return true
}

// leave gives a place to who is next, or back.
func (p *places) leave() {
	for {
		taken := p.taken.Load()
		if taken >= queued {
			break
		}
		if p.taken.CompareAndSwap(taken, taken-1) {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.waiting.next(nil); !ok { // any more
		p.taken.Add(-1)
		return
	}
	p.settle()
}

// settle notes when nobody waits any more. The caller holds p.mu.
func (p *places) settle() {
	if p.waiting.count == 0 {
		p.taken.Store(p.most)
	}
}
