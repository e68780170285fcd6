package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// storeTime is how long one method of the store may take, but for Wait, and how long the end of a task is tried to be stored
// before the client is shown that it failed.
const storeTime = 10 * time.Second

// storeGrace is how long a method of the store may take to notice that its context has ended.
const storeGrace = 100 * time.Millisecond

// maxOverdue is how many calls of the store may hang. Each holds a goroutine; beyond it the store is not called.
const maxOverdue = 64

var (
	errStoreBroken = errors.New("the store of tasks has panicked")
	errStoreHangs  = errors.New("the store of tasks does not answer")
)

// guardedStore is the store of the server's author, of which nothing is known: a method that panics returns
// [errStoreBroken], and one that takes longer than [storeTime], whether it heeds its context or not, an error. Wait may
// take any time; it has to heed its context.
type guardedStore struct {
	kept    task.Store
	log     *slog.Logger
	overdue atomic.Int64 // calls that hang
}

// guarded calls a method of the store. If the method returns when nobody waits any longer, what it returned goes to late,
// unless that is nil.
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
		var a answer
		a.value, a.err = contained(ctx, g.log, call)
		select {
		case answers <- a:
		case <-gone:
			g.overdue.Add(-1)
			if late != nil {
				late(a.value, a.err)
			}
		}
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

// contained returns what call does, and [errStoreBroken] if it panics.
func contained[T any](ctx context.Context, logger *slog.Logger, call func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", errStoreBroken, v)
			logger.LogAttrs(ctx, slog.LevelError, errStoreBroken.Error(), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	return call(ctx)
}

// Create implements [task.Store]. A record that is stored when Create has failed is deleted: nobody knows its task.
func (g *guardedStore) Create(ctx context.Context, r task.Record) error {
	_, err := guarded(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.kept.Create(ctx, r) },
		func(_ struct{}, err error) {
			if err == nil {
				_ = g.Delete(context.WithoutCancel(ctx), r.ID) // its TTL ends it otherwise
			}
		})
	return err
}

// Get implements [task.Store].
func (g *guardedStore) Get(ctx context.Context, id string) (task.Record, error) {
	return guarded(ctx, g, func(ctx context.Context) (task.Record, error) { return g.kept.Get(ctx, id) }, nil)
}

// Update implements [task.Store].
func (g *guardedStore) Update(ctx context.Context, r task.Record) (task.Record, error) {
	return guarded(ctx, g, func(ctx context.Context) (task.Record, error) { return g.kept.Update(ctx, r) }, nil)
}

// Wait implements [task.Store].
func (g *guardedStore) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	return contained(ctx, g.log, func(ctx context.Context) (task.Record, error) { return g.kept.Wait(ctx, id, seen) })
}

// List implements [task.Store].
func (g *guardedStore) List(ctx context.Context, principal, after string, limit int) ([]task.Record, error) {
	return guarded(ctx, g, func(ctx context.Context) ([]task.Record, error) { return g.kept.List(ctx, principal, after, limit) }, nil)
}

// Delete implements [task.Store].
func (g *guardedStore) Delete(ctx context.Context, id string) error {
	_, err := guarded(ctx, g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.kept.Delete(ctx, id) }, nil)
	return err
}

// isFinal reports whether the store would answer the same again: other errors, of a full disk say, may pass.
func isFinal(err error) bool {
	return errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound) || errors.Is(err, task.ErrFull) || errors.Is(err, task.ErrInvalid)
}

// retry calls f until it succeeds, its error is final, or ctx ends; it returns what f returned last. The pauses in between
// grow from 50 ms to 2 s.
func retry[T any](ctx context.Context, f func() (T, error)) (T, error) {
	const first, longest = 50 * time.Millisecond, 2 * time.Second
	for pause := first; ; pause = min(2*pause, longest) {
		value, err := f()
		if err == nil || isFinal(err) || !sleep(ctx, pause) {
			return value, err
		}
	}
}

// sleep waits, and reports whether it did so to the end: it returns when ctx ends.
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
