package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// guardedQueue is like [guardedStore], for the methods of a [task.Queue].
type guardedQueue struct {
	*guardedStore
	kept  task.Queue
	lease time.Duration
}

// newGuardedQueue returns the guarded queue of a store; nil if the store is not a queue.
func newGuardedQueue(guarded *guardedStore) *guardedQueue {
	kept, ok := guarded.kept.(task.Queue)
	if !ok {
		return nil
	}
	return &guardedQueue{guardedStore: guarded, kept: kept, lease: max(leaseTime(kept), minLease)}
}

// leaseTime returns the time of a lease; 0 if the queue panics.
func leaseTime(q task.Queue) time.Duration {
	defer func() { _ = recover() }() // after a panic the queue is used with the shortest lease
	return q.LeaseTime()
}

// minLease is the minimum lease of a queue; a runner could not renew a shorter one in time.
const minLease = time.Second

// LeaseTime implements [task.Queue].
func (g *guardedQueue) LeaseTime() time.Duration { return g.lease }

// Claim implements [task.Queue]. It may take any time, but must return when its context ends.
func (g *guardedQueue) Claim(ctx context.Context, owner string) (task.Record, error) {
	r, err := apart(ctx, g.guardedStore, func(ctx context.Context) (task.Record, error) { return g.kept.Claim(ctx, owner) })
	if err == nil && (r.Durable == nil || r.Durable.Epoch == 0 || r.Status.Ended()) {
		return task.Record{}, g.invalid(ctx, fmt.Errorf("the queue has given a task that cannot be run: it is %s, and durable: %t", r.Status, r.Durable != nil))
	}
	return g.checked(ctx, &r, r.ID, err)
}

// Renew implements [task.Queue].
func (g *guardedQueue) Renew(ctx context.Context, id string, epoch uint64) error {
	_, err := guarded(ctx, g.guardedStore, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.kept.Renew(ctx, id, epoch) }, nil)
	return err
}

// Release implements [task.Queue].
func (g *guardedQueue) Release(ctx context.Context, id string, epoch uint64, why string) error {
	_, err := guarded(ctx, g.guardedStore, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.kept.Release(ctx, id, epoch, why) }, nil)
	return err
}
