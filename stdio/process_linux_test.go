package stdio_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
)

// terminal is a server process on a pseudo-terminal.
type terminal struct {
	*exec.Cmd
	keyboard io.Writer
	screen   syncbuffer.Buffer
}

// startTerminal starts a server on a terminal, optionally with standard error redirected to a file.
func startTerminal(t *testing.T, mode string, stderr ...*os.File) *terminal {
	t.Helper()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("the script command is not installed")
	}
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := "exec '" + file + "'"
	if len(stderr) > 0 {
		command += " 2>&3"
	}
	term := &terminal{Cmd: exec.CommandContext(t.Context(), script, "-qec", command, "/dev/null")}
	term.Env = []string{serverEnv + "=" + mode, "SHELL=/bin/sh", "PATH=/usr/bin:/bin"}
	term.ExtraFiles = stderr
	term.WaitDelay = slack
	if term.keyboard, err = term.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	term.Stdout, term.Stderr = &term.screen, &term.screen
	if err := term.Start(); err != nil {
		t.Fatal(err)
	}
	return term
}

func (term *terminal) see(t *testing.T, want string) {
	t.Helper()
	for range 3000 {
		if strings.Contains(term.screen.String(), want) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%q does not appear; screen:\n%s", want, term.screen.String())
}

func (term *terminal) enter(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(term.keyboard, keys); err != nil {
		t.Fatal(err)
	}
}

// end waits for the server to end with status 0.
func (term *terminal) end(t *testing.T) {
	t.Helper()
	defer time.AfterFunc(time.Minute, func() { _ = term.Process.Kill() }).Stop()
	if err := term.Wait(); err != nil {
		t.Errorf("exit: %v; screen:\n%s", err, term.screen.String())
	}
}

const ctrlC, ctrlD = "\x03", "\x04"

// TestPersonAtATerminal follows the instructions in the notice.
func TestPersonAtATerminal(t *testing.T) {
	t.Parallel()
	term := startTerminal(t, "main")
	term.see(t, "stdio.test")
	term.see(t, "To end it, press Ctrl-C.")
	for line := range strings.Lines(term.screen.String()) {
		if strings.HasPrefix(line, `{"jsonrpc"`) {
			term.enter(t, strings.TrimSpace(line)+"\n")
		}
	}
	term.see(t, `"tools":[{`)
	term.enter(t, ctrlC)
	term.end(t)
}

func TestNoNotice(t *testing.T) {
	t.Parallel()
	term := startTerminal(t, "quiet")
	term.enter(t, echoCall(1, "a"))
	term.see(t, `"result"`)
	term.enter(t, ctrlD)
	term.end(t)
	if got := term.screen.String(); strings.Contains(got, "MCP server") {
		t.Errorf("unexpected notice:\n%s", got)
	}
}

// TestUnreadNotice: a notice that is not read does not block the server.
func TestUnreadNotice(t *testing.T) {
	t.Parallel()
	_, full := fullPipe(t)
	term := startTerminal(t, "main", full)
	term.enter(t, echoCall(1, "a"))
	term.see(t, `"result"`)
	term.enter(t, ctrlD)
	term.end(t)
}

// TestNullDevice: with the null device as input, as under a service manager, the server exits without a notice.
func TestNullDevice(t *testing.T) {
	t.Parallel()
	needNullDevice(t)
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = append(os.Environ(), serverEnv+"=main")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.Len() > 0 {
		t.Errorf("exit: %v, output %q; want no error and no output", err, &out)
	}
}
