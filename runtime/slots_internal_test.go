package runtime

import (
	stdruntime "runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestSlotsTogether: whoever comes, waits, gives up and leaves at the same time, there are never more in the slots than
// may be, of all callers and of one, nobody is left waiting, and in the end all are free.
func TestSlotsTogether(t *testing.T) {
	t.Parallel()
	const most, each, callers, workers, tries = 3, 2, 3, 12, 5000
	synctest.Test(t, func(t *testing.T) { // which ends with an error if some wait for ever
		s := newSlots(&Limits{Stateless: most, PerCaller: CallerLimits{Stateless: each}})
		var inside, waited, gaveUp atomic.Int64
		var own [callers]atomic.Int64
		visit := func(i int, impatient bool) {
			who := Caller{principal: strconv.Itoa(i)}
			if turn := s.take(who); turn != nil {
				if impatient && s.giveUp(who, turn) {
					gaveUp.Add(1)
					return
				}
				<-turn
				waited.Add(1)
			}
			if n, mine := inside.Add(1), own[i].Add(1); n > most || mine > each {
				t.Errorf("%d are in %d slots, of one caller %d of %d", n, most, mine, each)
			}
			stdruntime.Gosched()
			own[i].Add(-1)
			inside.Add(-1)
			s.leave(who)
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
			t.Errorf("in the end %d slots are taken, by %d callers, and %d wait", s.taken, s.byCaller.Len(), s.waiting.count)
		}
		if waited.Load() == 0 || gaveUp.Load() == 0 {
			t.Errorf("%d waited, %d gave up: nobody tried all there is", waited.Load(), gaveUp.Load())
		}
	})
}
