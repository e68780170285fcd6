package main

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/bench/load"
	"github.com/mcptool-go/mcptool/bench/strangers"
)

// TestRunStrangers makes a few calls to servers of other frameworks, with one and with several in
// flight.
func TestRunStrangers(t *testing.T) {
	t.Parallel()
	strangers.Each(t, func(t *testing.T, s strangers.Server) {
		t.Helper()
		if s.Tool == "" {
			t.Skip("it has no tool that can be called without an answer of the user")
		}
		args := []string{"run", "--tool", s.Tool, "--args", string(s.Arguments), "-c", "1,4", "-n", "12", "--warmup", "0s", "--json"}
		for name, values := range s.Target.Header {
			args = append(args, "--header", name+": "+values[0])
		}
		if s.Target.URL != "" {
			args = append(args, s.Target.URL)
		} else {
			for _, env := range s.Target.Env {
				args = append(args, "--env", env)
			}
			args = append(append(args, "--"), s.Target.Command...)
		}
		code, stdout, stderr := benched(t, args...)
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
