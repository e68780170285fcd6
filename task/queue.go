package task

import (
	"context"
	"time"
)

// Queue is a [Store] whose durable tasks can be run again by another process when the one that runs them has died. Its
// methods must be safe for concurrent use by every server that shares it, and return when ctx ends, like the methods of a Store.
// [tasktest.RunQueue] checks all of these rules.
//
// Each durable task that has not ended is either leased or free. A lease lasts for LeaseTime after it was given or
// renewed, by the clock of the queue. Create gives the lease of a durable record, which has epoch 1, to its caller.
// When the lease has expired or was released, the task is free; one caller of Claim gets it, with the next epoch. A
// process that has not noticed that its lease has expired may continue to run the task at the same time; but then its
// updates fail with [ErrStale], because each record has the epoch of its run.
//
// [tasktest.RunQueue]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task/tasktest#RunQueue
type Queue interface {
	Store
	// LeaseTime returns how long a lease lasts unless it is renewed. It is at least one second, and constant.
	LeaseTime() time.Duration
	// Claim waits until a durable task is free, gives its lease to owner, and returns the changed record, see
	// [Claimed]. The record is changed as by Update, so its version is one higher. The error is the one of ctx, or one
	// specific to the queue.
	Claim(ctx context.Context, owner string) (Record, error)
	// Renew renews the lease of a task. The error is [ErrNotFound]; [ErrEnded]; [ErrStale] if the current run of the
	// task does not have this epoch, or if its lease has expired; or one specific to the queue.
	Renew(ctx context.Context, id string, epoch uint64) error
	// Release ends the lease of a task before it expires, and changes the record, see [Released]. Then the task is
	// free. The argument why is the reason, for people. The errors are the same as for Renew.
	Release(ctx context.Context, id string, epoch uint64, why string) error
}

// Claimed returns the record to store when owner claims a durable task: with the next epoch and one more attempt. Its
// version is the version of stored.
func Claimed(stored Record, owner string) Record {
	d := *stored.Durable
	d.Epoch, d.Owner, d.Attempts = d.Epoch+1, owner, d.Attempts+1
	stored.Durable = &d
	return stored
}

// Released returns the record to store when a durable task is released: with no attempts, and with the reason why as
// GivenUp. Its version is the version of stored.
func Released(stored Record, why string) Record {
	d := *stored.Durable
	d.Attempts, d.GivenUp = 0, why
	stored.Durable = &d
	return stored
}
