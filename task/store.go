package task

import (
	"context"
	"errors"
	"time"
)

// What a [Store] says no with; test with [errors.Is].
var (
	// ErrNotFound says that there is no task of this id, or none any more.
	ErrNotFound = errors.New("there is no such task")
	// ErrExists says that there is a task of this id already.
	ErrExists = errors.New("there is a task with this id")
	// ErrFull says that the store takes no more tasks, or has no room for what a record is to become, of this principal or
	// at all.
	ErrFull = errors.New("the store of tasks is full")
	// ErrConflict says that the record has been changed since it was read.
	ErrConflict = errors.New("the task has been changed meanwhile")
	// ErrEnded says that the task has ended, and never changes again.
	ErrEnded = errors.New("the task has ended")
	// ErrInvalid says that a record cannot be one of a task, or not of the same.
	ErrInvalid = errors.New("the record is not one of this task")
)

// Store keeps the records of tasks. Its methods are safe for concurrent use, by every server
// that shares it, and end with an error of ctx when that ends. A record whose TTL has passed is
// not there, for any method. [tasktest.Run] checks all of this.
//
// [tasktest.Run]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task/tasktest#Run
type Store interface {
	// Create stores a new record, with version 1. When it returns nil, the record survives what
	// the store promises to survive. The error is [ErrExists], [ErrFull], [ErrInvalid] or the
	// store's own.
	Create(ctx context.Context, r Record) error
	// Get returns the record, or [ErrNotFound].
	Get(ctx context.Context, id string) (Record, error)
	// Update stores r, which was read from the store and changed since, and returns it with its
	// new version. The error is [ErrNotFound]; [ErrEnded] if the task has ended;
	// [ErrConflict] if somebody else has changed the record since it was read; [ErrInvalid]
	// if id, principal or time of creation are others; [ErrFull] if r is larger than the store has room for; or the
	// store's own. [Next] decides between the first four. After an error the record is as it was. A store that returns
	// ErrFull takes the end of the task without a result instead.
	Update(ctx context.Context, r Record) (Record, error)
	// Wait returns the record as soon as its version is above seen, at once if it is already.
	// It may skip versions, never the last. The error is [ErrNotFound], also when the record
	// expires meanwhile, or that of ctx.
	Wait(ctx context.Context, id string, seen uint64) (Record, error)
	// List returns the records of a principal, in the order of creation and, for those of one time,
	// of ids: up to limit of those that come after the record whose id is after, from the
	// first if that is "". If there is no record after is the id of, the error is [ErrNotFound].
	List(ctx context.Context, principal, after string, limit int) ([]Record, error)
	// Delete forgets a record, if it is there.
	Delete(ctx context.Context, id string) error
}

// Next returns what a store has to store when its record is stored and is to be changed: the
// changed record with its next version, or the error that [Store.Update] returns.
func Next(stored, changed Record) (Record, error) { return stored.next(changed) }

// Valid reports whether r can be the record of a new task: one that works, with an id, a TTL and
// version 1.
func Valid(r *Record) bool {
	return r.ID != "" && r.Status == Working && r.TTL > 0 && r.Version == 1 && !r.Created.IsZero()
}

// Change reads a record, applies change to it, and stores it, again and again until nobody
// comes in between, or ctx ends. It returns the record as it is then. If change returns an error, that is
// it; if it changes nothing, nothing is stored. Updated is set to now. A task that
// has ended is not changed: the error is [ErrEnded], with the record. After a few conflicts it
// pauses between attempts, for up to 64 ms.
func Change(ctx context.Context, s Store, id string, change func(*Record) error) (Record, error) {
	for attempt := 0; ; attempt++ {
		r, err := s.Get(ctx, id)
		if err != nil {
			return Record{}, err
		}
		if r.Status.Ended() {
			return r, ErrEnded
		}
		changed := r
		if err := change(&changed); err != nil {
			return r, err
		}
		if changed.equal(&r) {
			return r, nil
		}
		changed.Updated = time.Now().UTC()
		stored, err := s.Update(ctx, changed)
		if err == nil || !errors.Is(err, ErrConflict) && !errors.Is(err, ErrEnded) {
			return stored, err
		}
		if !pause(ctx, attempt) {
			return r, errors.Join(ctx.Err(), err)
		}
	}
}

// pause waits before the next attempt of [Change], unless there were few. It reports whether there is to be one: a store
// that conflicts forever is not asked once ctx has ended.
func pause(ctx context.Context, attempt int) bool {
	const atOnce, longest = 8, 64 * time.Millisecond
	if attempt < atOnce {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(min(time.Millisecond<<min(attempt-atOnce, 10), longest))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
