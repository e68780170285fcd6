package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/bench/load"
)

// TestPeers builds and runs all peers, and holds all of them to answering.
func TestPeers(t *testing.T) {
	t.Parallel()
	for era, want := range map[string][]string{
		"legacy": {"mcptool", "go-sdk", "mcp-go", "mcp-go-unchecked", "bare"},
		"modern": {"mcptool", "go-sdk", "mcp-go", "mcp-go-unchecked"},
	} {
		code, stdout, stderr := benched(t, "peers", "--era", era, "-n", "20", "-c", "4", "--warmup", "0s", "--rounds", "2", "--json")
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit code %d: %s", era, code, stderr)
		}
		var report load.Report
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, c := range report.Rows[0].Cells {
			names = append(names, c.Server)
			if c.OK != 20 || c.Failed != 0 || (c.Ratio == nil) != (i == 0) {
				t.Errorf("%s: %s: %+v", era, c.Server, c)
			}
		}
		if !slices.Equal(names, want) || len(report.Rows) != 1 {
			t.Errorf("%s: measured were %q in %d rows", era, names, len(report.Rows))
		}
	}
	if code, _, _ := benched(t, "peers", "--era", "modern", "--only", "bare"); code != exitUsage {
		t.Errorf("exit code %d of what cannot be", code)
	}
}
