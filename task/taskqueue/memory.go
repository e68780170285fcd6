package taskqueue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// Memory is a [task.Queue] in the memory of the process. Its records are lost when the process ends, so a durable task
// can outlive a [runtime.Server] only if another Server in the same process shares the Memory. It is for tests of that;
// without durable tasks use [task.Memory]. Create one with [NewMemory]; the zero value is not usable. It is safe for
// concurrent use.
//
// [runtime.Server]: https://pkg.go.dev/github.com/mcptool-go/mcptool/runtime#Server
type Memory struct {
	*task.Memory
	mu     sync.Mutex // held while a record and its lease change
	leases *Leases
}

var _ task.Queue = (*Memory)(nil)

// NewMemory returns an empty queue with these limits. A lease lasts for the duration lease, see [NewLeases]. It panics if one of them
// is negative.
func NewMemory(limits task.MemoryLimits, lease time.Duration) *Memory {
	return &Memory{Memory: task.NewMemory(limits), leases: NewLeases(lease)}
}

// Create implements [task.Store].
func (m *Memory) Create(ctx context.Context, r task.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.Memory.Create(ctx, r)
	if err == nil && r.Durable != nil {
		m.leases.Give(r.ID, r.Durable.Epoch)
	}
	return err
}

// Update implements [task.Store].
func (m *Memory) Update(ctx context.Context, r task.Record) (task.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	stored, err := m.Memory.Update(ctx, r)
	if err == nil && stored.Status.Ended() {
		m.leases.Forget(r.ID)
	}
	return stored, err
}

// Delete implements [task.Store].
func (m *Memory) Delete(ctx context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.Memory.Delete(ctx, id)
	if err == nil {
		m.leases.Forget(id)
	}
	return err
}

// LeaseTime implements [task.Queue].
func (m *Memory) LeaseTime() time.Duration { return m.leases.Time() }

// Claim implements [task.Queue].
func (m *Memory) Claim(ctx context.Context, owner string) (task.Record, error) {
	for {
		r, wait, err := m.claim(ctx, owner)
		switch {
		case errors.Is(err, task.ErrNotFound): // the task has expired; try the next one
		case err != nil || r.ID != "":
			return r, err
		default:
			if err := wait(ctx); err != nil {
				return task.Record{}, err
			}
		}
	}
}

// claim claims a free task. If there is none, the record has no id, and wait waits for the next one.
func (m *Memory) claim(ctx context.Context, owner string) (r task.Record, wait func(context.Context) error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return task.Record{}, wait, err
	}
	id, wait := m.leases.Take()
	if id == "" {
		return task.Record{}, wait, nil
	}
	if r, err = m.Get(ctx, id); err == nil {
		r, err = m.Memory.Update(ctx, task.Claimed(r, owner))
	}
	switch {
	case err == nil:
		m.leases.Give(id, r.Durable.Epoch)
	case !errors.Is(err, task.ErrNotFound):
		m.leases.Give(id, 0) // a lease without an owner: the task becomes free again when it expires
	}
	return r, wait, err
}

// Renew implements [task.Queue].
func (m *Memory) Renew(ctx context.Context, id string, epoch uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.leased(ctx, id, epoch); err != nil {
		return err
	}
	m.leases.Give(id, epoch)
	return nil
}

// Release implements [task.Queue].
func (m *Memory) Release(ctx context.Context, id string, epoch uint64, why string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.leased(ctx, id, epoch)
	if err != nil {
		return err
	}
	if _, err = m.Memory.Update(ctx, task.Released(r, why)); err == nil {
		m.leases.Free(id)
	}
	return err
}

// leased returns the stored record of a task, if the run with this epoch has its lease. The caller holds m.mu.
func (m *Memory) leased(ctx context.Context, id string, epoch uint64) (task.Record, error) {
	r, err := m.Get(ctx, id)
	switch {
	case err != nil:
		return task.Record{}, err
	case r.Status.Ended():
		return task.Record{}, task.ErrEnded
	case !m.leases.Has(id, epoch):
		return task.Record{}, task.ErrStale
	}
	return r, nil
}
