//go:build linux || darwin

package main

import (
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// On a real terminal the missing arguments are asked for, and the answer comes.
func TestTerminal(t *testing.T) {
	url := cafe(t)
	binary := filepath.Join(t.TempDir(), "bench")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	terminal, err := pty.StartWithSize(exec.Command(binary, "call", "order", "--timeout", "2m", url), &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var seen bytes.Buffer
	await := func(prompt, answer string) {
		t.Helper()
		for b := make([]byte, 1); !strings.HasSuffix(seen.String(), prompt); {
			if _, err := terminal.Read(b); err != nil {
				t.Fatalf("%v before %q came, in\n%s", err, prompt, seen.String())
			}
			seen.Write(b)
		}
		if _, err := io.WriteString(terminal, answer); err != nil {
			t.Fatal(err)
		}
	}
	await("size (a number): ", "l\n")
	await("count (integer): ", "0\n")
	await("count (integer): ", "2\n")
	await("hot (yes or no): ", "y\n")
	await("with (with commas between them): ", "milk\n")
	_, _ = seen.ReadFrom(terminal) // Linux says EIO when the other side is closed
	if want := `\"count\":2,\"hot\":true,\"with\":[\"milk\"]`; !strings.Contains(seen.String(), want) {
		t.Errorf("there is no %s in\n%s", want, seen.String())
	}
}
