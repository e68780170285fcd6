package limit

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestSemaphoreConcurrently: whoever comes, waits, gives up and leaves at the same time, there are never more holders than
// its size, nobody is left waiting, and in the end all is free.
func TestSemaphoreConcurrently(t *testing.T) {
	t.Parallel()
	const most, room, callers, tries = 3, 4, 12, 5000
	synctest.Test(t, func(t *testing.T) { // which ends with an error if some wait for ever
		s := NewSemaphore(most, room, room)
		var inside, waited, refused, gaveUp atomic.Int64
		visit := func(who Caller, impatient bool) {
			if !s.TryAcquire() {
				turn, err := s.Queue(who)
				switch {
				case err != nil:
					refused.Add(1)
					return
				case turn == nil: // it has become free
				case impatient && s.abandon(who, turn):
					gaveUp.Add(1)
					return
				default:
					<-turn
					waited.Add(1)
				}
			}
			if n := inside.Add(1); n > most {
				t.Errorf("%d hold a semaphore of %d", n, most)
			}
			runtime.Gosched()
			inside.Add(-1)
			s.Release()
		}
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				for try := range tries {
					visit(Caller{principal: strconv.Itoa(i % 3)}, (i+try)%5 == 0)
				}
			})
		}
		wg.Wait()
		if taken := s.taken.Load(); taken != 0 || s.waiting.count != 0 {
			t.Errorf("in the end %#x are held, and %d wait", taken, s.waiting.count)
		}
		if waited.Load() == 0 || refused.Load() == 0 || gaveUp.Load() == 0 {
			t.Errorf("%d waited, %d were refused, %d gave up: nobody tried all there is", waited.Load(), refused.Load(), gaveUp.Load())
		}
	})
}
