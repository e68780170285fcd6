package thirdparty_test

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/load"
)

// TestRun makes a few calls to servers of every framework, with one and with several in flight.
func TestRun(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s server) {
		t.Helper()
		if s.tool == "" {
			t.Skip("it has no tool that can be called without an answer of the user")
		}
		args := []string{"run", "--tool", s.tool, "--args", string(s.arguments), "-c", "1,4", "-n", "12", "--warmup", "0s", "--json"}
		code, stdout, stderr := runBench(t, append(args, s.benchArguments()...)...)
		if code != 0 {
			t.Fatalf("exit code %d: %s\n%s", code, stderr, stdout)
		}
		var report load.Report
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Fatal(err)
		}
		if len(report.Rows) != 2 {
			t.Fatalf("%d rows", len(report.Rows))
		}
		for _, row := range report.Rows {
			if c := row.Cells[0]; c.OK != 12 || c.Failed != 0 {
				t.Errorf("%d in flight: %d succeeded, failed: %v", row.InFlight, c.OK, c.First)
			}
		}
	})
}
