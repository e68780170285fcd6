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
)

// Servers have parents, which may die, and children, which may live on.

// TestParentGone kills a client with all that it could do about its server.
func TestParentGone(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "parent")
	p.ready(t)
	p.write(t, call(1, "sleep", `{"millis":600000}`)+call(2, "child", `{"script":"exec sleep 600","wait":true}`)+echoCall(3, "all are received"))
	readAnswer(t, p.lines)
	pid := p.childID(t)
	begin := time.Now()
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(p.lines) // which the server has open to its end
	if took := time.Since(begin); took > 4*time.Second+slack {
		t.Errorf("the server took %v to end", took)
	}
	wantGone(t, pid)
	_ = p.Wait() // until all of standard error is there
	if got := p.stderr.String(); !strings.Contains(got, "sleep cancelled") {
		t.Errorf("the call was not cancelled; answered %q; standard error is\n%s", rest, got)
	}
}

// runs reports whether a process runs; one that nobody has waited for does not.
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
	t.Errorf("process %d runs still", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// TestChildEndsWithItsCall: a child that was started with the context of a call ends when the session does.
func TestChildEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(p *process){
		"end of input": func(p *process) { p.in.Close() },
		"SIGTERM":      func(p *process) { _ = p.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":       func(p *process) { _ = p.Process.Signal(syscall.SIGHUP) },
		"broken pipe": func(p *process) {
			p.out.Close()
			_, _ = io.WriteString(p.in, echoCall(2, "for nobody"))
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

// TestChildThatOutlivesItsCall: what a tool leaves running keeps nobody waiting, neither the client, who sees the
// end of the output, nor the server, and its prints go where all others go.
func TestChildThatOutlivesItsCall(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "main")
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	p.Stderr = stderr // a pipe of it would be open as long as the child
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
			t.Errorf("answered %q", got)
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.in.Close()
	if rest := p.end(t, slack); rest != "" {
		t.Errorf("on standard output is %q", rest)
	}
	if !runs(pid) {
		t.Error("the child has ended, too: this test shows nothing")
	}
	if said, err := os.ReadFile(stderr.Name()); err != nil || !strings.Contains(string(said), "stray child\n") {
		t.Errorf("standard error is %q, %v", said, err)
	}
}

// TestChildHasNoneOfTheStreams: a child is given descriptors neither of the client's input nor of its output.
func TestChildHasNoneOfTheStreams(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	var pipes []string
	for _, end := range []any{p.in, p.out} {
		file, ok := end.(*os.File)
		if !ok {
			// What exec makes of a pipe to write to closes it once.
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
			t.Errorf("%s is open in a child:\n%s", pipe, got)
		}
	}
}

// TestUnreadStandardError: a client may leave standard error unread. A tool that prints more than fits into the pipe waits,
// and nobody else does; the end of the session comes in time.
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
			t.Errorf("answered %q", got)
		}
	}
	p.in.Close()
	p.end(t, 5*time.Second+slack) // the grace period, and what Close waits for
	stderr.Close()
}

// TestWithoutCgo runs a server that was built without cgo: the guard does not lean on C.
func TestWithoutCgo(t *testing.T) {
	t.Parallel()
	needNullDevice(t)
	if testing.Short() {
		t.Skip("builds a program")
	}
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
	p.write(t, call(1, "print", `{}`)+echoCall(2, "not eaten"))
	answers := p.answers(t, 2)
	p.in.Close()
	p.end(t, slack)
	if got := answers[1].text() + answers[2].text(); got != `read ""not eaten` {
		t.Errorf("answered %q", got)
	}
	for _, stray := range strays {
		if !strings.Contains(p.stderr.String(), stray) {
			t.Errorf("%q is not on standard error:\n%s", stray, p.stderr)
		}
	}
}
