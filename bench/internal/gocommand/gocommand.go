package gocommand

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// ErrNotFound is returned by [Run] if PATH has no go command.
var ErrNotFound = errors.New("there is no go command in PATH; install Go, see go.dev/doc/install")

// An Error is a failure of the go command.
type Error struct {
	Command string   // such as build
	Err     error    // how the process ended
	Lines   []string // its stderr, without lines about downloads; each is shortened
}

// Error returns the command, how it ended, and the first lines of its output.
func (e *Error) Error() string { return "go " + e.Command + ": " + e.Err.Error() + "\n" + e.Text(12) }

func (e *Error) Unwrap() error { return e.Err }

// Text returns at most the given number of lines of the output.
func (e *Error) Text(lines int) string {
	if len(e.Lines) <= lines {
		return strings.Join(e.Lines, "\n")
	}
	return strings.Join(e.Lines[:lines], "\n") + "\n…"
}

// Run runs the go command in a directory, and returns its stdout. The environment is env; nil means the
// environment of this process.
// When ctx ends, the command and its compilers are killed. If the command fails, the error is a [*Error].
func Run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", ErrNotFound
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	process.OwnGroup(cmd)
	cmd.Cancel = func() error { process.KillGroup(cmd.Process); return nil }
	cmd.WaitDelay = time.Second // where descendants are not killed, they may still hold stderr
	err := cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	failure := &Error{Command: args[0], Err: err}
	for line := range strings.Lines(stderr.String()) {
		if !strings.HasPrefix(line, "go: downloading ") && !strings.HasPrefix(line, "go: finding ") {
			failure.Lines = append(failure.Lines, terminal.Shorten(strings.TrimRight(line, "\r\n"), 300))
		}
	}
	return "", failure
}
