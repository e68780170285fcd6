package runtime

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

// ErrNotStored is wrapped by the error of [Server.Shutdown] if the ends of some tasks could not be stored.
var ErrNotStored = errors.New("the ends of tasks could not be stored")

// endStore is the task store for the rest of this package: the program's store, and in addition the ends of tasks that
// this store has not accepted. endStore returns such an end from memory, as a small record without result, until it is
// stored or the TTL of the task has passed. Such tasks count as running, see [tasks.enter], which bounds their number.
type endStore struct {
	task.Store // the program's store, guarded
	log        *slog.Logger
	bus        *busClient // notifies waiting requests at other instances

	mu     sync.Mutex
	ends   map[string]*shownEnd // by id
	wakes  map[string]*wakeUp   // by id of the task; only tasks with waiting requests
	saving chan struct{}        // closed when the goroutine that stores ends has returned; nil if it does not run

	stopping context.Context // ends with Shutdown
	stop     context.CancelFunc
	hopeless context.Context // ends when Shutdown no longer waits for the store
	giveUp   context.CancelFunc
}

// shownEnd is the end of a task that is returned from memory.
type shownEnd struct {
	task.Record
	cause error // why it could not be stored
}

func newEndStore(guarded *guardedStore, log *slog.Logger) *endStore {
	s := &endStore{Store: guarded, log: log, ends: map[string]*shownEnd{}, wakes: map[string]*wakeUp{}}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.hopeless, s.giveUp = context.WithCancel(context.Background())
	return s
}

// end returns the end of a task if it is in memory. The caller holds s.mu.
func (s *endStore) end(id string) (task.Record, bool) {
	end, ok := s.ends[id]
	if !ok || !time.Now().Before(end.Expires()) {
		return task.Record{}, false
	}
	return end.Record, true
}

// Get implements [task.Store].
func (s *endStore) Get(ctx context.Context, id string) (task.Record, error) {
	s.mu.Lock()
	r, ok := s.end(id)
	s.mu.Unlock()
	if ok {
		return r, ctx.Err()
	}
	return s.Store.Get(ctx, id)
}

// Update implements [task.Store].
func (s *endStore) Update(ctx context.Context, r task.Record) (task.Record, error) {
	s.mu.Lock()
	_, ended := s.end(r.ID)
	s.mu.Unlock()
	if ended {
		return task.Record{}, task.ErrEnded
	}
	return s.Store.Update(ctx, r)
}

// List implements [task.Store].
func (s *endStore) List(ctx context.Context, principal, after string, limit int) ([]task.Record, error) {
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
func (s *endStore) count(principal string) (all, own int) {
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
func (s *endStore) endTask(ctx context.Context, end *task.Record) (task.Record, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.hopeless, cancel)() //nolint:contextcheck // which ends ctx
	return task.Change(ctx, s.Store, end.ID, func(r *task.Record) error {
		if epochOf(r) != epochOf(end) {
			return task.ErrStale
		}
		r.Status, r.Message, r.Result, r.Error, r.Inputs = end.Status, end.Message, end.Result, end.Error, nil
		return nil
	})
}

// show keeps an end in memory that could not be stored because of cause, and starts to retry storing it.
func (s *endStore) show(end *task.Record, cause error) {
	end.Updated, end.Inputs = time.Now().UTC(), nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[end.ID] = &shownEnd{*end, cause}
	s.wake(end.ID)
	if s.saving == nil && s.stopping.Err() == nil {
		s.saving = make(chan struct{})
		go s.saveAll(s.saving)
	}
}

// saveAll stores the ends in memory. It returns when there are none, because the last one is stored or has expired, or
// after one more attempt when the server is shut down.
func (s *endStore) saveAll(saved chan struct{}) {
	defer close(saved)
	const first, longest = time.Second, time.Minute
	for pause := first; ; pause = min(2*pause, longest) {
		goes := sleep(s.stopping, pause)
		stored := s.save(context.Background())
		s.mu.Lock()
		if len(s.ends) == 0 || !goes {
			s.saving = nil
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if stored {
			pause = first
		}
	}
}

// save tries once to store each end in memory, within [storeTime]. It reports whether one was stored.
func (s *endStore) save(ctx context.Context) (stored bool) {
	defer contain.Panic(ctx, s.log, "ends of tasks not stored") // of the logger
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	for _, end := range s.unstored() {
		_, err := s.endTask(ctx, &end.Record)
		switch {
		case err == nil:
			stored = true
			s.log.LogAttrs(ctx, slog.LevelInfo, "end of a task is stored after all", end.attrs()...)
		case hasMoved(err): // cancelled elsewhere, or expired
		case ctx.Err() != nil:
			return stored
		default:
			s.failed(end.ID, err)
			continue
		}
		s.forget(end.ID)
	}
	return stored
}

// failed records why an end could not be stored.
func (s *endStore) failed(id string, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end, ok := s.ends[id]; ok {
		end.cause = cause
	}
}

// forget removes an end from memory.
func (s *endStore) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, id)
}

// unstored returns the ends in memory, and removes those that have expired.
func (s *endStore) unstored() []shownEnd {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []shownEnd
	for id, end := range s.ends {
		if _, ok := s.end(id); ok {
			list = append(list, *end)
		} else {
			delete(s.ends, id)
		}
	}
	return list
}

// close tries once more to store the ends in memory, for at most grace, and logs the ends that are lost with the
// process. The error is [ErrNotStored] if there are any.
func (s *endStore) close(ctx context.Context, grace time.Duration) error {
	s.stop()
	s.mu.Lock()
	saving := s.saving
	s.mu.Unlock()
	if saving != nil {
		wait(saving, grace)
	}
	lost := s.unstored()
	for i := range lost {
		s.log.LogAttrs(ctx, slog.LevelError, "end of a task is lost: it was shown from memory, and could not be stored", lost[i].attrs()...)
	}
	if len(lost) > 0 {
		return fmt.Errorf("%w: %d", ErrNotStored, len(lost))
	}
	return nil
}

// attrs returns the log attributes of the end. They do not include the id, which is a secret between server and client.
func (e *shownEnd) attrs() []slog.Attr {
	return []slog.Attr{
		slog.String("tool", e.Tool), slog.String("principal", e.Principal), slog.String("status", string(e.Status)),
		slog.Duration("age", time.Since(e.Created)), slog.Any("error", e.cause),
	}
}
