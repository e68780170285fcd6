package task

import (
	"context"
	"slices"
	"time"
)

// Leases keeps the leases of durable tasks for a [Queue] that one process has for itself. Make one with [NewLeases]. A
// Leases has no lock of its own: its methods are called with the lock of the queue held, but for Wait.
type Leases struct {
	time time.Duration
	held map[string]lease
	free []string      // ids, in the order in which they became free
	more chan struct{} // closed when there is a free one more, or the first lease
}

// lease is the lease of one task.
type lease struct {
	epoch uint64
	until time.Time
}

// NewLeases returns leases that last for d; zero or less means 15 s. Less than a second is a second.
func NewLeases(d time.Duration) *Leases {
	const usual = 15 * time.Second
	if d <= 0 {
		d = usual
	}
	return &Leases{time: max(d, time.Second), held: map[string]lease{}, more: make(chan struct{})}
}

// Time returns how long a lease lasts.
func (l *Leases) Time() time.Duration { return l.time }

// Give gives or renews the lease of a task.
func (l *Leases) Give(id string, epoch uint64) {
	l.Forget(id)
	if l.held[id] = (lease{epoch, time.Now().Add(l.time)}); len(l.held) == 1 { // otherwise another one runs out before
		l.wake()
	}
}

// Free makes a task free.
func (l *Leases) Free(id string) {
	l.Forget(id)
	l.free = append(l.free, id)
	l.wake()
}

// Forget removes a task, because it has ended or is not there any more.
func (l *Leases) Forget(id string) {
	delete(l.held, id)
	if i := slices.Index(l.free, id); i >= 0 {
		l.free = slices.Delete(l.free, i, i+1)
	}
}

// wake wakes those in Wait.
func (l *Leases) wake() {
	close(l.more)
	l.more = make(chan struct{})
}

// Has reports whether the run of a task with this epoch has its lease.
func (l *Leases) Has(id string, epoch uint64) bool {
	held, ok := l.held[id]
	return ok && held.epoch == epoch && time.Now().Before(held.until)
}

// Take returns a task that is free, or whose lease has run out, and forgets it. If there is none it returns what Wait
// needs.
func (l *Leases) Take() (id string, ok bool, w LeaseWait) {
	if len(l.free) > 0 {
		id, l.free = l.free[0], l.free[1:]
		return id, true, LeaseWait{}
	}
	w.more = l.more
	for other, held := range l.held {
		if id == "" || held.until.Before(w.until) {
			id, w.until = other, held.until
		}
	}
	if id != "" && !time.Now().Before(w.until) {
		delete(l.held, id)
		return id, true, LeaseWait{}
	}
	return "", false, w
}

// LeaseWait is what to wait for while no task is free.
type LeaseWait struct {
	more  <-chan struct{}
	until time.Time // zero if there is no lease
}

// Wait waits until there may be a free task, without the lock of the queue. The error is that of ctx.
func (w LeaseWait) Wait(ctx context.Context) error {
	var runsOut <-chan time.Time
	if !w.until.IsZero() {
		timer := time.NewTimer(time.Until(w.until))
		defer timer.Stop()
		runsOut = timer.C
	}
	select {
	case <-w.more:
		return nil
	case <-runsOut:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
