package oauthproxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// Store stores grants: one for each login of a user with a client, while its tokens are valid. A
// grant is created only after the provider has authenticated the user, so that others cannot fill
// the store. It has no secrets: tokens are not stored.
//
// The methods must be safe for concurrent use by every instance that shares the store. A grant that
// has expired does not exist. Errors may be wrapped; others mean that the store has failed.
type Store interface {
	// Create stores a new grant. The error is [ErrExists] if there is a grant with its ID, also one of another owner,
	// or [ErrFull]. The ID is the state of a login, for which there must not be a second grant.
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
	ID      string // letters and digits, unique in the store
	Version uint64
	Data    []byte // JSON
	Expires time.Time
}

func (g *Grant) key() string { return g.Owner + "/" + g.ID }

func (g *Grant) expired() bool { return !time.Now().Before(g.Expires) }

// maxOwn is the maximum number of grants of a user.
const maxOwn = 50

// bucket has all grants of a file as JSON, by their keys.
var bucket = []byte("grants.v1")

// Grants is a [Store] for a single process: in memory ([NewMemory]), and with [OpenFile] also in a
// file. The zero value is not usable.
//
// A user has at most 50 grants: another one replaces the one that expires first, and its client has
// to log in again.
type Grants struct {
	limit int
	db    *bbolt.DB // nil for memory only

	write  sync.Mutex // held by writers, also while they write to the file
	mu     sync.Mutex // held while grants is changed, and by readers that do not hold write
	grants map[string]Grant
}

// NewMemory returns an empty store in memory, for up to limit grants; zero means 10 000. It panics if limit is negative.
func NewMemory(limit int) *Grants {
	if err := checkLimit(limit); err != nil {
		panic(err) //nolint:forbidigo // as time.NewTicker does for a duration
	}
	return &Grants{limit: cmp.Or(limit, 10_000), grants: map[string]Grant{}}
}

// checkLimit returns an error if the limit of a store is negative.
func checkLimit(limit int) error {
	if err := setting.NotNegative("limit", limit, "means the default, 10000"); err != nil {
		return fmt.Errorf("oauthproxy: %w", err)
	}
	return nil
}

// OpenFile returns a store in memory and in a file, so that logins survive the process. It opens the
// file, or creates it with permissions only for the user of the process (0600). The limit has the
// same meaning as for [NewMemory], but a negative one is an error. A change is on the disk when its method returns. If another
// process has the file open, the error comes after a second.
func OpenFile(path string, limit int) (*Grants, error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("oauthproxy: open %s: the file is in use by another process (waited 1s)", path)
	case err != nil:
		return nil, fmt.Errorf("oauthproxy: open %s: %w", path, err)
	}
	s := NewMemory(limit)
	s.db = db
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		return b.ForEach(func(key, text []byte) error {
			var g Grant
			err := json.Unmarshal(text, &g)
			s.grants[string(key)] = g
			return err
		})
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("oauthproxy: read %s: %w", path, err), db.Close())
	}
	return s, nil
}

// Close closes the file, if there is one. After that, changes return an error.
func (s *Grants) Close() error {
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// Create implements [Store].
func (s *Grants) Create(_ context.Context, g Grant) error {
	s.write.Lock()
	defer s.write.Unlock()
	gone, err := s.makeRoom(&g)
	if err != nil {
		return err
	}
	return s.change(&g, gone...)
}

// makeRoom returns what to delete before a user gets another grant: those that have expired, and if
// the user has too many, the one that expires first. The caller holds s.write.
func (s *Grants) makeRoom(added *Grant) (gone []string, err error) {
	var own []Grant
	for key, g := range s.grants {
		switch {
		case g.expired():
			gone = append(gone, key)
		case g.ID == added.ID:
			return nil, ErrExists
		case g.Owner == added.Owner:
			own = append(own, g)
		}
	}
	if len(own) >= maxOwn {
		first := slices.MinFunc(own, func(a, b Grant) int { return a.Expires.Compare(b.Expires) })
		gone = append(gone, first.key())
	}
	if len(s.grants)-len(gone) >= s.limit {
		return nil, ErrFull
	}
	return gone, nil
}

// Get implements [Store].
func (s *Grants) Get(_ context.Context, owner, id string) (Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.grants[owner+"/"+id]
	if !ok || g.expired() {
		return Grant{}, ErrNotFound
	}
	return g, nil
}

// Update implements [Store].
func (s *Grants) Update(_ context.Context, g Grant) error {
	s.write.Lock()
	defer s.write.Unlock()
	if stored, ok := s.grants[g.key()]; !ok || stored.expired() || stored.Version != g.Version {
		return ErrNotFound
	}
	g.Version++
	return s.change(&g)
}

// Delete implements [Store].
func (s *Grants) Delete(_ context.Context, owner, id string) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.change(nil, owner+"/"+id)
}

// change deletes grants and puts one, if it is not nil. The caller holds s.write.
func (s *Grants) change(put *Grant, gone ...string) error {
	if s.db != nil {
		err := s.db.Update(func(tx *bbolt.Tx) (err error) {
			b := tx.Bucket(bucket)
			for _, key := range gone {
				err = errors.Join(err, b.Delete([]byte(key)))
			}
			if put != nil {
				text, bad := json.Marshal(put)
				err = errors.Join(err, bad, b.Put([]byte(put.key()), text))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range gone {
		delete(s.grants, key)
	}
	if put != nil {
		s.grants[put.key()] = *put
	}
	return nil
}
