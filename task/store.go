package task

import (
	"context"
	"errors"
	"time"
)

// Errors returned by a [Store]; test with [errors.Is].
var (
	// ErrNotFound means that there is no task with this id, or no longer.
	ErrNotFound = errors.New("there is no such task")
	// ErrExists means that there is a task with this id already.
	ErrExists = errors.New("there is a task with this id")
	// ErrFull means that the store has reached a limit, of the principal or in total: it accepts no more tasks, or
	// has no room for the changed record.
	ErrFull = errors.New("the store of tasks is full")
	// ErrConflict means that the record has been changed since it was read.
	ErrConflict = errors.New("the task has been changed meanwhile")
	// ErrEnded means that the task has ended, and never changes again.
	ErrEnded = errors.New("the task has ended")
	// ErrInvalid means that a record cannot be that of a task, or not that of the same task.
	ErrInvalid = errors.New("the record is not one of this task")
)

// Store keeps the records of tasks. Its methods are safe for concurrent use, by every server that shares it, and
// return an error of ctx when ctx ends. To every method, a record whose TTL has passed does not exist. [tasktest.Run]
// checks all of this.
//
// A store returns records as they were put in: texts and numbers character by character, times as the same moment, and JSON
// with the same members in the same order; only white space between them may differ, and an empty slice is the same as nil.
// A server does not trust a store with that. What can be sent to no client it treats as an error of the store, and logs it:
// a record of another task, an unknown status, no version, no TTL, JSON that is not valid, and an outcome that does not fit
// the status, see [Record]. It cuts messages that are longer than its limit for texts.
//
// [tasktest.Run]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task/tasktest#Run
type Store interface {
	// Create stores a new record, with version 1. When it returns nil, the record is as durable as the store
	// promises. The error is [ErrExists], [ErrFull], [ErrInvalid] or the store's own.
	Create(ctx context.Context, r Record) error
	// Get returns the record, or [ErrNotFound].
	Get(ctx context.Context, id string) (Record, error)
	// Update stores r, which was read from the store and changed since, and returns it with its new version. The
	// error is [ErrNotFound]; [ErrEnded] if the task has ended; [ErrConflict] if the record has been changed since it
	// was read; [ErrInvalid] if id, principal or creation time differ; [ErrFull] if the store has no room for r; or
	// the store's own. [Next] decides between ErrEnded, ErrConflict and ErrInvalid. After an error the record is
	// unchanged. A store that returns ErrFull must still accept the end of the task without a result.
	Update(ctx context.Context, r Record) (Record, error)
	// Wait returns the record as soon as its version is above seen, at once if it already is. It may skip versions,
	// but never the last. The error is [ErrNotFound], also if the record expires meanwhile, or that of ctx. A server to
	// which Wait returns a version that is not above seen calls it again after a pause of up to 2 s.
	Wait(ctx context.Context, id string, seen uint64) (Record, error)
	// List returns the records of a principal, ordered by creation time and then by id: up to limit of those after
	// the record with the id after, from the first if that is "". If there is no record with the id after, the error
	// is [ErrNotFound]. It may leave out the results, errors and inputs.
	List(ctx context.Context, principal, after string, limit int) ([]Record, error)
	// Delete deletes a record, if it exists.
	Delete(ctx context.Context, id string) error
}

// Next returns what a store must store when its record stored is to be changed: the changed record with its next
// version, or the error that [Store.Update] returns.
func Next(stored, changed Record) (Record, error) { return stored.next(changed) }

// Valid reports whether r can be the record of a new task: one that is working, with an id, a TTL and version 1.
func Valid(r *Record) bool {
	return r.ID != "" && r.Status == Working && r.TTL > 0 && r.Version == 1 && !r.Created.IsZero()
}

// Change reads a record, applies change to it, and stores it. It repeats this after conflicts, until ctx ends, and
// after a few of them pauses between attempts, for up to 64 ms. It returns the new record. If change returns an
// error, Change returns that; if it changes nothing, nothing is stored. Updated is set to now. A task that has ended
// is not changed: the error is [ErrEnded], with the record.
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
