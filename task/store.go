package task

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
)

// Errors of a [Store]; test with [errors.Is].
var (
	// ErrNotFound means that no task has this id, or that it has expired or was deleted.
	ErrNotFound = errors.New("unknown task")
	// ErrExists means that a task with this id exists already.
	ErrExists = errors.New("a task with this id already exists")
	// ErrFull means that the store has reached a limit, for the owner or in total, and cannot store the new or
	// changed record.
	ErrFull = errors.New("the task store is full")
	// ErrConflict means that the record has been changed since it was read.
	ErrConflict = errors.New("the task has changed in the meantime")
	// ErrStale means that a later run of a durable task has begun, see [Durable.Epoch], or that the lease has expired.
	ErrStale = errors.New("another run of the task has started")
	// ErrEnded means that the task has ended, and so cannot change any more.
	ErrEnded = errors.New("the task has ended")
	// ErrInvalid means that a record is invalid, or that an update changes its id, owner or creation time.
	ErrInvalid = errors.New("the record does not belong to this task")
)

// Store keeps the records of tasks. Its methods must be safe for concurrent use by every server that shares it. When ctx
// ends, they must return soon, with the error of ctx unless they have succeeded; a server waits for them. For every
// method, a record whose TTL has passed does not exist.
//
// The ctx of each method except Wait ends after 10 s. If a method fails or panics, the client that needs the record gets
// an error. A slow method does not delay other requests. See New in package runtime/tasks.
//
// A store must return records as they were stored: with identical strings and numbers, the same instants of time, and
// JSON with the same members in the same order. Only spaces in JSON may differ, and a slice of another type than
// json.RawMessage may be nil instead of empty or the reverse. A server sends the JSON to clients without checking it.
// [tasktest.Run] checks all of these rules.
//
// [tasktest.Run]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task/tasktest#Run
type Store interface {
	// Create stores a new record, which has version 1. When it returns nil, the record is stored as durably as the
	// store guarantees. The error is [ErrExists] if a record with its id exists, [ErrFull], [ErrInvalid] if [Valid]
	// returns false, or one specific to the store. After ErrFull and ErrInvalid nothing is stored; after other errors
	// the record may be stored.
	Create(ctx context.Context, r Record) error
	// Get returns the record, or [ErrNotFound]. It calls [Reserve] with at least [Record.Size] before it reads the record.
	Get(ctx context.Context, id string) (Record, error)
	// Update replaces a record by r, which the caller has read from the store and changed, and returns r with its new
	// version. The error is [ErrNotFound]; [ErrEnded] if the task has ended; [ErrConflict] if the stored record has
	// changed since it was read; [ErrInvalid] if the id, the owner or the creation time differ, or if the status is
	// unknown; [ErrStale] if r is from an earlier run; [ErrFull] if the store has no room for r; or one specific to the
	// store. [Next] decides between ErrEnded, ErrStale, ErrConflict and ErrInvalid. After an error the stored record is
	// unchanged. A store that returns ErrFull must still accept an update that ends the task without a result.
	Update(ctx context.Context, r Record) (Record, error)
	// Wait returns the record as soon as its version is greater than seen, which may be at once. It may skip versions,
	// but never the latest. The error is [ErrNotFound], including if the record expires or is deleted meanwhile, or the
	// error of ctx. Like Get it calls [Reserve], but only before it reads the record that it returns.
	Wait(ctx context.Context, id string, seen uint64) (Record, error)
	// List returns the records of an owner, ordered by creation time and then by the bytes of the id: at most limit
	// records, beginning after the one with the id after, or with the first one if after is "". If the owner has no
	// record with the id after, the error is [ErrNotFound]. The records are without Result, Error, Inputs and Durable (see
	// [Record.Head]), which List must not read at all. List calls [Reserve] with at least the sizes of the records
	// before it reads them.
	List(ctx context.Context, owner Owner, after string, limit int) ([]Record, error)
	// Delete deletes a record. It returns nil if the record does not exist.
	Delete(ctx context.Context, id string) error
}

// Next implements the decision of [Store.Update]: it returns the record that replaces stored, which is changed with its
// new version, or the error that Update must return: [ErrEnded], [ErrStale], [ErrConflict] or [ErrInvalid]. If the task
// has ended, the new record no longer has the fields of Durable that are needed only to run it.
func Next(stored, changed Record) (Record, error) {
	switch {
	case stored.Status.Ended():
		return Record{}, ErrEnded
	case stored.Durable.epoch() > changed.Durable.epoch():
		return Record{}, ErrStale
	case stored.Version != changed.Version:
		return Record{}, ErrConflict
	case !changed.Status.known(), stored.ID != changed.ID, stored.Owner != changed.Owner, !stored.Created.Equal(changed.Created):
		return Record{}, ErrInvalid
	}
	if changed.Version++; changed.Status.Ended() {
		changed.Durable = changed.Durable.ended()
	}
	return changed, nil
}

// Valid reports whether r can be the record of a new task: its status is [StatusWorking], its version is 1, it has an ID, a
// creation time and a positive TTL, and its epoch is 1 if it is durable.
func Valid(r *Record) bool {
	return r.ID != "" && r.Status == StatusWorking && r.TTL > 0 && r.Version == 1 && !r.Created.IsZero() && (r.Durable == nil || r.Durable.Epoch == 1)
}

// Change reads the record with this id, calls change to modify it, sets Updated to the current time, stores the record,
// and returns the stored one. After [ErrConflict] or [ErrStale] it repeats this until ctx ends, with pauses of up to
// 64 ms, so change may be called several times. If change returns an error, nothing is stored, and Change returns that
// error. If change does not modify the record, nothing is stored, and the error is nil. If the task has ended, Change
// does not call change, and returns its record and [ErrEnded].
func Change(ctx context.Context, s Store, id string, change func(*Record) error) (Record, error) {
	const maxPause = 6 // 64 ms
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
		if err == nil || !errors.Is(err, ErrConflict) && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrStale) {
			return stored, err
		}
		select {
		case <-time.After(time.Millisecond << min(attempt, maxPause)):
		case <-ctx.Done():
			return r, errors.Join(ctx.Err(), err)
		}
	}
}

// Reserve reserves memory, in bytes, for data that a [Store] is about to read, so that many short requests for long
// records cannot use up the memory of the server. ctx is the context of the store's method. The server releases the
// memory when the request is answered. If ctx is not from a server, memory is not limited.
//
// A store can call Reserve with a negative number to release memory earlier, for example when it has decoded a record
// and does not need the encoded one any more. If Reserve returns an error, the store must not read the record, and must
// return the error, possibly wrapped. Reserve may wait, so call it without holding locks or transactions.
func Reserve(ctx context.Context, bytes int) error {
	m, ok := ctx.Value(callctx.ReserverKey{}).(callctx.Reserver)
	if !ok || bytes == 0 {
		return nil
	}
	return m.Reserve(bytes)
}
