package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/load"
)

// TestCompare builds and measures all peers and checks that each of them
// responds.
func TestCompare(t *testing.T) {
	t.Parallel()
	want := []string{"mcptool", "go-sdk", "mcp-go", "mcp-go-unchecked", "bare"}
	for _, era := range []string{"legacy", "modern"} {
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), []string{"-era", era, "--", "-n", "20", "-c", "4", "--warmup", "0s", "--rounds", "2", "--json"}, &stdout, &stderr)
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("%s: %v: %s", era, err, &stderr)
		}
		var report load.Report
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
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
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, args, says string }{
		{"a peer that is not there", "-only rmcp", `there is no peer "rmcp"`},
		{"a tool that is not there", "-tool echo", `there is no tool "echo"`},
		{"an era that is not there", "-era auto", `there is no era "auto"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := run(t.Context(), strings.Fields(test.args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v, want %s", err, test.says)
			}
		})
	}
}
