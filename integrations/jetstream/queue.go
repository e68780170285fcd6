package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/task"
)

// released is the watch key for released tasks, used by Claim instead of the hash of an id.
const released = "released"

// Calls of Claim look for free tasks every eighth of a lease, within these limits.
const leastClaimPause, mostClaimPause = 100 * time.Millisecond, 2 * time.Second

// LeaseTime implements [task.Queue].
func (s *store) LeaseTime() time.Duration { return s.leases.time }

// createDurable stores the record of a new durable task. It first stores the lease and the message that makes it
// claimable, so that no record lacks them; Claim removes a message without a record.
func (s *store) createDurable(ctx context.Context, e *entry) error {
	if err := s.giveNew(ctx, e); err != nil {
		return err
	}
	id, began := e.subject.id, time.Now()
	s.leases.began(id, e.record.Durable.Epoch, e.record.Expires())
	err := s.markDurable(ctx, e)
	if err == nil {
		err = s.writeNew(ctx, e)
	}
	if err == nil && time.Since(began) > s.leases.time/4 { // Claim may have removed it as a message without a record
		err = s.markDurable(ctx, e)
	}
	if errors.Is(err, task.ErrConflict) || errors.Is(err, task.ErrFull) {
		s.drop(ctx, id)
	}
	return err
}

// giveNew acquires the lease of a new task; the error is [task.ErrConflict] if its record exists. A lease without a
// record belongs to a concurrent call that creates it, or to an interrupted one, and expires.
func (s *store) giveNew(ctx context.Context, e *entry) error {
	for pause := firstConflictPause; ; pause = min(2*pause, lastConflictPause) {
		err := s.give(ctx, e.subject.id)
		if !errors.Is(err, task.ErrConflict) {
			return err
		}
		switch old, err := s.kept(ctx, e.subject.id); {
		case errors.Is(err, task.ErrNotFound), err == nil && old.expired():
			if !sleep(ctx, pause) {
				return ctx.Err()
			}
		case err == nil, errors.Is(err, ErrRecord):
			return task.ErrConflict
		default:
			return err
		}
	}
}

// markDurable stores the message that makes a durable task claimable.
func (s *store) markDurable(ctx context.Context, e *entry) error {
	_, err := publish(ctx, s, s.names.durable(e.subject.id), []byte("{}"), natsjs.WithMsgTTL(messageTTL(&e.record)))
	return err
}

// Claim implements [task.Queue].
func (s *store) Claim(ctx context.Context, owner string) (task.Record, error) {
	woken, stop := s.watchers.add(released)
	defer stop()
	for {
		for id := s.leases.takeFree(); id != ""; id = s.leases.takeFree() {
			if r, err := s.claimOne(ctx, id, owner); err != nil || r.ID != "" {
				return r, err
			}
		}
		free, err := s.findFree(ctx)
		if err != nil {
			return task.Record{}, err
		}
		if len(free) > 0 {
			rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] }) //nolint:gosec // so that instances do not compete for the same one
			s.leases.setFree(free)
			continue
		}
		if err := s.pauseClaim(ctx, woken); err != nil {
			return task.Record{}, err
		}
	}
}

// pauseClaim waits until there may be a free task.
func (s *store) pauseClaim(ctx context.Context, woken <-chan struct{}) error {
	pause := min(max(s.leases.time/8, leastClaimPause), mostClaimPause)
	timer := time.NewTimer(pause*3/4 + rand.N(pause/4)) //nolint:gosec // need not be unpredictable
	defer timer.Stop()
	select {
	case <-woken:
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// findFree returns the hashes of the ids of durable tasks without a lease.
func (s *store) findFree(ctx context.Context) ([]string, error) {
	if err := s.notClosed(); err != nil {
		return nil, err
	}
	info, err := retry(ctx, s.link, func(ctx context.Context) (*natsjs.StreamInfo, error) {
		return s.streams.durable.Info(ctx, natsjs.WithSubjectFilter(s.names.durables()))
	})
	if err != nil {
		return nil, err
	}
	leased := map[string]bool{}
	for text := range info.State.Subjects {
		if id, isLease, ok := s.names.parseDurable(text); ok {
			leased[id] = leased[id] || isLease
		}
	}
	var free []string
	for id, has := range leased {
		if !has {
			free = append(free, id)
		}
	}
	return free, nil
}

// claimOne acquires the lease of a task and returns its record for the next run. The record has no id if another
// instance holds the lease, or the task is not to be run.
func (s *store) claimOne(ctx context.Context, id, owner string) (task.Record, error) {
	if err := s.notClosed(); err != nil {
		return task.Record{}, err
	}
	err := s.give(ctx, id)
	for err == nil {
		var e *entry
		if e, err = s.claimable(ctx, id, owner); err != nil || e == nil {
			break
		}
		if err = s.keepLease(ctx, id); err != nil {
			break
		}
		err = s.write(ctx, e)
		if err == nil {
			s.leases.began(id, e.record.Durable.Epoch, e.record.Expires())
			return e.record, nil
		}
		if errors.Is(err, task.ErrConflict) { // it was answered or cancelled, or another instance has the lease
			err = s.renew(ctx, id)
		}
	}
	s.leases.remove(id)
	if errors.Is(err, task.ErrConflict) {
		err = nil
	}
	return task.Record{}, err
}

// claimable returns the record of a free task as it will be stored; nil if it cannot be run.
func (s *store) claimable(ctx context.Context, id, owner string) (*entry, error) {
	e, err := s.kept(ctx, id)
	switch {
	case errors.Is(err, task.ErrNotFound), err == nil && (e.record.Status.Ended() || e.record.Durable == nil):
		s.forgetDurable(ctx, id)
		return nil, nil //nolint:nilnil // there is none
	case err == nil && e.expired(): // by the clock of this instance; the server will delete it
		return nil, nil //nolint:nilnil // there is none
	case err == nil && e.parts != nil:
		e, err = s.read(ctx, id, 0)
	}
	if err == nil {
		var next task.Record
		if next, err = task.Next(e.record, task.Claimed(e.record, owner)); err != nil {
			err = fmt.Errorf("%w: %w", ErrRecord, err)
		}
		e.record = next
	}
	if errors.Is(err, ErrRecord) { // keep the lease, so that it is retried later
		s.log.LogAttrs(ctx, slog.LevelError, "a durable task cannot be read, and is not run", slog.Any("error", err))
		return nil, nil //nolint:nilnil // there is none
	}
	return e, err
}

// Renew implements [task.Queue].
func (s *store) Renew(ctx context.Context, id string, epoch uint64) error {
	if err := s.notClosed(); err != nil {
		return err
	}
	key := hash(id)
	held, ok := s.leases.get(key)
	switch {
	case !ok || held.epoch != epoch:
		return s.notLeased(ctx, key)
	case !time.Now().Before(held.expires):
		s.leases.remove(key)
		return task.ErrNotFound
	}
	err := s.renew(ctx, key)
	if errors.Is(err, task.ErrConflict) {
		err = s.notLeased(ctx, key)
	}
	return err
}

// Release implements [task.Queue].
func (s *store) Release(ctx context.Context, id string, epoch uint64, why string) error {
	key := hash(id)
	if err := s.Renew(ctx, id, epoch); err != nil { // ensures that this run holds the lease while the record is changed
		return err
	}
	for {
		e, err := s.read(ctx, key, 0)
		if err != nil {
			return err
		}
		if e.record.Durable == nil || e.record.Durable.Epoch != epoch {
			return task.ErrStale
		}
		if e.record, err = task.Next(e.record, task.Released(e.record, why)); err != nil {
			return err
		}
		if err = s.write(ctx, e); errors.Is(err, task.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		s.drop(ctx, key)
		s.changed(released)
		return nil
	}
}

// notLeased returns why a run has no lease.
func (s *store) notLeased(ctx context.Context, id string) error {
	e, err := s.head(ctx, id)
	switch {
	case err != nil:
		return err
	case e.record.Status.Ended():
		return task.ErrEnded
	default:
		return task.ErrStale
	}
}

// notClosed returns [ErrClosed] if the connection is closed.
func (s *store) notClosed() error {
	done, err := s.enter()
	if err == nil {
		done()
	}
	return err
}
