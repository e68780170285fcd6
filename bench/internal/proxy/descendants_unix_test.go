//go:build unix

package proxy_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/proxy"
)

func TestStdioLeavesNothingRunning(t *testing.T) {
	var out buffer
	if err := proxy.Stdio(t.Context(), server("forks"), neverEnding(t), &out, io.Discard, keep); err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`"pid":(\d+)`).FindStringSubmatch(out.String())
	if match == nil {
		t.Fatalf("output %q has no pid", out.String())
	}
	pid, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // until init has reaped it
		if err = syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) || isZombie(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d, started by the server, is still running", pid)
}

// isZombie reports whether a process has ended but was not reaped.
func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && bytes.Contains(stat, []byte(") Z "))
}
