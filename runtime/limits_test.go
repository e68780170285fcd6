package runtime_test

import (
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

func TestLimitsResolved(t *testing.T) {
	t.Parallel()
	defaults := runtime.Limits{}.Resolved()
	if defaults.Resolved() != defaults {
		t.Error("resolving twice changes something")
	}
	negative := runtime.Limits{
		Message: -1, Depth: -1, Concurrent: -1, Queue: -1, QueueBytes: -1, Batch: -1, Listens: -1, Page: -1, Text: -1,
		ProgressInterval: -1, LogRate: -1, CloseGrace: -1,
	}
	if negative.Resolved() != defaults {
		t.Errorf("negative limits are %+v, want the defaults", negative.Resolved())
	}
	if defaults.Message != 16<<20 || defaults.Depth != 256 || defaults.Concurrent != 64 {
		t.Errorf("the defaults are %+v", defaults)
	}
	own := runtime.Limits{
		Message: 1, Depth: 2, Concurrent: 3, Queue: 4, QueueBytes: 5, Batch: 6, Listens: 7, Page: 8, Text: 9,
		ProgressInterval: time.Hour, LogRate: 10, CloseGrace: time.Minute,
	}
	if own.Resolved() != own {
		t.Errorf("%+v became %+v", own, own.Resolved())
	}
	if got := (runtime.Limits{Depth: 1 << 20}).Resolved().Depth; got != 1024 {
		t.Errorf("depth %d, want what the scanner can do", got)
	}
}
