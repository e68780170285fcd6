package stdio_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestPersonAtATerminal starts a server on a terminal, does what the notice
// says, and ends it with Ctrl-D.
func TestPersonAtATerminal(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script program, which makes terminals")
	}
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), script, "-qec", "exec '"+file+"'", "/dev/null")
	cmd.Env = append(os.Environ(), serverEnv+"=main", "SHELL=/bin/sh")
	keyboard, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var screen syncBuffer
	cmd.Stdout, cmd.Stderr = &screen, &screen
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	see := func(want string) {
		t.Helper()
		for range 500 {
			if strings.Contains(screen.String(), want) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("%q does not appear on\n%s", want, screen.String())
	}
	see("To end it, press Ctrl-D.")
	for _, want := range []string{"stdio.test", "echo", "Say the same", "To give it to a client"} {
		see(want)
	}
	var try string
	for line := range strings.Lines(screen.String()) {
		if strings.HasPrefix(line, `{"jsonrpc"`) {
			try = strings.TrimSpace(line)
		}
	}
	if _, err := keyboard.Write([]byte(try + "\n")); err != nil {
		t.Fatal(err)
	}
	see(`"tools":[{`)
	if _, err := keyboard.Write([]byte{4}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// TestNullDevice is a service manager that gives its services no input.
func TestNullDevice(t *testing.T) {
	t.Parallel()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = append(os.Environ(), serverEnv+"=main")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.Len() > 0 {
		t.Errorf("ended with %v, said %q; the null device is no person", err, &out)
	}
}
