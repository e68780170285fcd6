package golden_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/golden"
)

func TestFile(t *testing.T) {
	f := golden.Open(t, "testdata/example.golden")
	f.Check(t, "one line", "text")
	f.Check(t, "two lines", "first\nsecond")
	f.Check(t, "nothing", "")
}

// TestDifference holds that a difference is one.
func TestDifference(t *testing.T) {
	f := golden.Open(t, "testdata/difference.golden")
	got := &recorder{TB: t}
	f.Check(got, "case", "what the test got")
	if !got.failed {
		t.Error("a result that is not the one in the file passed")
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
