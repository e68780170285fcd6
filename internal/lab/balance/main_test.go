package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// TestBalance runs the complete setup: three processes, nginx, and a load.
func TestBalance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three servers and nginx")
	}
	if _, err := testbed.FindNginx(); err != nil {
		t.Skip(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out, 8, 900); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{
		fmt.Sprintf("%-34s%8d%8d%8d%8d\n", "900 calls", 300, 300, 300, 0),
		" stops",
		"a subscriber at instance ",
		"a call reported progress 5 times",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, &out)
		}
	}
}
