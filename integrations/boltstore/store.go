package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// Store is a [task.Queue] in a file; [Open] returns one. Its methods are safe for concurrent use. A method that has
// started a write waits for the result even if its context ends, so that the caller knows whether the record was
// written.
type Store struct {
	limits Limits
	path   string
	file   *disk
	closed chan struct{} // closed by Close, under mu

	mu    sync.Mutex
	tasks map[string]*entry
	owned map[task.Owner]map[*entry]struct{}
	bytes int64  // total size of the records
	last  uint64 // highest key

	leases *taskqueue.Leases

	queue     []write
	undeleted []write       // failed deletions without a waiting caller
	retry     *time.Timer   // for undeleted
	wake      chan struct{} // signals a non-empty queue or compactDue; closed by Close
	written   chan struct{} // closed when the writer has ended

	compaction *time.Timer // sets compactDue; nil unless the file should be compacted
	compactDue bool        // compaction is due
}

var _ task.Queue = (*Store)(nil)

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// ready returns an error if the store is closed or ctx has ended. The caller holds s.mu.
func (s *Store) ready(ctx context.Context) error {
	if s.isClosed() {
		return ErrClosed
	}
	return ctx.Err()
}

// find returns the entry of a task. The caller holds s.mu.
func (s *Store) find(ctx context.Context, id string) (*entry, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	e, ok := s.tasks[id]
	if !ok || !e.there(time.Now()) {
		return nil, task.ErrNotFound
	}
	return e, nil
}

// there reports whether the record exists for callers.
func (e *entry) there(now time.Time) bool { return !e.creating && now.Before(e.record.Expires()) }

// findIdle waits until no write of the task is in progress, and returns its entry. The caller holds s.mu, which
// findIdle releases while it waits.
func (s *Store) findIdle(ctx context.Context, id string) (*entry, error) {
	for {
		e, err := s.find(ctx, id)
		if err != nil || !e.writing {
			return e, err
		}
		changed := e.changed
		s.mu.Unlock()
		err = s.await(ctx, changed)
		s.mu.Lock()
		if err != nil {
			return nil, err
		}
	}
}

// await waits for changed to be closed.
func (s *Store) await(ctx context.Context, changed <-chan struct{}) error {
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return ErrClosed
	}
}

// inTime returns the result of f, which may wait for the disk, or the error of ctx if ctx ends before. Then f continues
// in its own goroutine.
func inTime[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		value, err := f()
		results <- result{value, err}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Create implements [task.Store]. The error is [task.ErrInvalid] also if the id or the principal is not valid UTF-8,
// and [task.ErrFull] also if the records in the file take Limits.Bytes or more. If the record cannot be written, it is
// the error of the operating system or [ErrCorrupt]. If ctx ends while the record is being written, it is deleted.
func (s *Store) Create(ctx context.Context, r task.Record) error {
	s.mu.Lock()
	e, err := s.begin(ctx, &r)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = inTime(ctx, func() (struct{}, error) { return struct{}{}, s.create(e, &r) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.creating && !e.gone {
		s.drop(e)
	}
	return err
}

// begin adds an entry for a record that is to be created. The caller holds s.mu.
func (s *Store) begin(ctx context.Context, r *task.Record) (*entry, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	_, taken := s.tasks[r.ID]
	switch {
	case !task.Valid(r), !utf8.ValidString(r.ID), !utf8.ValidString(r.Tenant), !utf8.ValidString(r.Principal):
		return nil, task.ErrInvalid
	case taken:
		return nil, task.ErrExists
	case len(s.tasks) >= s.limits.Tasks, len(s.owned[r.Owner]) >= s.limits.PerPrincipal, s.bytes >= s.limits.Bytes:
		return nil, task.ErrFull
	}
	s.last++
	e := s.add(r)
	e.key, e.creating = s.last, true
	return e, nil
}

// create writes the record of a new entry.
func (s *Store) create(e *entry, r *task.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.rewrite(e, r); err != nil || e.gone {
		return err
	}
	e.creating = false
	if !s.isClosed() {
		s.keep(e)
		if r.Durable != nil {
			s.leases.Give(r.ID, r.Durable.Epoch)
		}
	}
	return nil
}

// Get implements [task.Store].
func (s *Store) Get(ctx context.Context, id string) (task.Record, error) {
	s.mu.Lock()
	e, err := s.find(ctx, id)
	if err != nil {
		s.mu.Unlock()
		return task.Record{}, err
	}
	one := e.stored()
	s.mu.Unlock()
	return s.whole(ctx, one)
}

// Update implements [task.Store]. It writes to the file if the task ends, or if it is durable and more than its message
// has changed. It never returns [task.ErrFull]. It ignores a changed TTL.
func (s *Store) Update(ctx context.Context, r task.Record) (task.Record, error) {
	return inTime(ctx, func() (task.Record, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		e, err := s.findIdle(ctx, r.ID)
		if err != nil {
			return task.Record{}, err
		}
		return s.update(e, r)
	})
}

// update is Update for an entry with no write in progress. The caller holds s.mu, which update releases while it
// writes.
func (s *Store) update(e *entry, r task.Record) (task.Record, error) {
	next, err := task.Next(e.record, r)
	if err != nil {
		return task.Record{}, err
	}
	next.TTL = e.record.TTL
	if !needsFile(&e.record, &next) {
		e.record = next
		e.signal()
		return next, nil
	}
	if err := s.rewrite(e, &next); err != nil {
		return task.Record{}, err
	}
	if e.gone { // it has expired in the meantime
		return task.Record{}, task.ErrNotFound
	}
	if e.record = next; next.Status.Ended() {
		shorten(&e.record)
		s.leases.Forget(next.ID)
	}
	return next, nil
}

// needsFile reports whether a change must survive the process: the end of a task, and for a durable task the state that
// its next run needs. Messages are excluded, since the next run sets them again.
func needsFile(before, after *task.Record) bool {
	if after.Status.Ended() {
		return true
	}
	return after.Durable != nil && (after.Durable != before.Durable || after.Status != before.Status || !slices.EqualFunc(before.Inputs, after.Inputs, func(a, b task.Input) bool {
		return a.Key == b.Key && bytes.Equal(a.Answer, b.Answer)
	}))
}

// Wait implements [task.Store].
func (s *Store) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	for {
		s.mu.Lock()
		e, err := s.find(ctx, id)
		if err != nil {
			s.mu.Unlock()
			return task.Record{}, err
		}
		one, changed := e.stored(), e.changed
		s.mu.Unlock()
		if one.record.Version > seen {
			return s.whole(ctx, one)
		}
		if err := s.await(ctx, changed); err != nil {
			return task.Record{}, err
		}
	}
}

// List implements [task.Store].
func (s *Store) List(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	list, err := s.page(ctx, owner, after, limit)
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range list {
		size += list[i].Size()
	}
	return list, task.Reserve(ctx, size)
}

// page returns the in-memory records of a list.
func (s *Store) page(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	var from *task.Record
	if after != "" {
		e, err := s.find(ctx, after)
		if err != nil || e.record.Owner != owner {
			return nil, task.ErrNotFound
		}
		from = &e.record
	}
	var found []*task.Record
	now := time.Now()
	for e := range s.owned[owner] {
		if r := &e.record; e.there(now) && (from == nil || compare(r, from) > 0) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, compare)
	list := make([]task.Record, min(limit, len(found)))
	for i := range list {
		list[i] = found[i].Head()
	}
	return list, nil
}

// Delete implements [task.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	_, err := inTime(ctx, func() (struct{}, error) { return struct{}{}, s.remove(ctx, id) })
	return err
}

// remove is Delete, but waits for the disk.
func (s *Store) remove(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.findIdle(ctx, id)
	if errors.Is(err, task.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.rewrite(e, nil); err != nil {
		return err
	}
	if !e.gone {
		s.drop(e)
	}
	return nil
}

// stored returns a copy of e. The caller holds s.mu.
func (e *entry) stored() stored { return stored{key: e.key, size: e.size, record: e.record} }

// copies is the number of copies in memory of a record read from the file: the value and the decoded record.
const copies = 2

// whole returns the complete record, read from the file if it has ended. The error is [task.ErrNotFound] if it has been
// removed since it was found.
func (s *Store) whole(ctx context.Context, one stored) (r task.Record, err error) {
	if !one.record.Status.Ended() {
		return one.record, task.Reserve(ctx, one.record.Size())
	}
	if err := task.Reserve(ctx, copies*(int(one.size)+one.record.Size())); err != nil {
		return task.Record{}, err
	}
	err = s.file.view(func(tx *bbolt.Tx) error {
		value := get(tx.Bucket(tasksBucket), one.key, one.size)
		if value == nil {
			return task.ErrNotFound
		}
		if r, err = decode(one.key, value); err == nil {
			abandon(&r)
		}
		return err
	})
	if errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("boltstore: %s: %w", s.path, err)
	}
	return r, err
}
