package outbound

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
)

// TestKeyedSemaphore checks that each key has its own semaphore, which is removed when it is not used.
func TestKeyedSemaphore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size = 2
		s := NewKeyedSemaphore[string](size)
		var inside [2]atomic.Int32
		var wait sync.WaitGroup
		start := time.Now()
		for i := range 6 {
			for key, name := range []string{"a", "b"} {
				wait.Go(func() {
					release, err := s.Acquire(t.Context(), name, admission.Caller{}, 2500*time.Millisecond)
					if err != nil {
						t.Errorf("acquisition %d of %s: %v", i, name, err)
						return
					}
					if n := inside[key].Add(1); n > size {
						t.Errorf("%d have acquired %s", n, name)
					}
					time.Sleep(time.Second)
					inside[key].Add(-1)
					release()
				})
			}
		}
		time.Sleep(100 * time.Millisecond)
		if _, err := s.Acquire(t.Context(), "a", admission.Caller{}, time.Second); !errors.Is(err, admission.ErrTimeout) {
			t.Errorf("a full semaphore: got %v", err)
		}
		wait.Wait()
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
		if n := len(s.byKey); n != 0 {
			t.Errorf("%d keys are remembered", n)
		}
	})
}
