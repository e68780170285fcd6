package thirdparty_test

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRecordReplay records the list and a call of the tools of servers of every framework, and replays them.
func TestRecordReplay(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s server) {
		t.Helper()
		if s.tool == "" {
			t.Skip("it has no tool that answers without a question")
		}
		file := filepath.Join(t.TempDir(), "session.txt")
		target := []string{"--", programPath(t, benchPackage), "record", "--out", file, "--"}
		target = append(target, s.target.Command...)
		if s.target.URL != "" {
			target = []string{recordHTTP(t, s, file)}
		}
		call := slices.Concat([]string{"call", s.tool, string(s.arguments), "--timeout", "2m"}, target)
		if code, out, stderr := runBench(t, call...); code != 0 || !strings.Contains(out, s.contains) {
			t.Fatalf("call: exit code %d\n%s%s", code, out, stderr)
		}
		replay := slices.Concat([]string{"replay", file, "--timeout", "2m", "--ignore", "**.timestamp"}, s.benchArguments())
		if code, out, stderr := runBench(t, replay...); code != 0 || !strings.HasPrefix(out, "no differences in ") {
			t.Errorf("replay: exit code %d\n%s%s", code, out, stderr)
		}
	})
}

// recordHTTP starts bench record in front of a server until the end of the test, and returns its address.
func recordHTTP(t *testing.T, s server, file string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programPath(t, benchPackage), slices.Concat([]string{"record", "--out", file}, s.benchArguments())...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context has ended
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if at := regexp.MustCompile(`connect clients to (\S+),`).FindStringSubmatch(lines.Text()); at != nil {
			return at[1]
		}
	}
	t.Fatalf("bench record ends without an address: %v", context.Cause(t.Context()))
	return ""
}
