// Package firstrun_test follows a new user from the README to a tool whose panic is in the log.
package firstrun_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestFirstRun runs the script in this directory. With -v it shows what the user sees.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs, and starts nginx")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	cmd := exec.CommandContext(t.Context(), bash, "./run")
	cmd.WaitDelay = time.Second // if the script is killed, its servers keep the output open
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	if _, reason, skipped := strings.Cut(string(out), "skipped: "); skipped {
		t.Skip(reason)
	}
}
