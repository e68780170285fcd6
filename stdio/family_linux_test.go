package stdio_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// Tests of servers whose parent process dies or whose child processes outlive the call.

// TestParentGone kills the client, which can then neither close the server's input nor signal it.
func TestParentGone(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "parent")
	p.ready(t)
	p.write(t, call(1, "sleep", `{"millis":600000}`)+call(2, "child", `{"script":"exec sleep 600","wait":true}`)+echoCall(3, "received"))
	readAnswer(t, p.lines)
	pid := p.childID(t)
	begin := time.Now()
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(p.lines) // EOF when the server exits
	if took := time.Since(begin); took > 4*time.Second+slack {
		t.Errorf("the server took %v to end", took)
	}
	wantGone(t, pid)
	_ = p.Wait() // for the rest of standard error
	if got := p.stderr.String(); !strings.Contains(got, "sleep cancelled") {
		t.Errorf("the call was not cancelled; answered %q; standard error is\n%s", rest, got)
	}
}

// runs reports whether a process runs. A zombie does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if !runs(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d is still running", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// TestChildEndsWithItsCall: a child started with the context of a call ends with the session.
func TestChildEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(p *process){
		"end of input": func(p *process) { p.in.Close() },
		"SIGTERM":      func(p *process) { _ = p.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":       func(p *process) { _ = p.Process.Signal(syscall.SIGHUP) },
		"broken pipe": func(p *process) {
			p.out.Close()
			_, _ = io.WriteString(p.in, echoCall(2, "unread"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t, "main")
			p.write(t, call(1, "child", `{"script":"exec sleep 600","wait":true}`))
			pid := p.childID(t)
			leave(p)
			p.end(t, 2*time.Second+slack)
			wantGone(t, pid)
		})
	}
}

// TestChildThatOutlivesItsCall: a child that a tool leaves running delays neither the end of the output nor the exit of
// the server. Its output goes to standard error.
func TestChildThatOutlivesItsCall(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "main")
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	p.Stderr = stderr // a file: the child would keep a pipe open
	p.start(t)
	const script = `{"script":"while echo stray child; do sleep 0.1; done"}`
	p.write(t, call(1, "child", script))
	pid, err := strconv.Atoi(readAnswer(t, p.lines).text())
	if err != nil {
		t.Fatal(err)
	}
	defer wantGone(t, pid)
	defer syscall.Kill(pid, syscall.SIGKILL)
	for i := range 20 {
		text := fmt.Sprint(i)
		p.write(t, echoCall(2, text))
		if got := readAnswer(t, p.lines).text(); got != text {
			t.Errorf("echo = %q, want %q", got, text)
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.in.Close()
	if rest := p.end(t, slack); rest != "" {
		t.Errorf("unexpected standard output %q", rest)
	}
	if !runs(pid) {
		t.Error("the child ended before the server")
	}
	if stderr, err := os.ReadFile(stderr.Name()); err != nil || !strings.Contains(string(stderr), "stray child\n") {
		t.Errorf("standard error = %q, %v; want the child's output", stderr, err)
	}
}

// TestChildHasNoneOfTheStreams: a child does not inherit the descriptors of the client's pipes.
func TestChildHasNoneOfTheStreams(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	var pipes []string
	for _, end := range []any{p.in, p.out} {
		file, ok := end.(*os.File)
		if !ok {
			// StdinPipe wraps the file so that it is closed once.
			file = end.(interface{ Unwrap() *os.File }).Unwrap()
		}
		name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		pipes = append(pipes, name)
	}
	p.write(t, call(1, "child", `{"script":"ls -l /proc/$$/fd","wait":true}`))
	readAnswer(t, p.lines)
	p.in.Close()
	p.end(t, slack)
	for _, pipe := range pipes {
		if got := p.stderr.String(); strings.Contains(got, pipe) || !strings.Contains(got, "->") {
			t.Errorf("a child has %s open:\n%s", pipe, got)
		}
	}
}

// TestUnreadStandardError: if the client does not read standard error, a tool that fills the pipe blocks, but other
// calls and the end of the session do not.
func TestUnreadStandardError(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "main")
	p.Stderr = nil
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.start(t)
	p.write(t, call(1, "child", `{"script":"exec yes","wait":true}`)+call(2, "chatter", `{}`))
	for range 3 {
		time.Sleep(100 * time.Millisecond)
		p.write(t, echoCall(3, "through"))
		if got := readAnswer(t, p.lines).text(); got != "through" {
			t.Errorf("echo = %q, want \"through\"", got)
		}
	}
	p.in.Close()
	p.end(t, 5*time.Second+slack) // the grace period and the wait in Close
	stderr.Close()
}

// TestWithoutCgo runs a server built without cgo: guarding standard output needs no C.
func TestWithoutCgo(t *testing.T) {
	t.Parallel()
	needNullDevice(t)
	testscale.Nightly(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	file := filepath.Join(t.TempDir(), "server")
	build := exec.CommandContext(t.Context(), tool, "test", "-c", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newProcess(t, "main")
	p.Path = file
	p.start(t)
	p.write(t, call(1, "print", `{}`)+echoCall(2, "b"))
	answers := p.answers(t, 2)
	p.in.Close()
	p.end(t, slack)
	if got := answers[1].text() + answers[2].text(); got != `read ""b` {
		t.Errorf("answers = %q", got)
	}
	for _, stray := range strays {
		if !strings.Contains(p.stderr.String(), stray) {
			t.Errorf("standard error lacks %q:\n%s", stray, p.stderr)
		}
	}
}
