package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// storeTime is how long each method of the store except Wait may take, and how long the server tries to store the end
// of a task before the task fails.
const storeTime = 10 * time.Second

// storeGrace is how long a method of the store may take to notice that its context has ended.
const storeGrace = 100 * time.Millisecond

// firstPause and longestPause are the first and the maximum pause before a call of the store is repeated.
const firstPause, longestPause = 50 * time.Millisecond, 2 * time.Second

// maxOverdue is the maximum number of calls of the store that hang. Each occupies a goroutine, so beyond it the store
// is not called.
const maxOverdue = 64

var (
	errStoreBroken = errors.New("the store of tasks has panicked")
	errStoreExits  = errors.New("the store of tasks has ended its goroutine with runtime.Goexit")
	errStoreHangs  = errors.New("the store of tasks does not answer")
)

// guardedStore wraps the program's store, which is not trusted to work. A method that panics returns [errStoreBroken],
// and one that ends its goroutine [errStoreExits]. One that takes longer than [storeTime] returns an error, even if it
// ignores its context. Wait may take any time, but must return when its context ends. The records that a method returns
// are checked, see [wire.CheckRecord]: one that is not valid is an error, and logged.
type guardedStore struct {
	kept    task.Store
	log     *slog.Logger
	maxText int          // maximum length of messages in records, in bytes
	overdue atomic.Int64 // calls that hang
}

// guarded calls a method of the store. If the method returns after guarded has, late gets the result, unless late is
// nil.
func guarded[T any](ctx context.Context, g *guardedStore, call func(context.Context) (T, error), late func(T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	if g.overdue.Load() >= maxOverdue {
		return none, errStoreHangs
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	answers, gone := make(chan answer), make(chan struct{})
	go func() {
		a := answer{err: errStoreExits}
		defer func() { // also if the store ends this goroutine
			select {
			case answers <- a:
			case <-gone:
				g.overdue.Add(-1)
				if late != nil {
					late(a.value, a.err)
				}
			}
		}()
		a.value, a.err = contained(ctx, g.log, call)
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(storeGrace)
	defer grace.Stop()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-grace.C:
		g.overdue.Add(1)
		close(gone)
		return none, errors.Join(errStoreHangs, ctx.Err())
	}
}

// contained calls call, and returns [errStoreBroken] if it panics.
func contained[T any](ctx context.Context, logger *slog.Logger, call func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", errStoreBroken, v)
			logger.LogAttrs(ctx, slog.LevelError, errStoreBroken.Error(), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	return call(ctx)
}

// apart calls a method of the store that may take any time, in its own goroutine, which the store may end.
func apart[T any](ctx context.Context, g *guardedStore, call func(context.Context) (T, error)) (value T, err error) {
	done := make(chan struct{})
	err = errStoreExits
	go func() {
		defer close(done)
		value, err = contained(ctx, g.log, call)
	}()
	<-done
	return value, err
}

// Create implements [task.Store]. If the store creates the record after Create has failed, it is deleted, because no
// client has its id.
func (g *guardedStore) Create(ctx context.Context, r task.Record) error {
	_, err := guarded(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.kept.Create(ctx, r) },
		func(_ struct{}, err error) {
			if err == nil {
				_ = g.Delete(context.WithoutCancel(ctx), r.ID) // otherwise its TTL ends it
			}
		})
	return err
}

// Get implements [task.Store].
func (g *guardedStore) Get(ctx context.Context, id string) (task.Record, error) {
	record := beginRecord(ctx)
	get := func(ctx context.Context) (task.Record, error) { return g.kept.Get(ctx, id) }
	var (
		r   task.Record
		err error
	)
	if record.context != nil && record.context.waits {
		r, err = apart(ctx, g, get) // it may wait for memory, or for its turn, until its client disconnects
	} else {
		r, err = guarded(ctx, g, get, nil)
	}
	return g.checked(ctx, &r, id, record.end(&r, 0, err)) //nolint:contextcheck // record has the context
}

// Update implements [task.Store]. The returned record is r with the version from the store.
func (g *guardedStore) Update(ctx context.Context, r task.Record) (task.Record, error) {
	return guarded(ctx, g, func(ctx context.Context) (task.Record, error) {
		stored, err := g.kept.Update(ctx, r)
		switch {
		case err != nil:
			return task.Record{}, err
		case stored.ID != r.ID, stored.Version <= r.Version:
			return task.Record{}, g.invalid(ctx, fmt.Errorf("%w: it is not what was to be stored", wire.ErrInvalidRecord))
		}
		r.Version = stored.Version
		return r, nil
	}, nil)
}

// Wait implements [task.Store]. If the store returns a record without changes, it is called again, after a pause that
// grows from 50 ms to 2 s.
func (g *guardedStore) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		record := beginRecord(ctx)
		r, err := apart(ctx, g, func(ctx context.Context) (task.Record, error) { return g.kept.Wait(ctx, id, seen) })
		r, err = g.checked(ctx, &r, id, record.end(&r, seen, err)) //nolint:contextcheck // record has the context
		if err != nil || r.Version > seen {
			return r, err
		}
		if !sleep(ctx, pause) {
			return task.Record{}, ctx.Err()
		}
	}
}

// List implements [task.Store]. The store should not return results in the list, but may have done so.
func (g *guardedStore) List(ctx context.Context, principal, after string, limit int) ([]task.Record, error) {
	return guarded(ctx, g, func(ctx context.Context) ([]task.Record, error) {
		stored, err := g.kept.List(ctx, principal, after, limit)
		if err != nil {
			return nil, err
		}
		list := slices.Clone(stored[:min(limit, len(stored))]) // the slice belongs to the store
		for i := range list {
			if err := wire.CheckRecordHead(&list[i], g.maxText); err != nil {
				return nil, g.invalid(ctx, err)
			}
			list[i] = list[i].Head()
		}
		return list, nil
	}, nil)
}

// checked returns the record that a method has returned for the task id, or an error if it is not valid.
func (g *guardedStore) checked(ctx context.Context, r *task.Record, id string, err error) (task.Record, error) {
	if err != nil {
		return task.Record{}, err
	}
	if err := wire.CheckRecord(r, id, g.maxText); err != nil {
		return task.Record{}, g.invalid(ctx, err)
	}
	return *r, nil
}

// invalid logs the error in a record, and returns it.
func (g *guardedStore) invalid(ctx context.Context, err error) error {
	g.log.LogAttrs(ctx, slog.LevelError, "the store of tasks fails", slog.Any("error", err))
	return err
}

// Delete implements [task.Store].
func (g *guardedStore) Delete(ctx context.Context, id string) error {
	_, err := guarded(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.kept.Delete(ctx, id) }, nil)
	return err
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
