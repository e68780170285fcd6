package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// StoreTime is how long each method of the store may take, except Wait, Claim, and Get for requests that wait, and how long the server tries to store
// the end of a task before the task fails.
const StoreTime = 10 * time.Second

// minLease is the minimum lease of a queue; a runner could not renew a shorter one in time.
const minLease = time.Second

// firstPause and longestPause are the first and the maximum pause before a call of the store is repeated.
const firstPause, longestPause = 50 * time.Millisecond, 2 * time.Second

// checkedStore is the program's store, and its queue if it is one. Each method except Wait and Claim has the deadline
// [StoreTime], but not Get for requests that wait. Records that a method returns are checked, see [wire.CheckRecord]. Invalid records and panics are logged
// and returned as errors.
type checkedStore struct {
	store   task.Store
	queue   task.Queue // nil if the store is not a queue
	lease   time.Duration
	log     *slog.Logger
	maxText int // maximum length of messages in records, in bytes
}

func newCheckedStore(store task.Store, log *slog.Logger, maxText int) *checkedStore {
	s := &checkedStore{store: store, log: log, maxText: maxText}
	if queue, ok := store.(task.Queue); ok {
		s.queue, s.lease = queue, max(queue.LeaseTime(), minLease)
	}
	return s
}

// call calls a method of the store.
func (s *checkedStore) call(ctx context.Context, method func(context.Context) error) (err error) {
	defer func() {
		if errors.Is(err, contain.ErrPanic) || errors.Is(err, wire.ErrInvalidRecord) {
			s.log.LogAttrs(ctx, slog.LevelError, "the store of tasks fails", slog.Any("error", err))
		}
	}()
	defer contain.Error(&err)
	return method(ctx)
}

// callInTime is call with the deadline.
func (s *checkedStore) callInTime(ctx context.Context, method func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, StoreTime)
	defer cancel()
	return s.call(ctx, method)
}

// check checks the record that a method has returned for the task id, together with err. After an error the record is
// zero.
func (s *checkedStore) check(r *task.Record, id string, err error) error {
	if err == nil {
		err = wire.CheckRecord(r, id, s.maxText)
	}
	if err != nil {
		*r = task.Record{}
	}
	return err
}

// Create implements [task.Store].
func (s *checkedStore) Create(ctx context.Context, r task.Record) error {
	return s.callInTime(ctx, func(ctx context.Context) error { return s.store.Create(ctx, r) })
}

// Get implements [task.Store].
func (s *checkedStore) Get(ctx context.Context, id string) (r task.Record, err error) {
	record := beginRecord(ctx)
	get := func(ctx context.Context) error {
		r, err = s.store.Get(ctx, id)
		return s.check(&r, id, record.end(&r, 0, err)) //nolint:contextcheck // record has the context
	}
	if record.context != nil && record.context.Waits { // for memory, or for its turn, until its client disconnects
		err = s.call(ctx, get)
	} else {
		err = s.callInTime(ctx, get)
	}
	return r, err
}

// Update implements [task.Store]. The returned record is r with the version from the store.
func (s *checkedStore) Update(ctx context.Context, r task.Record) (task.Record, error) {
	var stored task.Record
	err := s.callInTime(ctx, func(ctx context.Context) (err error) {
		if stored, err = s.store.Update(ctx, r); err == nil && (stored.ID != r.ID || stored.Version <= r.Version) {
			err = fmt.Errorf("%w: it is not what was to be stored", wire.ErrInvalidRecord)
		}
		return err
	})
	if err != nil {
		return task.Record{}, err
	}
	r.Version = stored.Version
	return r, nil
}

// Wait implements [task.Store]. If the store returns a record without changes, it is called again, after a pause that
// grows from 50 ms to 2 s.
func (s *checkedStore) Wait(ctx context.Context, id string, seen uint64) (r task.Record, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		record := beginRecord(ctx)
		err = s.call(ctx, func(ctx context.Context) error {
			r, err = s.store.Wait(ctx, id, seen)
			return s.check(&r, id, record.end(&r, seen, err)) //nolint:contextcheck // record has the context
		})
		if err != nil || r.Version > seen {
			return r, err
		}
		if !sleep(ctx, pause) {
			return task.Record{}, ctx.Err()
		}
	}
}

// List implements [task.Store]. The store should not return results in the list, but may have done so.
func (s *checkedStore) List(ctx context.Context, principal, after string, limit int) (list []task.Record, err error) {
	err = s.callInTime(ctx, func(ctx context.Context) error {
		stored, err := s.store.List(ctx, principal, after, limit)
		list = slices.Clone(stored[:min(limit, len(stored))]) // the slice belongs to the store
		for i := range list {
			if err == nil {
				err = wire.CheckRecordHead(&list[i], s.maxText)
			}
			list[i] = list[i].Head()
		}
		return err
	})
	return list, err
}

// Delete implements [task.Store].
func (s *checkedStore) Delete(ctx context.Context, id string) error {
	return s.callInTime(ctx, func(ctx context.Context) error { return s.store.Delete(ctx, id) })
}

// LeaseTime implements [task.Queue].
func (s *checkedStore) LeaseTime() time.Duration { return s.lease }

// Claim implements [task.Queue].
func (s *checkedStore) Claim(ctx context.Context, owner string) (r task.Record, err error) {
	err = s.call(ctx, func(ctx context.Context) error {
		r, err = s.queue.Claim(ctx, owner)
		if err == nil && (r.Durable == nil || r.Durable.Epoch == 0 || r.Status.Ended()) {
			err = fmt.Errorf("%w: a claimed task cannot be run: it is %s, and durable: %t", wire.ErrInvalidRecord, r.Status, r.Durable != nil)
		}
		return s.check(&r, r.ID, err)
	})
	return r, err
}

// Renew implements [task.Queue].
func (s *checkedStore) Renew(ctx context.Context, id string, epoch uint64) error {
	return s.callInTime(ctx, func(ctx context.Context) error { return s.queue.Renew(ctx, id, epoch) })
}

// Release implements [task.Queue].
func (s *checkedStore) Release(ctx context.Context, id string, epoch uint64, why string) error {
	return s.callInTime(ctx, func(ctx context.Context) error { return s.queue.Release(ctx, id, epoch, why) })
}

// isFinal reports whether the store would return the same error again. Other errors, such as a full disk, may be
// temporary.
func isFinal(err error) bool {
	return errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound) || errors.Is(err, task.ErrFull) || errors.Is(err, task.ErrInvalid) || errors.Is(err, task.ErrStale)
}

// retry calls f with growing pauses until it succeeds, its error is final, or ctx ends. It returns the last result of
// f.
func retry[T any](ctx context.Context, f func() (T, error)) (T, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		value, err := f()
		if err == nil || isFinal(err) || !sleep(ctx, pause) {
			return value, err
		}
	}
}

// sleep waits until the pause is over or ctx ends, and reports whether the pause is over.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
