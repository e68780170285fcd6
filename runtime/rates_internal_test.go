package runtime

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestRatesAreForgotten: however many callers there are, few are remembered, and
// forgetting one gives him nothing.
func TestRatesAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRates(mcptool.Rate{Calls: 1, Per: time.Minute, Burst: 1})
		name := func(i int) caller { return caller{principal: strconv.Itoa(i)} }
		for i := range maxCallers {
			if wait := r.take(name(i), time.Now()); wait != 0 {
				t.Fatalf("caller %d waits %v", i, wait)
			}
		}
		if r.take(name(maxCallers), time.Now()) != 0 || r.take(name(maxCallers+1), time.Now()) == 0 || len(r.callers) != maxCallers {
			t.Errorf("of %d callers those beyond %d do not share a rate", len(r.callers), maxCallers)
		}
		time.Sleep(59 * time.Second)
		_ = r.take(name(maxCallers), time.Now())
		if wait := r.take(name(0), time.Now()); wait != time.Second {
			t.Errorf("the first caller waits %v, want 1s", wait)
		}
		time.Sleep(time.Second)
		_ = r.take(name(maxCallers), time.Now())
		if len(r.callers) != 1 {
			t.Errorf("%d callers are remembered who could call as if they never had", len(r.callers)-1)
		}
	})
}
