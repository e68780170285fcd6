package outbound

import (
	"context"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
)

// KeyedSemaphore is one [admission.Semaphore] for each key, such as a host. It remembers only the keys that are in use. It
// is safe for concurrent use.
type KeyedSemaphore[K comparable] struct {
	size int

	mu    sync.Mutex
	byKey map[K]*keyed
}

// keyed is the semaphore of a key.
type keyed struct {
	*admission.Semaphore

	users int // that have acquired it or wait
}

// NewKeyedSemaphore returns a semaphore with this size for each key. Any number may wait.
func NewKeyedSemaphore[K comparable](size int) *KeyedSemaphore[K] {
	return &KeyedSemaphore[K]{size: size, byKey: map[K]*keyed{}}
}

// Acquire waits until it acquires the semaphore of a key, as [admission.Semaphore.Acquire] does. The caller must call
// release once, if the error is nil.
func (s *KeyedSemaphore[K]) Acquire(ctx context.Context, key K, who admission.Caller, timeout time.Duration) (release func(), err error) {
	s.mu.Lock()
	k := s.byKey[key]
	if k == nil {
		k = &keyed{Semaphore: admission.NewSemaphore(s.size)}
		s.byKey[key] = k
	}
	k.users++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(s.byKey, key)
		}
	}
	if err := k.Acquire(ctx, who, timeout); err != nil {
		leave()
		return nil, err
	}
	return func() {
		k.Release()
		leave()
	}, nil
}
