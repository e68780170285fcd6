package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// TestBefore compares this checkout with its last commit, and checks that the worktree is removed.
func TestBefore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles another commit")
	}
	if _, err := process.Time(1); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat("../../../.git"); err != nil {
		t.Skip("not a git checkout")
	}
	dir := t.TempDir()
	var printed strings.Builder
	r := &runner{rounds: 1, span: 20 * time.Millisecond, progress: io.Discard, workloads: workloadsBefore()}
	if err := r.compare(t.Context(), &printed, dir, "HEAD"); err != nil {
		t.Fatal(err)
	}
	for _, w := range r.workloads {
		row := regexp.MustCompile(`(?m)^\| (SLOWER)? *\| ` + regexp.QuoteMeta(w.title) + ` *(\| [\d.]+ µs *){2}(\| [\d.]+× *){3}\|$`)
		if !row.MatchString(printed.String()) {
			t.Errorf("the table has no ratios for %s:\n%s", w.title, printed.String())
		}
	}
	trees, err := git(t.Context(), "worktree", "list", "--porcelain")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(trees, dir) {
		t.Errorf("a worktree is left in %s:\n%s", dir, trees)
	}
}

// TestBeforeUnknown checks the error for a commit that does not exist.
func TestBeforeUnknown(t *testing.T) {
	t.Parallel()
	_, _, err := buildBoth(t.Context(), t.TempDir(), "-no-such-commit")
	if err == nil || !strings.Contains(err.Error(), "git rev-parse") {
		t.Errorf("got error %v, want one of git rev-parse", err)
	}
}

// TestSlower checks which ratios are reported as slower.
func TestSlower(t *testing.T) {
	t.Parallel()
	r := &runner{workloads: workloadsBefore()[:1]}
	for _, test := range []struct {
		name     string
		now      []time.Duration // in each round, 1000 before
		want     string
		isSlower bool
	}{
		{"within the limit", []time.Duration{1050, 900, 1200}, "| 1.05× | 0.90× | 1.20× |", false},
		{"above the limit", []time.Duration{1060, 900, 1200}, "| 1.06× | 0.90× | 1.20× |", true},
		{"faster", []time.Duration{500, 500, 500}, "| 0.50× | 0.50× | 0.50× |", false},
	} {
		all := results{"stdio-1": {}}
		for _, cpu := range test.now {
			all["stdio-1"][before] = append(all["stdio-1"][before], sample{cpu: 1000})
			all["stdio-1"][ours] = append(all["stdio-1"][ours], sample{cpu: cpu})
		}
		var printed strings.Builder
		if err := r.printBefore(&printed, all, "1234567"); err != nil {
			t.Fatal(err)
		}
		if got := printed.String(); !strings.Contains(got, test.want) || strings.Contains(got, "SLOWER") != test.isSlower {
			t.Errorf("%s: got\n%swant %s, slower: %t", test.name, got, test.want, test.isSlower)
		}
	}
}
