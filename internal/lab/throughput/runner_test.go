package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// TestServers runs a little of each workload with every server, which checks the responses of all. A full run does only
// more of the same.
func TestServers(t *testing.T) {
	t.Parallel()
	if _, err := process.Time(1); err != nil {
		t.Skip(err)
	}
	servers, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{servers: servers, workloads: workloads(), rounds: 1, span: time.Millisecond, progress: io.Discard}
	all, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range r.workloads {
		for _, s := range servers {
			if got := len(all[w.name][s.name]) == 1; got != slices.Contains(w.servers, s.name) {
				t.Errorf("%s: %s: measured: %t", w.name, s.name, got)
			}
		}
	}
	var printed strings.Builder
	if err := r.print(&printed, all); err != nil {
		t.Fatal(err)
	}
	for _, w := range r.workloads {
		if !strings.Contains(printed.String(), w.title) {
			t.Errorf("the tables do not contain %s:\n%s", w.title, printed.String())
		}
	}
}

// TestVerdicts checks that a target is missed by the least excess.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	r := &runner{workloads: workloads()}
	for _, test := range []struct {
		theirs time.Duration
		want   string
	}{{2500, "met"}, {2499, "MISSED"}} {
		all := results{"http-16": {ours: {{cpu: 100}}, goSDK: {{cpu: test.theirs}}}}
		if rows := r.verdicts(all); len(rows) != 3 || rows[2][0] != test.want {
			t.Errorf("1/25 of %d is 100: got %q, want %s", test.theirs, rows[2:], test.want)
		}
	}
}
