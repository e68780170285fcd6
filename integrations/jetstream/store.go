package jetstream

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
	"unicode/utf8"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// pollInterval is approximately the maximum time for a call of Wait to see a change if the message about it was lost.
const pollInterval = 5 * time.Second

// store is the [task.Queue] of a [Conn].
type store struct {
	link     *link
	names    names
	streams  *streams
	limits   Limits
	log      *slog.Logger
	watchers watchers
	usage    usage
	instance *instance
	leases   leases

	closing sync.RWMutex // read-locked by Create, Update and Delete: Close waits for them, then ends running tasks
	closed  bool         // guarded by closing
}

var _ task.Queue = (*store)(nil)

// Create implements [task.Store].
func (s *store) Create(ctx context.Context, r task.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !task.Valid(&r) || !utf8.ValidString(r.ID) || !utf8.ValidString(r.Tenant) || !utf8.ValidString(r.Principal) || r.Created.Before(earliest) || r.Created.After(latest) {
		return task.ErrInvalid
	}
	done, err := s.enter()
	if err != nil {
		return err
	}
	defer done()
	if err := s.instance.ready(ctx); err != nil {
		return err
	}
	e := &entry{subject: subjectOf(&r, s.instance.id), record: r}
	if err := s.room(ctx, e.subject.owner); err != nil {
		return err
	}
	err = s.create(ctx, e)
	switch {
	case errors.Is(err, task.ErrConflict):
		return task.ErrExists
	case err != nil:
		return err
	}
	s.usage.created(e.subject.owner)
	return nil
}

// enter makes Close wait until done is called. The error is [ErrClosed] if Close has been called.
func (s *store) enter() (done func(), err error) {
	s.closing.RLock()
	if s.closed {
		s.closing.RUnlock()
		return nil, ErrClosed
	}
	return s.closing.RUnlock, nil
}

// create stores a new record. A durable task first gets a lease and becomes claimable by other instances; other tasks
// end with this instance.
func (s *store) create(ctx context.Context, e *entry) error {
	if e.record.Durable != nil {
		return s.createDurable(ctx, e)
	}
	s.instance.began(e)
	err := s.writeNew(ctx, e)
	if errors.Is(err, task.ErrConflict) || errors.Is(err, task.ErrFull) {
		s.instance.ended(e.subject.id)
	}
	return err
}

// writeNew stores a new record; the error is [task.ErrConflict] if its id exists. It replaces an expired record that
// the server has not deleted yet.
func (s *store) writeNew(ctx context.Context, e *entry) error {
	for pause := firstConflictPause; ; pause = min(2*pause, lastConflictPause) {
		err := s.write(ctx, e)
		if !errors.Is(err, task.ErrConflict) {
			return err
		}
		old, err := s.kept(ctx, e.subject.id)
		switch {
		case errors.Is(err, task.ErrNotFound): // a cluster also rejects a write during another one, not readable yet
			if !sleep(ctx, pause) {
				return ctx.Err()
			}
		case err != nil && !errors.Is(err, ErrRecord):
			return err
		case err != nil || !old.expired():
			return task.ErrConflict
		default:
			if err := s.purgeRecord(ctx, old); err != nil {
				return err
			}
		}
	}
}

// firstConflictPause and lastConflictPause limit the pause before a retry of a write that a cluster rejected while it
// stored another message of the subject.
const firstConflictPause, lastConflictPause = 20 * time.Millisecond, 500 * time.Millisecond

// sleep pauses until ctx ends at the latest; it reports whether it slept for the full duration.
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

// purgeRecord deletes the version of a record that was read, and its parts, but no newer one.
func (s *store) purgeRecord(ctx context.Context, old *entry) error {
	_, err := request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.records.Purge(ctx, natsjs.WithPurgeSubject(s.names.byID(old.subject.id)), natsjs.WithPurgeSequence(old.sequence+1))
	})
	s.deleteParts(ctx, old.subject.id, old.parts)
	return err
}

// Get implements [task.Store].
func (s *store) Get(ctx context.Context, id string) (task.Record, error) {
	e, err := s.read(ctx, hash(id), 0)
	if err != nil {
		return task.Record{}, err
	}
	return e.record, nil
}

// Update implements [task.Store]. It ignores a changed TTL.
func (s *store) Update(ctx context.Context, r task.Record) (task.Record, error) {
	if err := ctx.Err(); err != nil {
		return task.Record{}, err
	}
	done, err := s.enter()
	if err != nil {
		return task.Record{}, err
	}
	defer done()
	e, err := s.head(ctx, hash(r.ID))
	if err != nil {
		if errors.Is(err, task.ErrNotFound) {
			s.instance.ended(hash(r.ID))
		}
		return task.Record{}, err
	}
	next, err := task.Next(e.record, r)
	if err != nil {
		return task.Record{}, err
	}
	next.TTL = e.record.TTL
	e.record = next
	if err := s.write(ctx, e); err != nil {
		return task.Record{}, err
	}
	if next.Status.Ended() {
		s.instance.ended(e.subject.id)
		if next.Durable != nil {
			s.forgetDurable(ctx, e.subject.id)
		}
	}
	return next, nil
}

// Wait implements [task.Store]. It continues to wait while the server is unavailable.
func (s *store) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	key := hash(id)
	changed, stop := s.watchers.add(key)
	defer stop()
	e, err := s.read(ctx, key, seen)
	for err == nil && e.record.Version <= seen {
		e, err = s.next(ctx, e, seen, changed)
	}
	if err != nil {
		return task.Record{}, err
	}
	return e.record, nil
}

// next waits until a record may have changed, and reads it like read. It returns e if the record is temporarily
// unreadable.
func (s *store) next(ctx context.Context, e *entry, seen uint64, changed <-chan struct{}) (*entry, error) {
	pause := pollInterval*3/4 + rand.N(pollInterval/4) //nolint:gosec // need not be unpredictable
	timer := time.NewTimer(min(pause, max(time.Until(e.record.Expires()), 0)))
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !time.Now().Before(e.record.Expires()) {
		return nil, task.ErrNotFound
	}
	read, err := s.read(ctx, e.subject.id, seen)
	if errors.Is(err, ErrUnavailable) {
		return e, nil
	}
	return read, err
}

// Delete implements [task.Store].
func (s *store) Delete(ctx context.Context, id string) error {
	done, err := s.enter()
	if err != nil {
		return err
	}
	defer done()
	key := hash(id)
	if err := s.purge(ctx, key); err != nil {
		return err
	}
	s.instance.ended(key)
	s.forgetDurable(ctx, key)
	s.changed(key)
	return nil
}

// purge deletes the record with this hash of its id, and its parts.
func (s *store) purge(ctx context.Context, id string) error {
	_, err := request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.records.Purge(ctx, natsjs.WithPurgeSubject(s.names.byID(id)))
	})
	if err != nil {
		return err
	}
	_, err = request(ctx, s.link, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.streams.parts.Purge(ctx, natsjs.WithPurgeSubject(s.names.partsOf(id)))
	})
	return err
}
