//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

// newTool allows sh, which no real server should: the tests use it to imitate
// commands.
func newTool(t *testing.T) *mcptool.Tool {
	t.Helper()
	r, err := newRunner([]string{"sh", "echo", "pwd", "env"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tool, err := mcptool.New(r.ExecuteCommand)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func call(ctx context.Context, t *testing.T, tool *mcptool.Tool, in map[string]any) (ExecuteOut, error) {
	t.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	res, err := tool.Call(ctx, args)
	if err != nil {
		return ExecuteOut{}, err
	}
	var out ExecuteOut
	if err := json.Unmarshal(res.Structured.(json.RawMessage), &out); err != nil {
		t.Fatal(err)
	}
	return out, nil
}

func sh(script string, timeout int) map[string]any {
	return map[string]any{"command": "sh", "args": []string{"-c", script}, "timeout_seconds": timeout}
}

func TestExecuteCommand(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	full := strings.Repeat("x", maxOutput)
	tests := []struct {
		name, reason string
		in           map[string]any
		want         ExecuteOut
	}{
		{"plain", "", map[string]any{"command": "echo", "args": []string{"hello"}}, ExecuteOut{Stdout: "hello\n"}},
		{"no arguments", "args may be left out", map[string]any{"command": "echo"}, ExecuteOut{Stdout: "\n"}},
		{"no shell", "words are words", map[string]any{"command": "echo", "args": []string{"$HOME", "*", "; rm -rf /", "a b"}}, ExecuteOut{Stdout: "$HOME * ; rm -rf / a b\n"}},
		{"failing", "a command that fails is an answer", sh("echo out; echo err >&2; exit 3", 10), ExecuteOut{ExitCode: 3, Stdout: "out\n", Stderr: "err\n"}},
		{"no input", "nothing waits for a keyboard, nor reads the client's messages", sh("cat; echo end", 10), ExecuteOut{Stdout: "end\n"}},
		{"too much", "the start is kept, and the command goes on", sh("head -c 300000 /dev/zero | tr '\\0' x; exit 2", 10), ExecuteOut{ExitCode: 2, Stdout: full, Truncated: true}},
		{"just enough", "the cap itself is no cut", sh("head -c 65536 /dev/zero | tr '\\0' x", 10), ExecuteOut{Stdout: full}},
		{"not UTF-8", "an answer is always text", sh(`printf 'a\377b'`, 10), ExecuteOut{Stdout: "a\uFFFDb"}},
		{"timeout", "with what it said before", sh("echo start; sleep 60", 1), ExecuteOut{ExitCode: -1, Stdout: "start\n", TimedOut: true}},
		{"killed", "a signal of its own", sh("kill -9 $$", 10), ExecuteOut{ExitCode: -1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t.Context(), t, tool, test.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, command := range []string{"ls", "/bin/echo", "./echo", "echo hello", "sh -c ls", "ECHO", "../sh"} {
		_, err := call(t.Context(), t, tool, map[string]any{"command": command})
		if err == nil || !strings.Contains(err.Error(), "allowed are: echo, env, pwd, sh") {
			t.Errorf("%q: %v, want what is allowed", command, err)
		}
	}
	for name, in := range map[string]map[string]any{
		"no time":       {"command": "echo", "timeout_seconds": 0},
		"too much time": {"command": "echo", "timeout_seconds": 3600},
		"one string":    {"command": "echo", "args": "-n hello"},
	} {
		_, err := call(t.Context(), t, tool, in)
		if wrong := new(mcptool.ArgumentError); !errors.As(err, &wrong) {
			t.Errorf("%s: %v, want an ArgumentError", name, err)
		}
	}
}

func TestUnknownCommandStopsTheServer(t *testing.T) {
	t.Parallel()
	if _, err := newRunner([]string{"echo", "no-such-command"}, "."); err == nil {
		t.Error("an allowed command that does not exist was accepted")
	}
}

func TestEnvironmentHoldsNoSecrets(t *testing.T) {
	t.Setenv("API_TOKEN", "hunter2")
	out, err := call(t.Context(), t, newTool(t), map[string]any{"command": "env"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.Stdout, "hunter2") || !strings.Contains(out.Stdout, "PATH=") {
		t.Errorf("the environment is\n%s", out.Stdout)
	}
}

// TestNoneIsLeft starts a command that starts another one, ends it in each possible
// way, and checks that the other one has also ended.
func TestNoneIsLeft(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script  string
		timeout int
		cancel  bool
	}{
		"timeout":      {"sleep 60 & echo $! > child; wait", 1, false},
		"cancellation": {"sleep 60 & echo $! > child; wait", 60, true},
		"its own end":  {"sleep 60 & echo $! > child", 60, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "child")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.cancel {
				go func() {
					waitForPID(file)
					cancel()
				}()
			}
			begin := time.Now()
			_, err := call(ctx, t, newTool(t), sh(strings.ReplaceAll(test.script, "child", file), test.timeout))
			if test.cancel != errors.Is(err, context.Canceled) {
				t.Errorf("returned %v", err)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			pid := waitForPID(file)
			if pid < 0 {
				t.Fatal("the command did not start its child")
			}
			for range 100 {
				if !alive(pid) {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Errorf("process %d is still there", pid)
		})
	}
}

func waitForPID(file string) int {
	for range 200 {
		data, err := os.ReadFile(file)
		if pid, bad := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && bad == nil {
			return pid
		}
		time.Sleep(50 * time.Millisecond)
	}
	return -1
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
