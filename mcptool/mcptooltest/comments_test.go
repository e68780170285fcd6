package mcptooltest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestCheckComments checks that CheckComments runs the commands of go:generate with --check. The commands of this test
// accept any arguments, or fail.
func TestCheckComments(t *testing.T) {
	for _, test := range []struct{ name, source, want, reason string }{
		{"up to date", "//go:generate go env bench comments\n", "", "the command succeeds"},
		{"stale", "//go:generate go nonsense bench comments --out x.go\n", "run go generate: go nonsense bench comments --out x.go --check: exit status 2", "the command fails"},
		{"no line", "// go:generate go env bench comments\n", "no Go file here has the line //go:generate go tool bench comments", "go generate would not run it"},
		{"other line", "//go:generate go run ./bench docs\n", "no Go file here has the line", "another command is not run"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("app.go", []byte("package app\n\n"+test.source), 0o600); err != nil {
				t.Fatal(err)
			}
			l := &listener{TB: t}
			mcptooltest.CheckComments(l)
			if got := l.errors; (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q; %s", got, test.want, test.reason)
			}
		})
	}
}
