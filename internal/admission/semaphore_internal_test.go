package admission

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestSemaphoreConcurrently checks that concurrent acquisitions, waits, abandoned waits and releases never exceed the
// limit, and leave no holder and no waiter.
func TestSemaphoreConcurrently(t *testing.T) {
	t.Parallel()
	const most, room, callers, workers, tries = 3, 4, 3, 12, 5000
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine waits forever
		s := NewQueuedSemaphore(most, room, room)
		var inside, waited, refused, gaveUp atomic.Int64
		visit := func(i int, impatient bool) {
			who := Caller{principal: strconv.Itoa(i)}
			turn, err := s.Queue(who)
			if err != nil {
				refused.Add(1)
				return
			}
			if turn != nil {
				if impatient && s.abandon(who, turn) {
					gaveUp.Add(1)
					return
				}
				<-turn
				waited.Add(1)
			}
			if n := inside.Add(1); n > most {
				t.Errorf("%d hold a semaphore of %d", n, most)
			}
			runtime.Gosched()
			inside.Add(-1)
			s.Release()
		}
		var wg sync.WaitGroup
		for i := range workers {
			wg.Go(func() {
				for try := range tries {
					visit(i%callers, (i+try)%5 == 0)
				}
			})
		}
		wg.Wait()
		if s.taken != 0 || s.waiting != 0 || len(s.lines) != 0 {
			t.Errorf("at the end, %d are held and %d wait", s.taken, s.waiting)
		}
		if waited.Load() == 0 || refused.Load() == 0 || gaveUp.Load() == 0 {
			t.Errorf("%d waited, %d were refused, %d gave up; want some of each", waited.Load(), refused.Load(), gaveUp.Load())
		}
	})
}
