package mcptool

import (
	"testing"
	"time"
)

func TestRateInTag(t *testing.T) {
	t.Parallel()
	for want, rate := range map[string]Rate{
		"0/s":            {},
		"2/s":            {Calls: 2},
		"10/s":           {Calls: 10, Per: time.Second, Burst: 10},
		"100/m burst=10": {Calls: 100, Per: time.Minute, Burst: 10},
		"5/1m30s":        {Calls: 5, Per: 90 * time.Second, Burst: 5},
	} {
		if got := rate.inTag(); got != want {
			t.Errorf("%+v: got %q, want %q", rate, got, want)
		}
	}
}
