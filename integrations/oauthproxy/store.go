package oauthproxy

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Store stores grants: one for each login of a user with a client, while its tokens are valid. A
// grant is created only after the provider has authenticated the user, so that others cannot fill
// the store. It has no secrets: tokens are not stored.
//
// The methods must be safe for concurrent use by every instance that shares the store. A grant that
// has expired does not exist. Errors may be wrapped; others mean that the store has failed.
type Store interface {
	// Create stores a new grant. The error is [ErrExists] or [ErrFull].
	Create(ctx context.Context, g Grant) error
	// Get returns a grant, or [ErrNotFound].
	Get(ctx context.Context, owner, id string) (Grant, error)
	// Update replaces the grant that has the owner, the id and the version of g, and increases its
	// version by one, atomically. The error is [ErrNotFound] if there is none.
	Update(ctx context.Context, g Grant) error
	// Delete deletes a grant. It returns nil if there is none.
	Delete(ctx context.Context, owner, id string) error
}

// Errors of a [Store].
var (
	ErrNotFound = errors.New("unknown grant")
	ErrExists   = errors.New("a grant with this id already exists")
	ErrFull     = errors.New("the store of grants is full")
)

// Grant is a record of a [Store], at most 4 KB. Do not modify Data, because it may be shared.
type Grant struct {
	Owner   string // the user, as 32 hexadecimal digits
	ID      string // letters and digits
	Version uint64
	Data    []byte // JSON
	Expires time.Time
}

func (g *Grant) key() string { return g.Owner + "/" + g.ID }

func (g *Grant) expired() bool { return !time.Now().Before(g.Expires) }

// Limits of [Memory] and [File].
const (
	defaultGrants = 10_000
	maxOwn        = 50 // grants of a user
)

// Memory is a [Store] in the memory of the process. Create one with [NewMemory]; the zero value is
// not usable.
type Memory struct {
	limit   int
	persist func(put *Grant, gone []string) error // nil for memory only

	write  sync.Mutex // held by writers, also while they persist
	mu     sync.Mutex // held while grants is changed, and by readers that do not hold write
	grants map[string]Grant
}

// NewMemory returns an empty store for up to limit grants; zero or less means 10 000. A user has at
// most 50: another one replaces the one that expires first, and its client has to log in again.
func NewMemory(limit int) *Memory {
	return &Memory{limit: cmp.Or(max(limit, 0), defaultGrants), grants: map[string]Grant{}}
}

// Create implements [Store].
func (m *Memory) Create(_ context.Context, g Grant) error {
	m.write.Lock()
	defer m.write.Unlock()
	if stored, ok := m.grants[g.key()]; ok && !stored.expired() {
		return ErrExists
	}
	gone, err := m.makeRoom(g.Owner)
	if err != nil {
		return err
	}
	return m.change(&g, gone...)
}

// makeRoom returns what to delete before a user gets another grant: those that have expired, and if
// the user has too many, the one that expires first. The caller holds m.write.
func (m *Memory) makeRoom(owner string) (gone []string, err error) {
	var own []Grant
	for key, g := range m.grants {
		if g.expired() {
			gone = append(gone, key)
		} else if g.Owner == owner {
			own = append(own, g)
		}
	}
	if len(own) >= maxOwn {
		first := slices.MinFunc(own, func(a, b Grant) int { return a.Expires.Compare(b.Expires) })
		gone = append(gone, first.key())
	}
	if len(m.grants)-len(gone) >= m.limit {
		return nil, ErrFull
	}
	return gone, nil
}

// Get implements [Store].
func (m *Memory) Get(_ context.Context, owner, id string) (Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.grants[owner+"/"+id]
	if !ok || g.expired() {
		return Grant{}, ErrNotFound
	}
	return g, nil
}

// Update implements [Store].
func (m *Memory) Update(_ context.Context, g Grant) error {
	m.write.Lock()
	defer m.write.Unlock()
	if stored, ok := m.grants[g.key()]; !ok || stored.expired() || stored.Version != g.Version {
		return ErrNotFound
	}
	g.Version++
	return m.change(&g)
}

// Delete implements [Store].
func (m *Memory) Delete(_ context.Context, owner, id string) error {
	m.write.Lock()
	defer m.write.Unlock()
	return m.change(nil, owner+"/"+id)
}

// change deletes grants and puts one, if it is not nil. The caller holds m.write.
func (m *Memory) change(put *Grant, gone ...string) error {
	if m.persist != nil {
		if err := m.persist(put, gone); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range gone {
		delete(m.grants, key)
	}
	if put != nil {
		m.grants[put.key()] = *put
	}
	return nil
}
