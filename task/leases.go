package task

import (
	"context"
	"slices"
	"time"
)

// Leases keeps the leases of durable tasks for a [Queue] that only one process uses. Create it with [NewLeases]. It is
// not safe for concurrent use: the queue must hold a lock when it calls a method other than Time.
type Leases struct {
	time time.Duration
	held map[string]lease
	free []string      // ids of free tasks, in the order in which they became free
	more chan struct{} // closed when a task becomes free, or the first lease is given
}

// lease is the lease of one task.
type lease struct {
	epoch uint64
	until time.Time
}

// NewLeases returns an empty Leases whose leases last for d. Zero or less means 15 s; other values below one second
// mean one second.
func NewLeases(d time.Duration) *Leases {
	const usual = 15 * time.Second
	if d <= 0 {
		d = usual
	}
	return &Leases{time: max(d, time.Second), held: map[string]lease{}, more: make(chan struct{})}
}

// Time returns how long a lease lasts.
func (l *Leases) Time() time.Duration { return l.time }

// Give gives the lease of a task to the run with this epoch, or renews it.
func (l *Leases) Give(id string, epoch uint64) {
	l.Forget(id)
	if l.held[id] = (lease{epoch, time.Now().Add(l.time)}); len(l.held) == 1 { // otherwise another lease expires earlier
		l.wake()
	}
}

// Free ends the lease of a task, which becomes free.
func (l *Leases) Free(id string) {
	l.Forget(id)
	l.free = append(l.free, id)
	l.wake()
}

// Forget removes a task, because it has ended or its record was removed.
func (l *Leases) Forget(id string) {
	delete(l.held, id)
	if i := slices.Index(l.free, id); i >= 0 {
		l.free = slices.Delete(l.free, i, i+1)
	}
}

// wake makes all calls of [LeaseWait.Wait] return.
func (l *Leases) wake() {
	close(l.more)
	l.more = make(chan struct{})
}

// Has reports whether the run of a task with this epoch has its lease, and the lease has not expired.
func (l *Leases) Has(id string, epoch uint64) bool {
	held, ok := l.held[id]
	return ok && held.epoch == epoch && time.Now().Before(held.until)
}

// Take returns the id of a task that is free or whose lease has expired, and removes the task. If there is none, ok is
// false, and w waits for the next one.
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

// LeaseWait waits for a free task. It is returned by [Leases.Take].
type LeaseWait struct {
	more  <-chan struct{}
	until time.Time // when the next lease expires; zero without leases
}

// Wait waits until a task may be free; then call [Leases.Take] again. It must be called without the lock of the queue.
// The error is the one of ctx.
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
