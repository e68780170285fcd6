// Package taskqueue helps to implement a [task.Queue] that only one process uses.
package taskqueue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// Leases keeps the leases of durable tasks for a [task.Queue] that only one process uses. Create it with [NewLeases].
// It is not safe for concurrent use: the queue must hold a lock when it calls a method other than Time.
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

// NewLeases returns an empty Leases whose leases last for d. Zero means 15 s; other durations below one second mean one
// second. It panics if d is negative.
func NewLeases(d time.Duration) *Leases {
	if err := setting.NotNegative("lease", d, "means the default, 15s"); err != nil {
		panic(fmt.Errorf("taskqueue: %w", err)) //nolint:forbidigo // as time.NewTicker does for a duration
	}
	return &Leases{time: max(cmp.Or(d, 15*time.Second), time.Second), held: map[string]lease{}, more: make(chan struct{})}
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

// wake ends the waits for a free task.
func (l *Leases) wake() {
	close(l.more)
	l.more = make(chan struct{})
}

// Has reports whether the run of a task with this epoch has its lease, and the lease has not expired.
func (l *Leases) Has(id string, epoch uint64) bool {
	held, ok := l.held[id]
	return ok && held.epoch == epoch && time.Now().Before(held.until)
}

// Take removes a task that is free or whose lease has expired, and returns its id. If there is none, the id is "", and
// wait waits until there may be one; then call Take again. Call wait without the lock of the queue. Its error is the one
// of ctx.
func (l *Leases) Take() (id string, wait func(ctx context.Context) error) {
	if len(l.free) > 0 {
		id, l.free = l.free[0], l.free[1:]
		return id, nil
	}
	var until time.Time // when the next lease expires; zero without leases
	for other, held := range l.held {
		if id == "" || held.until.Before(until) {
			id, until = other, held.until
		}
	}
	if id != "" && !time.Now().Before(until) {
		delete(l.held, id)
		return id, nil
	}
	more := l.more
	return "", func(ctx context.Context) error { return awaitFree(ctx, more, until) }
}

// awaitFree waits for more to be closed, or until a time that is not zero.
func awaitFree(ctx context.Context, more <-chan struct{}, until time.Time) error {
	var expired <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-more:
		return nil
	case <-expired:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
