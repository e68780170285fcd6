package admission_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
)

func TestRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r admission.Repeated
		for i, step := range []struct {
			wait    time.Duration
			skipped int
			ok      bool
		}{
			{0, 0, true},
			{0, 0, false},
			{time.Minute - 1, 0, false},
			{1, 2, true}, // those that were not admitted do not prolong the interval
			{time.Hour, 0, true},
			{time.Second, 0, false},
		} {
			time.Sleep(step.wait)
			if skipped, ok := r.Admit(time.Minute); skipped != step.skipped || ok != step.ok {
				t.Errorf("step %d: got %d, %v; want %d, %v", i, skipped, ok, step.skipped, step.ok)
			}
		}
	})
}
