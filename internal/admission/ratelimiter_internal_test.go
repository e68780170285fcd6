package admission

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestRateLimiterForgets checks that the number of callers in memory is bounded, that new callers are not refused, and
// that a caller gains nothing by being forgotten.
func TestRateLimiterForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRateLimiter[int](1, time.Minute, 1)
		for i := range maxCallers {
			if wait := r.Take(i, time.Now()); wait != 0 {
				t.Fatalf("caller %d waits %v", i, wait)
			}
		}
		for i := range 100 {
			if wait := r.Take(maxCallers+i, time.Now()); wait != 0 || len(r.callers) != maxCallers {
				t.Fatalf("caller %d waits %v, and %d are remembered", maxCallers+i, wait, len(r.callers))
			}
			if r.Take(maxCallers+i, time.Now()) == 0 {
				t.Fatalf("caller %d has two calls", maxCallers+i)
			}
		}
		r = NewRateLimiter[int](1, time.Minute, 1)
		for i := range maxCallers {
			_ = r.Take(i, time.Now())
		}
		time.Sleep(59 * time.Second)
		if wait := r.Take(0, time.Now()); wait != time.Second {
			t.Errorf("the first caller waits %v, want 1s", wait)
		}
		time.Sleep(time.Second)
		_ = r.Take(maxCallers, time.Now())
		if len(r.callers) != 1 { // this one
			t.Errorf("%d callers are remembered who could call as if they never had", len(r.callers)-1)
		}
	})
}

// TestRateLimiterConcurrently checks that concurrent callers get exactly the calls that the limit allows.
func TestRateLimiterConcurrently(t *testing.T) {
	t.Parallel()
	const burst, callers, tries = 50, 4, 200
	r := NewRateLimiter[int](1, time.Hour, burst)
	now := time.Now()
	var allowed [callers]atomic.Int32
	var wg sync.WaitGroup
	for i := range 2 * callers { // two for each
		wg.Go(func() {
			for range tries {
				if r.Take(i%callers, now) == 0 {
					allowed[i%callers].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for i := range allowed {
		if n := allowed[i].Load(); n > burst || n == 0 {
			t.Errorf("caller %d has had %d calls, of %d", i, n, burst)
		}
	}
}
