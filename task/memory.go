package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// MemoryLimits bounds what a [Memory] keeps. A member that is zero means its default; a negative one is a mistake.
type MemoryLimits struct {
	// Tasks is the maximum number of tasks; default 10 000. A task counts until its TTL has passed, because its result
	// must be kept until then.
	Tasks int
	// PerPrincipal is the maximum number of tasks of one principal of a tenant; default 1 000. All unauthenticated
	// callers of a tenant together are one principal.
	PerPrincipal int
	// Bytes is the maximum memory of all records, in bytes, including results; default 256 MiB, which is 16 times the
	// largest result that a server sends by default. If it is reached, no task can be created and no record can grow: a
	// task whose result does not fit fails.
	Bytes int64
	// BytesPerPrincipal is the maximum memory of the records of one principal of a tenant, in bytes; default 64 MiB.
	BytesPerPrincipal int64
}

// withDefaults returns the limits with the defaults filled in. The error has all that are negative.
func (l MemoryLimits) withDefaults() (MemoryLimits, error) {
	with := MemoryLimits{
		Tasks: cmp.Or(l.Tasks, 10_000), PerPrincipal: cmp.Or(l.PerPrincipal, 1_000),
		Bytes: cmp.Or(l.Bytes, 256<<20), BytesPerPrincipal: cmp.Or(l.BytesPerPrincipal, 64<<20),
	}
	return with, errors.Join(
		setting.NotNegative("MemoryLimits.Tasks", l.Tasks, "means the default, 10000"),
		setting.NotNegative("MemoryLimits.PerPrincipal", l.PerPrincipal, "means the default, 1000"),
		setting.NotNegative("MemoryLimits.Bytes", l.Bytes, "means the default, 256 MiB"),
		setting.NotNegative("MemoryLimits.BytesPerPrincipal", l.BytesPerPrincipal, "means the default, 64 MiB"),
	)
}

// Memory is a [Store] in the memory of the process. Its records are lost when the process ends, so it is not a [Queue].
// Create one with [NewMemory]; the zero value is not usable. It is safe for concurrent use.
type Memory struct {
	limits MemoryLimits

	mu    sync.Mutex
	tasks map[string]*kept
	owned map[Owner]load
	all   load
}

var _ Store = (*Memory)(nil)

// load is the number and size of stored records.
type load struct {
	tasks int
	bytes int64
}

// kept is a stored record.
type kept struct {
	record  Record
	changed chan struct{} // closed when the record changes or is removed
	expiry  *time.Timer
}

// NewMemory returns an empty store with these limits. It panics if one of them is negative.
func NewMemory(limits MemoryLimits) *Memory {
	limits, err := limits.withDefaults()
	if err != nil {
		panic(fmt.Errorf("task: %w", err)) //nolint:forbidigo // as time.NewTicker does for a duration
	}
	return &Memory{limits: limits, tasks: map[string]*kept{}, owned: map[Owner]load{}}
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := time.Until(r.Expires())
	_, taken := m.tasks[r.ID]
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !Valid(&r):
		return ErrInvalid
	case taken:
		return ErrExists
	case m.all.tasks >= m.limits.Tasks, m.owned[r.Owner].tasks >= m.limits.PerPrincipal, !m.fits(r.Owner, int64(r.Size())):
		return ErrFull
	}
	k := &kept{record: r, changed: make(chan struct{})}
	m.tasks[r.ID] = k
	m.count(r.Owner, 1, int64(r.Size()))
	k.expiry = time.AfterFunc(left, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.remove(k)
	})
	return nil
}

// remove removes k, unless it was removed already. The caller holds m.mu.
func (m *Memory) remove(k *kept) {
	if m.tasks[k.record.ID] != k {
		return
	}
	delete(m.tasks, k.record.ID)
	m.count(k.record.Owner, -1, -int64(k.record.Size()))
	k.expiry.Stop()
	close(k.changed)
}

// fits reports whether the records of an owner may grow by more bytes. The caller holds m.mu.
func (m *Memory) fits(owner Owner, more int64) bool {
	return m.all.bytes+more <= m.limits.Bytes && m.owned[owner].bytes+more <= m.limits.BytesPerPrincipal
}

// count adds to the load of an owner and of all; tasks and bytes may be negative. The caller holds m.mu.
func (m *Memory) count(owner Owner, tasks int, bytes int64) {
	m.all.tasks, m.all.bytes = m.all.tasks+tasks, m.all.bytes+bytes
	own := m.owned[owner]
	own.tasks, own.bytes = own.tasks+tasks, own.bytes+bytes
	if m.owned[owner] = own; own.tasks == 0 {
		delete(m.owned, owner)
	}
}

// find returns the stored record of a task, unless it has expired. The caller holds m.mu.
func (m *Memory) find(ctx context.Context, id string) (*kept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k, ok := m.tasks[id]
	if !ok || !time.Now().Before(k.record.Expires()) {
		return nil, ErrNotFound
	}
	return k, nil
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, id string) (Record, error) {
	return m.Wait(ctx, id, 0) // versions begin at 1
}

// Update implements [Store]. It never returns [ErrFull] for an update that ends the task without a result. It ignores a
// changed TTL.
func (m *Memory) Update(ctx context.Context, r Record) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(ctx, r.ID)
	if err != nil {
		return Record{}, err
	}
	next, err := Next(k.record, r)
	if err != nil {
		return Record{}, err
	}
	next.TTL = k.record.TTL
	more := int64(next.Size() - k.record.Size())
	if endsSmall := next.Status.Ended() && next.Result == nil; more > 0 && !endsSmall && !m.fits(next.Owner, more) {
		return Record{}, ErrFull
	}
	m.count(next.Owner, 0, more)
	close(k.changed)
	k.record, k.changed = next, make(chan struct{})
	return next, nil
}

// Wait implements [Store].
func (m *Memory) Wait(ctx context.Context, id string, seen uint64) (Record, error) {
	for {
		m.mu.Lock()
		k, err := m.find(ctx, id)
		if err != nil {
			m.mu.Unlock()
			return Record{}, err
		}
		r, changed := k.record, k.changed
		m.mu.Unlock()
		if r.Version > seen {
			if err := Reserve(ctx, r.Size()); err != nil { // r may be in use after the store has removed its record
				return Record{}, err
			}
			return r, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Record{}, ctx.Err()
		}
	}
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, owner Owner, after string, limit int) ([]Record, error) {
	list, err := m.list(ctx, owner, after, limit)
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range list {
		size += list[i].Size()
	}
	return list, Reserve(ctx, size)
}

// list is List without reserving memory.
func (m *Memory) list(ctx context.Context, owner Owner, after string, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var from *Record
	if after != "" {
		k, err := m.find(ctx, after)
		if err != nil || k.record.Owner != owner {
			return nil, ErrNotFound
		}
		from = &k.record
	}
	var found []*Record
	now := time.Now()
	for _, k := range m.tasks {
		if r := &k.record; r.Owner == owner && now.Before(r.Expires()) && (from == nil || compare(r, from) > 0) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, compare)
	list := make([]Record, min(limit, len(found)))
	for i := range list {
		list[i] = found[i].Head()
	}
	return list, ctx.Err()
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if k, ok := m.tasks[id]; ok {
		m.remove(k)
	}
	return nil
}

// compare compares two records by their order in [Store.List].
func compare(a, b *Record) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}
