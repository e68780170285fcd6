package task

import (
	"context"
	"time"
)

// Queue is a [Store] of tasks that can be run again by another process when the one that runs them has died. Its methods
// must be safe for concurrent use by every server that shares it. [tasktest.RunQueue] checks all of the rules here.
//
// Each durable task that has not ended has a lease, or is free. A lease lasts for LeaseTime after it was given or renewed,
// by the clock of the queue, and no longer. Create gives the lease of a durable record to whoever calls it: the record has
// epoch 1. When the lease has run out, or is released, the task is free, and one caller of Claim gets it, with the next
// epoch. So two processes may work on a task at the same time, if one of them does not notice that its lease has run out;
// but what it writes then is refused with [ErrStale], because each write has the epoch.
//
// [tasktest.RunQueue]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task/tasktest#RunQueue
type Queue interface {
	Store
	// LeaseTime returns how long a lease lasts unless it is renewed; at least a second, and always the same.
	LeaseTime() time.Duration
	// Claim waits until a durable task is free, gives its lease to owner, and returns the changed record: see [Claimed]. It
	// is changed as by Update, so its version is one higher. The error is that of ctx, or the queue's own.
	Claim(ctx context.Context, owner string) (Record, error)
	// Renew renews the lease of a task. The error is [ErrNotFound]; [ErrEnded]; [ErrStale] if the current run of the task is
	// not the one with this epoch, or if its lease has run out; or the queue's own.
	Renew(ctx context.Context, id string, epoch uint64) error
	// Release ends the lease of a task before its time, in good order, and changes its record: see [Released]. Then the task
	// is free. The errors are those of Renew.
	Release(ctx context.Context, id string, epoch uint64, why string) error
}

// Claimed returns the record to store when owner claims a durable task: with the next epoch and one attempt more. The
// version is still that of stored.
func Claimed(stored Record, owner string) Record {
	d := *stored.Durable
	d.Epoch, d.Owner, d.Attempts = d.Epoch+1, owner, d.Attempts+1
	stored.Durable = &d
	return stored
}

// Released returns the record to store when a durable task is released: attempts are counted from the beginning, and why is
// what was given as the reason. The version is still that of stored.
func Released(stored Record, why string) Record {
	d := *stored.Durable
	d.Attempts, d.GivenUp = 0, why
	stored.Durable = &d
	return stored
}
