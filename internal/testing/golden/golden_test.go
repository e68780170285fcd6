package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
)

func TestFile(t *testing.T) {
	f := golden.Open(t, "testdata/example.golden")
	f.Check(t, "one line", "text")
	f.Check(t, "two lines", "first\nsecond")
	f.Check(t, "nothing", "")
}

// TestDifference checks that a result that differs from the file, or is missing from it, is an error that shows all
// lines.
func TestDifference(t *testing.T) {
	f := golden.Open(t, "testdata/difference.golden")
	f.Check(t, "lines", "one\ntwo\nthree\nfour")
	const differs = " differs from testdata/difference.golden (-want +got):\n"
	long := strings.Repeat("long ", 2000)
	for _, tt := range []struct{ reason, name, got, want string }{
		{"lines between others", "lines", "one\nthree\n" + long + "\nfour\nfive", "lines" + differs + "  one\n- two\n  three\n+ " + long + "\n  four\n+ five\n"},
		{"one line for all", "lines", "other", "lines" + differs + "- one\n- two\n- three\n- four\n+ other\n"},
		{"lines in another order", "lines", "two\none\nfour", "lines" + differs + "- one\n  two\n- three\n+ one\n  four\n"},
		{"a new block", "new", "first\n" + long, "new is not in testdata/difference.golden; it would be:\n+ first\n+ " + long + "\n"},
		{"a new block that is empty", "empty", "", "empty is not in testdata/difference.golden; it would be:\n+ \n"},
		{"a block that is too long", "long", strings.Repeat(long, 4), "long is not in testdata/difference.golden; it would be:\n+ " + strings.Repeat(long, 4)[:32<<10-2] + "\n… and 7235 bytes more"},
		{"too many lines to compare", "lines", "one" + strings.Repeat("\n", 2<<20), "lines" + differs + "  one\n- two\n- three\n- four\n+ \n+ \n"},
	} {
		got := &recorder{TB: t}
		f.Check(got, tt.name, tt.got)
		if len(got.failures) != 1 || !strings.HasPrefix(got.failures[0], tt.want) {
			t.Errorf("%s: printed %.1000q, want %.1000q", tt.reason, got.failures, tt.want)
		}
	}
}

type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
