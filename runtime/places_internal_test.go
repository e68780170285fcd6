package runtime

import (
	stdruntime "runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestPlacesTogether: whoever comes, waits, gives up and leaves at the same time, there are never more in a place than
// there are places, nobody is left waiting, and in the end all are free.
func TestPlacesTogether(t *testing.T) {
	t.Parallel()
	const most, room, callers, tries = 3, 4, 12, 5000
	synctest.Test(t, func(t *testing.T) { // which ends with an error if some wait for ever
		p := &places{most: most, waiting: waitlist{room: room, each: room}}
		var inside, waited, refused, gaveUp atomic.Int64
		visit := func(who Caller, impatient bool) {
			if !p.take() {
				turn, err := p.queue(who)
				switch {
				case err != nil:
					refused.Add(1)
					return
				case turn == nil: // a place has become free
				case impatient && p.giveUp(who, turn):
					gaveUp.Add(1)
					return
				default:
					<-turn
					waited.Add(1)
				}
			}
			if n := inside.Add(1); n > most {
				t.Errorf("%d are in %d places", n, most)
			}
			stdruntime.Gosched()
			inside.Add(-1)
			p.leave()
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
		if taken := p.taken.Load(); taken != 0 || p.waiting.count != 0 {
			t.Errorf("in the end %#x places are taken, and %d wait", taken, p.waiting.count)
		}
		if waited.Load() == 0 || refused.Load() == 0 || gaveUp.Load() == 0 {
			t.Errorf("%d waited, %d were refused, %d gave up: nobody tried all there is", waited.Load(), refused.Load(), gaveUp.Load())
		}
	})
}
