package runtime

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// places are how many calls of one tool run at once, over all sessions.
type places struct {
	most     int           // how many there are
	room     int           // how many calls may wait for one
	patience time.Duration // how long each of them waits; 0: until its call ends

	mu      sync.Mutex
	taken   int
	waiting []chan struct{} // in the order they came; closed when given a place
}

// busyError refuses a call for which there is no place. Its text is for the model.
type busyError struct{ most int }

func (e *busyError) Error() string {
	return fmt.Sprintf("the tool is busy: at most %d of its calls run at once, and others wait already; call it again later", e.most)
}

// enter takes a place for c, and waits for one if need be. In the meantime other calls
// can run in the place that c has in its session.
func (p *places) enter(c *call) error {
	p.mu.Lock()
	if p.taken < p.most {
		p.taken++
		p.mu.Unlock()
		return nil
	}
	if len(p.waiting) >= p.room {
		p.mu.Unlock()
		return &busyError{p.most}
	}
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	c.handOver()
	c.session.stepAside(c)
	defer c.session.stepBack(c)
	return p.wait(c, turn)
}

// wait waits for the turn of c.
func (p *places) wait(c *call, turn chan struct{}) error {
	var late <-chan time.Time
	if p.patience > 0 {
		timer := time.NewTimer(p.patience)
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
		err = &busyError{p.most}
	}
	if !p.giveUp(turn) {
		p.leave() // the turn came at the same time
	}
	return err
}

// giveUp no longer waits for the turn; it reports whether it had not come.
func (p *places) giveUp(turn chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, turn)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	return i >= 0
}

// leave gives a place to who has waited longest, or back.
func (p *places) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.taken--
		return
	}
	close(p.waiting[0])
	p.waiting = slices.Delete(p.waiting, 0, 1)
}
