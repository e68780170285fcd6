//go:build unix

package cobratools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

	cobratools "github.com/mcptool-go/mcptool/integrations/cobra"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestMisbehaving calls commands that fail or print too much. The server survives all of them.
func TestMisbehaving(t *testing.T) {
	t.Parallel()
	byName := tools(t)
	tests := []struct {
		name, reason string
		isError      bool
		want         []string // in the text, in this order
	}{
		{"fail", "the text before the failure, and the error without the usage", true, []string{"step 1 is done\n", "Error: step 2: no space left", "exit status 1"}},
		{"panic", "it is that of another process", true, []string{"panic: out of luck", "exit status 2"}},
		{"exit", "os.Exit ends the command, not the server", true, []string{"giving up", "exit status 3"}},
		{"flood", "the start of the output, and the end of the warnings", false, []string{"line 0\n", "longer than 9.8 KiB", "warning 99999\n"}},
		{"stdout", "standard output is the result, not the stream of the protocol", false, []string{"forged"}},
		{"stdin", "a command cannot read the messages of the client", false, []string{"0 EOF"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, err := byName[test.name].Call(t.Context(), []byte("{}"))
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(result)
			if result.IsError != test.isError || strings.Contains(text, "Usage:") || len(text) > 20_000 {
				t.Errorf("%s: IsError is %v, %s", test.reason, result.IsError, text)
			}
			rest := text
			for _, want := range test.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("%s: there is no %q at its place in:\n%s", test.reason, want, text)
				}
				rest = after
			}
		})
	}
}

// TestOddJSON: JSON that cannot be sent is explained to the model.
func TestOddJSON(t *testing.T) {
	t.Parallel()
	list, err := cobratools.Tools(newRoot(), cobratools.AllowJSON("odd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"a":1,"a":2}`, `"\ud800"`, "[" + strings.Repeat("1", 200) + "]", strings.Repeat("[", 600) + strings.Repeat("]", 600)} {
		args, err := json.Marshal(object{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		_, err = list[0].Call(t.Context(), args)
		if wrong := (*mcptool.OutputError)(nil); err == nil || errors.As(err, &wrong) || !strings.Contains(err.Error(), "its JSON cannot be sent: ") {
			t.Errorf("%.40q: got %v", text, err)
		}
	}
}

// TestPathNotShown: the error for a command that cannot be started does not have the path of the program.
func TestPathNotShown(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(t, tools(t)["run"], object{"arg": []string{strings.Repeat("x", 4<<20)}})
	if err == nil || !strings.Contains(err.Error(), "the command cannot be started: argument list too long") || strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	list, err := cobratools.Tools(newRoot(), cobratools.AllowJSON("text"), cobratools.AllowJSON("flood"), cobratools.AllowJSON("fail"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"did not print one JSON value; it printed:\nthis is not JSON", "more than 256.0 KiB of JSON"} {
		if _, err := list[i].Call(t.Context(), []byte("{}")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", list[i].Info().Name, err, want)
		}
	}
	if result, err := list[2].Call(t.Context(), []byte("{}")); err != nil || !result.IsError || !strings.Contains(textOf(result), "no space left") {
		t.Errorf("a failing command: %v, %v; its error matters more than its output", result, err)
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]cobratools.Option{"set": cobratools.Env([]string{"HOME=/nowhere"}), "empty": cobratools.Env([]string{})} {
		list, err := cobratools.Tools(newRoot(), cobratools.Allow("env"), opt)
		if err != nil {
			t.Fatal(err)
		}
		result, err := list[0].Call(t.Context(), []byte("{}"))
		if want := map[string]string{"set": "HOME=/nowhere\n", "empty": ""}[name]; err != nil || textOf(result) != want {
			t.Errorf("%s: %v, %v; want %q", name, result, err, want)
		}
	}
}

// TestNoneIsLeft ends commands that ignore signals, and a command that has started another one, and waits until the
// processes have ended.
func TestNoneIsLeft(t *testing.T) {
	t.Parallel()
	byName := tools(t)
	for _, name := range []string{"hang", "hang-twice"} {
		t.Run(name+" cancellation", func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				processOf(t, file)
				cancel()
			}()
			if _, err := byName[name].Call(ctx, fmt.Appendf(nil, `{"pidfile":%q}`, file)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			waitForEnd(t, processOf(t, file))
		})
		t.Run(name+" timeout", func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			for limit := time.Second; ; limit *= 2 { // on a busy machine, commands take long to start
				list, err := cobratools.Tools(newRoot(), cobratools.Allow(name, mcptool.Timeout(limit)))
				if err != nil {
					t.Fatal(err)
				}
				_, err = list[0].Call(t.Context(), fmt.Appendf(nil, `{"pidfile":%q}`, file))
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), limit.String()) {
					t.Fatalf("got %v", err)
				}
				if _, err := os.Stat(file); err == nil {
					break
				}
			}
			waitForEnd(t, processOf(t, file))
		})
	}
}

// TestBackground has a command that exits while a process that it has started has its output open.
func TestBackground(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	result, err := tools(t)["leave"].Call(t.Context(), fmt.Appendf(nil, `{"pidfile":%q}`, file))
	if err != nil || textOf(result) != "done\n" {
		t.Errorf("got %v, %v", result, err)
	}
	waitForEnd(t, processOf(t, file))
}

// processOf waits for a file with a process ID.
func processOf(t *testing.T, file string) int {
	t.Helper()
	for t.Context().Err() == nil {
		if data, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(string(data))
			must(err)
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

// waitForEnd waits until a process has ended; the time limit of the test ends it otherwise.
func waitForEnd(t *testing.T, pid int) {
	t.Helper()
	for syscall.Kill(pid, 0) == nil {
		if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// session is a client of a server in another process.
type session struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startServer(t *testing.T, args ...string) *session {
	t.Helper()
	s := &session{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0], args...)}
	s.cmd.Stderr = t.Output()
	var err error
	s.in, err = s.cmd.StdinPipe()
	must(err)
	out, err := s.cmd.StdoutPipe()
	must(err)
	must(s.cmd.Start())
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 1<<20)
	s.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if hello := s.receive()["hello"]; !bytes.Contains(hello, []byte(`"serverInfo":{"name":"demo","version":"1.2.3"}`)) {
		t.Fatalf("initialize: %s", hello)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *session) send(line string) {
	_, err := io.WriteString(s.in, line+"\n")
	must(err)
}

// receive returns the result of the next message by its ID. A line that is not a message fails the test.
func (s *session) receive() map[string]json.RawMessage {
	s.t.Helper()
	if !s.out.Scan() {
		s.t.Fatalf("the output ended: %v", s.out.Err())
	}
	var message struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      string          `json:"id"`
		Result  json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(s.out.Bytes(), &message); err != nil || message.JSONRPC != "2.0" || message.Result == nil {
		s.t.Fatalf("%v: %s", err, s.out.Bytes())
	}
	return map[string]json.RawMessage{message.ID: message.Result}
}

// end disconnects, and waits until the server has ended.
func (s *session) end() {
	s.t.Helper()
	must(s.in.Close())
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--context=staging", "mcp")
	s.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	var list bytes.Buffer
	must(json.Indent(&list, s.receive()["list"], "", "  "))
	golden.Open(t, "testdata/list.txt").Check(t, "tools/list", list.String())

	calls := map[string]string{
		"get":     `{"name":"get","arguments":{"kind":"pods","namespace":"web","limit":5}}`,
		"forged":  `{"name":"stdout","arguments":{}}`,
		"fail":    `{"name":"fail","arguments":{}}`,
		"panic":   `{"name":"panic","arguments":{}}`,
		"exit":    `{"name":"exit","arguments":{}}`,
		"timeout": `{"name":"sleep","arguments":{}}`,
		"wrong":   `{"name":"get","arguments":{"kind":"pods","namespace":"web","--limit":5}}`,
	}
	for i := range 20 {
		calls[fmt.Sprint("concurrent ", i)] = fmt.Sprintf(`{"name":"run","arguments":{"arg":["%d"]}}`, i)
	}
	for id, params := range calls {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":%s}`, id, params))
	}
	results := map[string]string{}
	for range calls {
		for id, result := range s.receive() {
			results[id] = string(result)
		}
	}
	for id, want := range map[string]string{
		"get":     `"flags":{"context":"staging","limit":"5","namespace":"web","output":"json"}`,
		"forged":  `forged`,
		"fail":    `step 2: no space left`,
		"panic":   `out of luck`,
		"exit":    `giving up`,
		"timeout": `longer than its limit of 1s`,
		"wrong":   `--limit`,
	} {
		isError := strings.Contains(results[id], `"isError":true`)
		if wantError := id != "get" && id != "forged"; !strings.Contains(results[id], want) || isError != wantError {
			t.Errorf("%s: %s, want %s", id, results[id], want)
		}
	}
	for i := range 20 {
		if want := fmt.Sprintf(`"args":["%d"]`, i); !strings.Contains(results[fmt.Sprint("concurrent ", i)], want) {
			t.Errorf("call %d: %s", i, results[fmt.Sprint("concurrent ", i)])
		}
	}
	s.end()
}

// TestEndOfSession disconnects while a command runs. The server does not exit before the command.
func TestEndOfSession(t *testing.T) {
	t.Parallel()
	s := startServer(t, "mcp")
	file := filepath.Join(t.TempDir(), "pid")
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"hang","method":"tools/call","params":{"name":"hang-twice","arguments":{"pidfile":%q}}}`, file))
	pid := processOf(t, file)
	s.end()
	waitForEnd(t, pid)
}

// TestGenerated calls tools with arguments at the limits of their schemas, and beyond.
func TestGenerated(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts thousands of processes")
	}
	registry := &mcptool.Registry{}
	byName := tools(t)
	must(registry.Add(byName["config_set"], byName["run"]))
	mcptooltest.Check(t, registry, mcptooltest.Destructive("config_set", "run"))
}
