//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// TestDevEnds ends bench dev in every way, also while it builds, and checks what is left.
func TestDevEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	d := newDev(t)
	for _, test := range []struct {
		name   string
		signal os.Signal
		code   int
		words  string
	}{
		{"SIGTERM", syscall.SIGTERM, exitInterrupted, "-- go run ."},
		{"SIGINT", os.Interrupt, exitInterrupted, "-- go run ."},
		{"SIGHUP", syscall.SIGHUP, exitInterrupted, "-- go run ."},
		{"SIGKILL", os.Kill, -1, "-- go run ."},
		{"SIGKILL over HTTP", os.Kill, -1, "--http 127.0.0.1:0 -- go run . -http {addr}"},
	} {
		for _, when := range []string{"building", "version 1 is ready"} {
			t.Run(test.name+" "+when, func(t *testing.T) {
				d := &devRun{workspace: d.workspace, tmp: t.TempDir()}
				words := d.command(t, strings.Fields(test.words)...)
				bench := exec.CommandContext(t.Context(), words[0], words[1:]...)
				bench.Dir, bench.Env, bench.Stderr = d.dir, append(os.Environ(), "TMPDIR="+d.tmp), &d.log
				in, err := bench.StdinPipe()
				if err == nil {
					err = bench.Start()
				}
				if err != nil {
					t.Fatal(err)
				}
				_, err = in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"))
				if err != nil {
					t.Fatal(err)
				}
				d.logs(t, when, when)
				if err := bench.Process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
				if err := bench.Wait(); bench.ProcessState.ExitCode() != test.code {
					t.Errorf("%v, want exit code %d\n%s", err, test.code, d.log.String())
				}
				if test.signal == os.Kill { // which leaves its files
					kept, err := filepath.Glob(filepath.Join(d.tmp, "bench-dev-*"))
					for _, dir := range kept {
						err = errors.Join(err, os.Rename(dir, filepath.Join(d.tmp, "kept-"+filepath.Base(dir))))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				d.left(t, when)
			})
		}
	}
}

// TestDevNoClient checks that the end without a client is explained.
func TestDevNoClient(t *testing.T) {
	server := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(server, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	code, _, problems := benched(t, "dev", server)
	if code != exitOK || !strings.Contains(problems, "bench: stdin has ended, and so does bench dev; ") {
		t.Errorf("exit code %d\n%s", code, problems)
	}
}

// TestDevPipes has a client that closes its ends of stderr, and then of stdout.
func TestDevPipes(t *testing.T) {
	d := &devRun{tmp: t.TempDir()}
	server := filepath.Join(t.TempDir(), "server")
	text := "#!/bin/sh\nsleep 0.2\necho started >&2\n" + faulty + "\n"
	if err := os.WriteFile(server, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	words := d.command(t, "--no-page", server)
	bench := exec.CommandContext(t.Context(), words[0], words[1:]...)
	bench.Env = append(os.Environ(), "TMPDIR="+d.tmp)
	in, err := bench.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := bench.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := bench.StderrPipe()
	if err == nil {
		err = bench.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
	_, err = bufio.NewReader(problems).ReadString('\n')
	_, err1 := in.Write([]byte(hello))
	if err := errors.Join(err, err1, problems.Close()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"name":"faulty"`) {
		t.Fatalf("without stderr: %q, %v", line, err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_, _ = in.Write([]byte(hello)) // its answer cannot be written
	if err := bench.Wait(); !bench.ProcessState.Exited() {
		t.Errorf("without stdout: %v", err)
	}
	d.left(t, "without stdout")
}

// TestDevTerminal checks that nothing is served on a terminal.
func TestDevTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a server")
	}
	d := newDev(t)
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer ours.Close()
	defer theirs.Close()
	words := d.command(t, "--", "go", "run", ".")
	bench := exec.CommandContext(t.Context(), words[0], words[1:]...)
	var out bytes.Buffer
	bench.Dir, bench.Env, bench.Stdin, bench.Stdout, bench.Stderr = d.dir, append(os.Environ(), "TMPDIR="+d.tmp), theirs, &out, &d.log
	if err := bench.Start(); err != nil {
		t.Fatal(err)
	}
	d.logs(t, "a terminal", "bench: stdin is a terminal, so no client is served there")
	d.logs(t, "the first version", "lists 1 tool")
	if err := bench.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := bench.Wait(); bench.ProcessState.ExitCode() != exitInterrupted || out.Len() > 0 {
		t.Errorf("%v; stdout has %q\n%s", err, out.String(), d.log.String())
	}
}

// TestDevNoTemporary checks the error if there is no directory for temporary files.
func TestDevNoTemporary(t *testing.T) {
	t.Setenv("GOTMPDIR", "")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	code, _, problems := benched(t, "dev", "--no-page", "--", "go", "run", ".")
	if code != exitUsage || !strings.Contains(problems, "set TMPDIR to one where files can be made: ") {
		t.Errorf("exit code %d\n%s", code, problems)
	}
}
