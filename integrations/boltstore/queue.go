package boltstore

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// LeaseTime implements [task.Queue].
func (s *Store) LeaseTime() time.Duration { return s.leases.Time() }

// Claim implements [task.Queue]. The claimed record is in the file when Claim returns.
func (s *Store) Claim(ctx context.Context, owner string) (task.Record, error) {
	return inTime(ctx, func() (task.Record, error) { return s.claimNext(ctx, owner) })
}

// claimNext is Claim, but waits for the disk. If ctx has ended then, the task is free again.
func (s *Store) claimNext(ctx context.Context, owner string) (task.Record, error) {
	for {
		r, wait, err := s.claim(ctx, owner)
		switch {
		case errors.Is(err, task.ErrNotFound): // it has just expired
		case err != nil || r.ID != "":
			return r, err
		default:
			if err := s.awaitFree(ctx, wait); err != nil {
				return task.Record{}, err
			}
		}
	}
}

// claim claims a free task. If there is none, the record has no id, and wait describes the next event to wait for.
func (s *Store) claim(ctx context.Context, owner string) (r task.Record, wait func(context.Context) error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return task.Record{}, wait, err
	}
	id, wait := s.leases.Take()
	if id == "" {
		return task.Record{}, wait, nil
	}
	before := s.epochOf(id)
	e, err := s.findIdle(ctx, id)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return task.Record{}, wait, err
	case err != nil:
		s.leases.Free(id)
		return task.Record{}, wait, err
	case e.record.Status.Ended(), s.epochOf(id) != before: // no longer claimable by this caller
		return task.Record{}, wait, task.ErrNotFound
	}
	if r, err = s.update(e, task.Claimed(e.record, owner)); err != nil {
		s.leases.Give(id, 0) // unclaimed; retried when this lease has expired
		return task.Record{}, wait, err
	}
	if err := ctx.Err(); err != nil {
		s.leases.Free(id)
		return task.Record{}, wait, err
	}
	s.leases.Give(id, r.Durable.Epoch)
	return r, wait, nil
}

// epochOf returns the epoch of a durable task; 0 if there is none. The caller holds s.mu.
func (s *Store) epochOf(id string) uint64 {
	if e := s.tasks[id]; e != nil && e.record.Durable != nil {
		return e.record.Durable.Epoch
	}
	return 0
}

// awaitFree waits until a task may be free or the store is closed.
func (s *Store) awaitFree(ctx context.Context, wait func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := wait(ctx)
	if s.isClosed() {
		return ErrClosed
	}
	return err
}

// Renew implements [task.Queue]. It does not write: leases end with the process.
func (s *Store) Renew(ctx context.Context, id string, epoch uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.leased(ctx, id, epoch); err != nil {
		return err
	}
	s.leases.Give(id, epoch)
	return nil
}

// Release implements [task.Queue].
func (s *Store) Release(ctx context.Context, id string, epoch uint64, why string) error {
	_, err := inTime(ctx, func() (struct{}, error) { return struct{}{}, s.release(ctx, id, epoch, why) })
	return err
}

// release is Release, but waits for the disk.
func (s *Store) release(ctx context.Context, id string, epoch uint64, why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.leased(ctx, id, epoch)
	if err != nil {
		return err
	}
	if _, err = s.update(e, task.Released(e.record, why)); err == nil && !e.gone {
		s.leases.Free(id)
	}
	return err
}

// leased returns the entry of a task with a lease for this epoch and no write in progress. The caller holds s.mu.
func (s *Store) leased(ctx context.Context, id string, epoch uint64) (*entry, error) {
	e, err := s.findIdle(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case e.record.Status.Ended():
		return nil, task.ErrEnded
	case !s.leases.Has(id, epoch):
		return nil, task.ErrStale
	}
	return e, nil
}
