package thirdparty_test

import (
	"slices"
	"strings"
	"testing"
)

// TestListCall lists the tools of servers of every framework, and calls one.
func TestListCall(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s server) {
		t.Helper()
		target := s.benchArguments()
		code, out, stderr := runBench(t, append([]string{"list", "--timeout", "2m"}, target...)...)
		if code != 0 || !strings.Contains(out, "\n"+s.tool) || !strings.Contains(out, s.asking) {
			t.Errorf("list: exit code %d\n%s%s", code, out, stderr)
		}
		if s.tool == "" {
			return
		}
		code, out, stderr = runBench(t, slices.Concat([]string{"call", s.tool, string(s.arguments), "--timeout", "2m"}, target)...)
		if code != 0 || !strings.Contains(out, s.contains) {
			t.Errorf("call: exit code %d\n%s%s", code, out, stderr)
		}
	})
}
