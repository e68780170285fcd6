package admission_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
)

func TestTokenBucket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b admission.TokenBucket
		taken := func() (n int) {
			for range 1000 {
				if b.Take(10) {
					n++
				}
			}
			return n
		}
		if n := taken(); n != 10 {
			t.Errorf("%d at once, want 10", n)
		}
		time.Sleep(500 * time.Millisecond)
		if n := taken(); n != 5 {
			t.Errorf("%d after half a second, want 5", n)
		}
		time.Sleep(time.Hour)
		if n := taken(); n != 10 {
			t.Errorf("%d after an hour, want 10: what was not used is not saved up", n)
		}
	})
}
