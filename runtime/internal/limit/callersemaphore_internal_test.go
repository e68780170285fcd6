package limit

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestCallerSemaphoreConcurrently: whoever comes, waits, gives up and leaves at the same time, there are never more holders than
// allowed, in total and of one caller, nobody is left waiting, and in the end all is free.
func TestCallerSemaphoreConcurrently(t *testing.T) {
	t.Parallel()
	const most, each, callers, workers, tries = 3, 2, 3, 12, 5000
	synctest.Test(t, func(t *testing.T) { // which ends with an error if some wait for ever
		s := NewCallerSemaphore(most, each)
		var inside, waited, gaveUp atomic.Int64
		var own [callers]atomic.Int64
		visit := func(i int, impatient bool) {
			who := Caller{principal: strconv.Itoa(i)}
			if turn := s.queue(who); turn != nil {
				if impatient && s.abandon(who, turn) {
					gaveUp.Add(1)
					return
				}
				<-turn
				waited.Add(1)
			}
			if n, mine := inside.Add(1), own[i].Add(1); n > most || mine > each {
				t.Errorf("%d hold a semaphore of %d, of one caller %d of %d", n, most, mine, each)
			}
			runtime.Gosched()
			own[i].Add(-1)
			inside.Add(-1)
			s.Release(who)
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
		if s.taken != 0 || s.byCaller.Len() != 0 || s.waiting.count != 0 || len(s.waiting.lines) != 0 {
			t.Errorf("in the end %d are held, by %d callers, and %d wait", s.taken, s.byCaller.Len(), s.waiting.count)
		}
		if waited.Load() == 0 || gaveUp.Load() == 0 {
			t.Errorf("%d waited, %d gave up: nobody tried all there is", waited.Load(), gaveUp.Load())
		}
	})
}

// TestYield: who yields waits while others have a turn, and goes on before what else waits of the same caller. Nobody is
// given the semaphore when only the same caller waits.
func TestYield(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewCallerSemaphore(1, 1)
		ann, bob := Caller{principal: "ann"}, Caller{principal: "bob"}
		var order []string
		work := func(name string, who Caller) {
			if err := s.Acquire(t.Context(), who, 0); err != nil {
				t.Error(err)
				return
			}
			for i := range 2 {
				order = append(order, name+strconv.Itoa(i))
				time.Sleep(time.Second)
				if err := s.Yield(t.Context(), who); err != nil {
					t.Error(err)
					return
				}
			}
			s.Release(who)
		}
		for _, w := range []struct {
			name string
			who  Caller
		}{{"a", ann}, {"b", ann}, {"c", bob}} {
			go work(w.name, w.who)
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if want := []string{"a0", "c0", "a1", "c1", "b0", "b1"}; !slices.Equal(order, want) {
			t.Errorf("in turn: %q, want %q", order, want)
		}
		if s.taken != 0 || s.waiting.count != 0 || s.byCaller.Len() != 0 {
			t.Errorf("in the end %d are held and %d wait", s.taken, s.waiting.count)
		}

		if err := s.Acquire(t.Context(), ann, 0); err != nil {
			t.Fatal(err)
		}
		go work("d", bob)
		synctest.Wait()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Yield(over, ann); err == nil {
			t.Error("a context that has ended gets a turn before the other caller has ended")
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s.taken != 0 || s.waiting.count != 0 {
			t.Errorf("after an end %d are held and %d wait", s.taken, s.waiting.count)
		}
	})
}
