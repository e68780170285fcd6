package main

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// TestDeploy restarts three processes behind nginx under load, with clients in Go.
func TestDeploy(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three servers and nginx, and takes 10 s")
	}
	if _, err := testbed.FindNginx(); err != nil {
		t.Skip(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out, options{secret: "of the test", rounds: 1}); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if got := strings.Count(out.String(), "  works\n"); got != 8 {
		t.Errorf("%d clients work, want 8:\n%s", got, &out)
	}
}
