package gocommand_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/gocommand"
)

// TestRun checks what is left of the output of the go command.
func TestRun(t *testing.T) {
	out, err := gocommand.Run(t.Context(), "", nil, "env", "GOVERSION")
	if err != nil || !strings.HasPrefix(out, "go1") {
		t.Errorf("go env GOVERSION: %q, %v", out, err)
	}
	_, err = gocommand.Run(t.Context(), t.TempDir(), nil, "build", "./none")
	failure, ok := errors.AsType[*gocommand.Error](err)
	if !ok || failure.Command != "build" || len(failure.Lines) == 0 || !strings.HasPrefix(err.Error(), "go build: exit status 1\n") {
		t.Errorf("a package that does not exist: %v", err)
	}
}

// TestRunInterrupted checks that a command ends with its context.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := gocommand.Run(ctx, "", nil, "list", "-deps", "-json", "std"); err == nil || time.Since(begun) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

// TestText checks the end of a text that is cut.
func TestText(t *testing.T) {
	e := &gocommand.Error{Command: "build", Lines: []string{"a", "b", "c"}}
	if got := e.Text(3); got != "a\nb\nc" {
		t.Errorf("all lines: %q", got)
	}
	if got := e.Text(2); got != "a\nb\n…" {
		t.Errorf("two lines: %q", got)
	}
}
