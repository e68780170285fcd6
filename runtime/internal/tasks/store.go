package tasks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/task"
)

// firstPause and longestPause are the first and the maximum pause before a call of the store is repeated.
const firstPause, longestPause = 50 * time.Millisecond, 2 * time.Second

// Store is the program's store. Each method except Wait and Claim has the deadline [taskengine.StoreTime], and a panic is an error.
// Store returns the end of a task that the program's store has not accepted from memory, see [Run.End].
type Store struct {
	store task.Store
	queue task.Queue // nil if the store is not a queue

	onWait func() // see [taskengine.Config]

	mu    sync.Mutex
	ends  map[string]task.Record // by id
	wakes map[string]waiters     // by the id of the task
}

func newStore(store task.Store, onWait func()) *Store {
	if store == nil {
		store = task.NewMemory(task.MemoryLimits{})
	}
	queue, _ := store.(task.Queue)
	return &Store{store: store, queue: queue, onWait: onWait, ends: map[string]task.Record{}, wakes: map[string]waiters{}}
}

// inTime calls a method of the store with the deadline.
func inTime(ctx context.Context, method func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, taskengine.StoreTime)
	defer cancel()
	defer contain.Error(&err)
	return method(ctx)
}

// Create implements [task.Store].
func (s *Store) Create(ctx context.Context, r task.Record) error {
	return inTime(ctx, func(ctx context.Context) error { return s.store.Create(ctx, r) })
}

// Get implements [task.Store].
func (s *Store) Get(ctx context.Context, id string) (r task.Record, err error) {
	if end, ok := s.end(id); ok {
		return end, ctx.Err()
	}
	err = inTime(ctx, func(ctx context.Context) error {
		r, err = s.store.Get(ctx, id)
		return err
	})
	return checked(r, id, err)
}

// errOtherTask protects the data of other callers from a store that confuses records.
var errOtherTask = errors.New("the task store has returned the record of another task")

// checked returns the record that the store has returned for the task id.
func checked(r task.Record, id string, err error) (task.Record, error) {
	if err == nil && r.ID != id {
		err = errOtherTask
	}
	if err != nil {
		return task.Record{}, err
	}
	return r, nil
}

// Update implements [task.Store].
func (s *Store) Update(ctx context.Context, r task.Record) (stored task.Record, err error) {
	if _, ended := s.end(r.ID); ended {
		return task.Record{}, task.ErrEnded
	}
	err = inTime(ctx, func(ctx context.Context) error {
		stored, err = s.store.Update(ctx, r)
		return err
	})
	return stored, err
}

// List implements [task.Store].
func (s *Store) List(ctx context.Context, owner task.Owner, after string, limit int) (list []task.Record, err error) {
	err = inTime(ctx, func(ctx context.Context) error {
		list, err = s.store.List(ctx, owner, after, limit)
		return err
	})
	for i := range list {
		if end, ok := s.end(list[i].ID); ok {
			list[i] = end
		}
	}
	return list, err
}

// Delete implements [task.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	return inTime(ctx, func(ctx context.Context) error { return s.store.Delete(ctx, id) })
}

// endTask stores the end of a task in the program's store, also while it is in memory.
func (s *Store) endTask(ctx context.Context, end *task.Record) (last task.Record, err error) {
	err = inTime(ctx, func(ctx context.Context) error {
		last, err = changeRun(ctx, s.store, end, func(r *task.Record) error {
			r.Status, r.Message, r.Result, r.Error, r.Inputs = end.Status, end.Message, end.Result, end.Error, nil
			return nil
		})
		return err
	})
	return last, err
}

// changeRun is [task.Change] for the run of a record: the error is [task.ErrStale] if a later run has begun.
func changeRun(ctx context.Context, s task.Store, run *task.Record, change func(*task.Record) error) (task.Record, error) {
	return task.Change(ctx, s, run.ID, func(r *task.Record) error {
		if epochOf(r) != epochOf(run) {
			return task.ErrStale
		}
		return change(r)
	})
}

// claim is [task.Queue.Claim].
func (s *Store) claim(ctx context.Context, owner string) (r task.Record, err error) {
	defer contain.Error(&err)
	return s.queue.Claim(ctx, owner)
}

// renew is [task.Queue.Renew].
func (s *Store) renew(ctx context.Context, id string, epoch uint64) error {
	return inTime(ctx, func(ctx context.Context) error { return s.queue.Renew(ctx, id, epoch) })
}

// release is [task.Queue.Release] for the run of a record.
func (s *Store) release(ctx context.Context, r *task.Record, why string) error {
	return inTime(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return s.queue.Release(ctx, r.ID, r.Durable.Epoch, why)
	})
}

// end returns the end of a task if it is in memory.
func (s *Store) end(id string) (task.Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.ends[id]
	return end, ok
}

// show keeps the end of a task in memory.
func (s *Store) show(end *task.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[end.ID] = *end
	s.wake(end.ID)
}

// hide undoes show.
func (s *Store) hide(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, id)
}

// isFinal reports whether the store would return the same error again. Other errors, such as a full disk, may be
// temporary.
func isFinal(err error) bool {
	return hasMoved(err) || errors.Is(err, task.ErrFull) || errors.Is(err, task.ErrInvalid)
}

// hasMoved reports whether the task continues, or has ended, without this run.
func hasMoved(err error) bool {
	return errors.Is(err, task.ErrEnded) || errors.Is(err, task.ErrNotFound) || errors.Is(err, task.ErrStale)
}

// retry calls f with growing pauses until it succeeds, its error is final, or ctx ends. It returns the last result of
// f.
func retry(ctx context.Context, f func() (task.Record, error)) (task.Record, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		r, err := f()
		if err == nil || isFinal(err) || !sleep(ctx, pause) {
			return r, err
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
