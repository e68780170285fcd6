package task

import (
	"context"
	"errors"
	"time"
)

// LeaseTime implements [Queue].
func (m *Memory) LeaseTime() time.Duration { return m.leases.Time() }

// Claim implements [Queue].
func (m *Memory) Claim(ctx context.Context, owner string) (Record, error) {
	for {
		r, wait, err := m.claim(ctx, owner)
		switch {
		case errors.Is(err, ErrNotFound): // the task has just expired; try the next one
		case err != nil || r.ID != "":
			return r, err
		default:
			if err := wait(ctx); err != nil {
				return Record{}, err
			}
		}
	}
}

// claim claims a free task. If there is none, the record has no id, and wait waits for the next one.
func (m *Memory) claim(ctx context.Context, owner string) (r Record, wait func(context.Context) error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Record{}, wait, err
	}
	id, wait := m.leases.Take()
	if id == "" {
		return Record{}, wait, nil
	}
	k, err := m.find(ctx, id)
	if err != nil {
		return Record{}, wait, err
	}
	if r, err = m.update(k, Claimed(k.record, owner)); err != nil {
		m.leases.Give(id, 0) // a lease without an owner: the task becomes free again when it expires
		return Record{}, wait, err
	}
	m.leases.Give(id, r.Durable.Epoch)
	return r, wait, nil
}

// Renew implements [Queue].
func (m *Memory) Renew(ctx context.Context, id string, epoch uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.leased(ctx, id, epoch); err != nil {
		return err
	}
	m.leases.Give(id, epoch)
	return nil
}

// Release implements [Queue].
func (m *Memory) Release(ctx context.Context, id string, epoch uint64, why string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.leased(ctx, id, epoch)
	if err != nil {
		return err
	}
	if _, err = m.update(k, Released(k.record, why)); err == nil {
		m.leases.Free(id)
	}
	return err
}

// leased returns the stored record of a task, if the run with this epoch has its lease. The caller holds m.mu.
func (m *Memory) leased(ctx context.Context, id string, epoch uint64) (*kept, error) {
	k, err := m.find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case k.record.Status.Ended():
		return nil, ErrEnded
	case !m.leases.Has(id, epoch):
		return nil, ErrStale
	}
	return k, nil
}
