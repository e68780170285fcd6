package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/task"
)

// ErrNotStored is wrapped by the error of [Tasks.Shutdown] if the ends of some tasks could not be stored.
var ErrNotStored = errors.New("the ends of tasks could not be stored")

// Store is the task store for all requests: the program's store, and in addition the ends of tasks that this store has
// not accepted within [StoreTime]. Store returns such an end from memory, as a small record without result, until it is
// stored or the TTL of the task has passed. Such tasks count as running, which bounds their number.
type Store struct {
	task.Store // the program's store, checked
	log        *slog.Logger

	// OnWait is called when a request begins to wait for a task; nil means nothing. Set it before the store is used.
	OnWait func()

	mu     sync.Mutex
	ends   map[string]*task.Record // by id
	wakes  map[string]waiters      // by id of the task; only tasks with waiting requests
	saving sync.WaitGroup          // the goroutines that try to store ends

	stopping context.Context // ends with Shutdown
	stop     context.CancelFunc
	hopeless context.Context // ends when Shutdown no longer waits for the store
	giveUp   context.CancelFunc
}

func newStore(store *checkedStore, log *slog.Logger) *Store {
	s := &Store{Store: store, log: log, ends: map[string]*task.Record{}, wakes: map[string]waiters{}}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.hopeless, s.giveUp = context.WithCancel(context.Background())
	return s
}

// end returns the end of a task if it is in memory. The caller holds s.mu.
func (s *Store) end(id string) (task.Record, bool) {
	end, ok := s.ends[id]
	if !ok || !time.Now().Before(end.Expires()) {
		return task.Record{}, false
	}
	return *end, true
}

// Get implements [task.Store].
func (s *Store) Get(ctx context.Context, id string) (task.Record, error) {
	s.mu.Lock()
	r, ok := s.end(id)
	s.mu.Unlock()
	if ok {
		return r, ctx.Err()
	}
	return s.Store.Get(ctx, id)
}

// Update implements [task.Store].
func (s *Store) Update(ctx context.Context, r task.Record) (task.Record, error) {
	s.mu.Lock()
	_, ended := s.end(r.ID)
	s.mu.Unlock()
	if ended {
		return task.Record{}, task.ErrEnded
	}
	return s.Store.Update(ctx, r)
}

// List implements [task.Store].
func (s *Store) List(ctx context.Context, principal, after string, limit int) ([]task.Record, error) {
	list, err := s.Store.List(ctx, principal, after, limit)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list {
		if r, ok := s.end(list[i].ID); ok {
			list[i] = r
		}
	}
	return list, err
}

// count returns the number of ends in memory, and how many of them are of the principal.
func (s *Store) count(principal string) (all, own int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.ends {
		if r.Principal == principal {
			own++
		}
	}
	return len(s.ends), own
}

// endTask stores the end of a task in the program's store.
func (s *Store) endTask(ctx context.Context, end *task.Record) (task.Record, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.hopeless, cancel)() //nolint:contextcheck // which ends ctx
	return changeRun(ctx, s.Store, end, func(r *task.Record) error {
		r.Status, r.Message, r.Result, r.Error, r.Inputs = end.Status, end.Message, end.Result, end.Error, nil
		return nil
	})
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

// show keeps an end in memory that could not be stored because of cause, and starts to retry storing it.
func (s *Store) show(end *task.Record, cause error) {
	end.Updated, end.Inputs = time.Now().UTC(), nil
	s.mu.Lock()
	s.ends[end.ID] = end
	s.wake(end.ID)
	saves := s.stopping.Err() == nil
	if saves {
		s.saving.Go(func() { s.save(end) })
	}
	s.mu.Unlock()
	if !saves {
		s.logLost(end, cause)
	}
}

// save tries to store an end until it is stored or has expired, or the server is shut down; then it tries once more. It
// is the body of a goroutine.
func (s *Store) save(end *task.Record) {
	defer contain.Panic(s.hopeless, s.log, "end of a task not stored") // of the logger
	const first, longest = time.Second, time.Minute
	waiting, cancel := context.WithDeadline(s.stopping, end.Expires())
	defer cancel()
	for pause := first; ; pause = min(2*pause, longest) {
		again := sleep(waiting, pause)
		trying, cancel := context.WithTimeout(s.hopeless, StoreTime)
		_, err := s.endTask(trying, end)
		cancel()
		switch {
		case err == nil:
			s.log.LogAttrs(s.hopeless, slog.LevelInfo, "end of a task is stored after all", endAttrs(end)...)
		case hasMoved(err), !time.Now().Before(end.Expires()): // cancelled elsewhere, or expired
		case again:
			continue
		default:
			s.logLost(end, err)
			return
		}
		s.mu.Lock()
		delete(s.ends, end.ID)
		s.mu.Unlock()
		return
	}
}

// logLost logs that an end is lost with the process.
func (s *Store) logLost(end *task.Record, cause error) {
	s.log.LogAttrs(s.hopeless, slog.LevelError, "end of a task is lost: it was shown from memory, and could not be stored",
		append(endAttrs(end), slog.Any("error", cause))...)
}

// close tries once more to store the ends in memory, for at most grace. The error is [ErrNotStored] if some are lost
// with the process.
func (s *Store) close(grace time.Duration) error {
	s.mu.Lock()
	s.stop() // while s.mu is held: from now on no goroutine begins
	s.mu.Unlock()
	defer time.AfterFunc(grace, s.giveUp).Stop()
	s.saving.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := 0
	for id := range s.ends {
		if _, ok := s.end(id); ok {
			lost++
		}
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d", ErrNotStored, lost)
	}
	return nil
}

// endAttrs returns the log attributes of an end. They do not include the id, which is a secret between server and
// client.
func endAttrs(end *task.Record) []slog.Attr {
	return []slog.Attr{
		slog.String("tool", end.Tool), slog.String("principal", end.Principal), slog.String("status", string(end.Status)),
		slog.Duration("age", time.Since(end.Created)),
	}
}
