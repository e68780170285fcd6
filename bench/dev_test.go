package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/bench/internal/openapi"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// devServer is a server whose tool version returns %s; its argument is named %s.
const devServer = `package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type In struct {
	_ struct{} ` + "`mcp:\"name=version,readOnly\" doc:\"Returns the version\"`" + `
	F string   ` + "`json:\"%[2]s,omitempty\"`" + `
}

type Out struct{ Version string }

func Version(context.Context, In) (Out, error) { return Out{%[1]s}, nil }

func main() {
	addr := flag.String("http", "", "serve HTTP here")
	flag.Parse()
	mcptool.Register(Version)
	if *addr == "" {
		stdio.Main(nil)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, *addr, &runtime.Server{Name: "app", Version: "1"}); err != nil {
		log.Fatal(err)
	}
}
`

// A devRun is a run of bench dev in a module.
type devRun struct {
	*workspace
	tmp     string // its directory for temporary files
	log     lockedBuffer
	changes atomic.Int32 // notices that the tools have changed
	client  *client.Client
}

// newDev writes a module with a server into a directory.
func newDev(t *testing.T) *devRun {
	t.Helper()
	buildBench(t) // before the environment changes
	d := &devRun{workspace: newWorkspace(t), tmp: t.TempDir()}
	t.Setenv("GOFLAGS", "-mod=mod")
	d.save(t, `"one"`, "name")
	return d
}

// save saves the server.
func (d *devRun) save(t *testing.T, version, argument string) {
	t.Helper()
	d.write(t, "main.go", fmt.Sprintf(devServer, version, argument))
}

// command returns the command line of bench dev for the server.
func (d *devRun) command(t *testing.T, words ...string) []string {
	t.Helper()
	return append([]string{buildBench(t), "dev"}, words...)
}

// dial starts bench dev and connects to it.
func (d *devRun) dial(t *testing.T, words ...string) {
	t.Helper()
	c, err := client.Dial(t.Context(), client.Target{Command: d.command(t, words...), Dir: d.dir, Env: []string{"TMPDIR=" + d.tmp}}, client.Options{
		Era: client.Legacy, Timeout: 2 * time.Minute, Stderr: &d.log,
		Notify: func(method string, _ json.RawMessage) {
			if method == "notifications/tools/list_changed" {
				d.changes.Add(1)
			}
		},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, d.log.String())
	}
	d.client = c
	t.Cleanup(func() { _ = c.Close() }) // again
}

// call calls the tool until it returns a text that contains want. Until then it may return was.
func (d *devRun) call(t *testing.T, reason, was, want string) *client.Result {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		result, err := d.client.Call(t.Context(), "version", nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", reason, err, d.log.String())
		}
		text := result.Content[0].Text
		switch {
		case strings.Contains(text, want):
			return result
		case time.Now().After(deadline), was == "" || !strings.Contains(text, was):
			t.Fatalf("%s: the result is %q, want %q\n%s", reason, text, want, d.log.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// logs waits until the log has a text.
func (d *devRun) logs(t *testing.T, reason, want string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(d.log.String(), want); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: there is no %q in the log\n%s", reason, want, d.log.String())
		}
	}
}

// state returns the state of the page, in JSON.
func (d *devRun) state(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(d.log.String(), "bench: open ")
	url, _, _ := strings.Cut(rest, " ")
	response, err := http.Get(url + "api/state")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shows waits until the page shows a text with the build.
func (d *devRun) shows(t *testing.T, reason, want string) {
	t.Helper()
	text := ""
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var state struct {
			Build struct {
				Text    string
				Changes []string
			}
		}
		if err := json.Unmarshal([]byte(d.state(t)), &state); err != nil {
			t.Fatal(err)
		}
		if text = state.Build.Text + strings.Join(state.Build.Changes, "\n"); strings.Contains(text, want) {
			return
		}
	}
	t.Errorf("%s: the page shows %q, want %q", reason, text, want)
}

// left checks that no process of a directory, and no temporary file is left.
func (d *devRun) left(t *testing.T, reason string) {
	t.Helper()
	var problem string
	for range 100 {
		problem = ""
		programs, _ := filepath.Glob("/proc/[0-9]*/exe") // there are none where it does not exist
		for _, link := range programs {
			if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, d.tmp) {
				problem = "the process " + link + " is left: " + program
			}
		}
		entries, err := os.ReadDir(d.tmp)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), "bench-dev-") {
				problem = "the directory " + entry.Name() + " is left"
			}
		}
		if problem == "" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%s: %s", reason, problem)
}

// A lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestDev edits a server while a client is connected.
func TestDev(t *testing.T) {
	d := newDev(t)
	d.dial(t, "--", "go", "run", ".")
	d.call(t, "the first version", "", "one")
	d.logs(t, "the first version", "bench: app 0.0.0-dev lists 1 tool\n")
	d.save(t, `"two"`, "name")
	d.call(t, "after a save", "one", "two")
	if d.changes.Load() == 0 {
		t.Error("the client was not told that the tools may have changed")
	}
	d.save(t, `three`, "name")
	result := d.call(t, "a mistake", "two", "does not build")
	if text := result.Content[0].Text; !result.IsError || !strings.Contains(text, "main.go:23:61: undefined: three") {
		t.Errorf("the error of a call is %q", text)
	}
	d.logs(t, "a mistake", "bench: the build has failed, and calls get this error until it is mended:\n  # example.com/app\n  ./main.go:23:61: undefined: three\n")
	d.shows(t, "a mistake", "./main.go:23:61: undefined: three")
	d.save(t, `"three"`, "other")
	d.call(t, "it is mended", "does not build", "three")
	d.logs(t, "an argument is renamed", "breaks callers")
	d.logs(t, "an argument is renamed", "version: arguments.name: was a string, is not allowed\n")
	d.shows(t, "an argument is renamed", "version: arguments.name: was a string, is not allowed")
	if err := d.client.Close(); err != nil || d.client.ExitCode() != 0 {
		t.Errorf("after the end of stdin: exit code %d, %v\n%s", d.client.ExitCode(), err, d.log.String())
	}
	d.left(t, "after the end of stdin")
}

// TestDevProgram serves a program that something else builds, and ends with its exit code.
func TestDevProgram(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	server := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(server, []byte("#!/bin/sh\n"+faulty+"\necho the end >&2\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var out, problems lockedBuffer
	in, client := io.Pipe()
	con := &console{in: in, raw: &out, err: terminal.NewWriter(&problems)}
	go func() {
		_, err := io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`+"\n")
		for deadline := time.Now().Add(time.Minute); err == nil && out.String() == "" && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		_ = client.CloseWithError(err)
	}()
	code := run(t.Context(), []string{"dev", "--no-page", server}, con)
	if code != 7 || strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), `"name":"faulty"`) || !strings.Contains(problems.String(), "  | the end\n") {
		t.Errorf("exit code %d, want 7\n%s%s", code, out.String(), problems.String())
	}
}

// TestDevHeader checks that the page hides a header also before the first version.
func TestDevHeader(t *testing.T) {
	var d devRun
	server := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(server, []byte("exit"), 0o700); err != nil { // which no system starts
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		con := &console{in: strings.NewReader(""), raw: io.Discard, err: terminal.NewWriter(&d.log)}
		ended <- run(ctx, []string{"dev", "--http", "127.0.0.1:0", "--header", "Authorization: Bearer s3cret", "--", server, "{addr}"}, con)
	}()
	d.logs(t, "no version", "it is mended")
	state := d.state(t)
	if cancel(); !strings.Contains(state, "Authorization: ") || strings.Contains(state, "s3cret") {
		t.Errorf("the state of the page: %s", state)
	}
	<-ended
}

// TestDevHTTP edits a server over HTTP, which is also served over stdio.
func TestDevHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	d := newDev(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	words := d.command(t, "--http", "127.0.0.1:0", "--", "go", "run", ".", "-http", "{addr}")
	bench := exec.CommandContext(ctx, words[0], words[1:]...)
	bench.Dir, bench.Env, bench.Stderr = d.dir, append(os.Environ(), "TMPDIR="+d.tmp), &d.log
	bench.Cancel = func() error { return bench.Process.Signal(os.Interrupt) }
	if err := bench.Start(); err != nil {
		t.Fatal(err)
	}
	d.logs(t, "the first version", "lists 1 tool")
	_, rest, _ := strings.Cut(d.log.String(), "bench: the server is at ")
	url, _, _ := strings.Cut(rest, "\n")
	var err error
	if d.client, err = client.Dial(t.Context(), client.Target{URL: url}, client.Options{}); err != nil {
		t.Fatal(err)
	}
	d.call(t, "the first version", "", "one")
	other := &devRun{workspace: d.workspace, tmp: d.tmp}
	other.dial(t, "--", "go", "run", ".")
	other.call(t, "another bench dev", "", "one")
	d.save(t, `"two"`, "name")
	d.call(t, "after a save", "one", "two")
	other.call(t, "after a save", "one", "two")
	if err := errors.Join(d.client.Close(), other.client.Close()); err != nil {
		t.Error(err)
	}
	cancel()
	if err := bench.Wait(); bench.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("after an interrupt: %v\n%s", err, d.log.String())
	}
	d.left(t, "after an interrupt")
}

// TestDevUsage checks the errors of wrong command lines.
func TestDevUsage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ line, want string }{
		{"dev", "there is no program"},
		{"dev http://127.0.0.1:8080/mcp", "--http takes HOST:PORT"},
		{"dev . -- go run .", "there is a second program, ."},
		{"dev -- sh server.sh", "bench ui -- sh"},
		{"dev --http 127.0.0.1:8080 -- go run .", "write {addr} where the command"},
		{"dev --env LISTEN={addr} -- go run .", "add --http 127.0.0.1:8080"},
		{"dev --http :8080 -- go run . {addr}", "is not a loopback address"},
		{"dev --http 192.168.0.1:8080 -- go run . {addr}", "is not a loopback address"},
		{"dev --http 8080 -- go run . {addr}", `--http: "8080" is not HOST:PORT, such as 127.0.0.1:8080`},
		{"dev --header A:b -- go run .", "--header is for a URL"},
		{"dev --env A -- go run .", "--env A has no value"},
		{"dev --grace=-1s -- go run .", "--grace -1s is negative"},
	} {
		code, out, problems := benched(t, strings.Fields(test.line)...)
		if code != exitUsage || out != "" || !strings.Contains(problems, test.want) {
			t.Errorf("bench %s: exit code %d, want the error %q\n%s%s", test.line, code, test.want, out, problems)
		}
	}
}

// newWeather writes a module with examples/weather, and returns its directory and main.go.
func newWeather(tb testing.TB) (dir, source string) {
	tb.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		tb.Fatal(err)
	}
	dir = tb.TempDir()
	module := "module example.com/weather\n\ngo 1.26.0\n\nrequire " + openapi.Framework + " v0.0.0\n\nreplace " + openapi.Framework + " => " + root + "\n"
	text, err := os.ReadFile("../examples/weather/main.go")
	if err := errors.Join(err, os.CopyFS(dir, os.DirFS("../examples/weather")), os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600)); err != nil {
		tb.Fatal(err)
	}
	return dir, string(text)
}

// saveMain saves main.go with old text replaced by new.
func saveMain(tb testing.TB, dir, source string, replacements ...string) {
	tb.Helper()
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(source, replacements[i]) {
			tb.Fatalf("examples/weather/main.go has no %q", replacements[i])
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.NewReplacer(replacements...).Replace(source)), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// TestDevGuide makes the changes that docs/dev.md shows, and compares what bench dev prints.
func TestDevGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	guide, err := os.ReadFile("../docs/dev.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(guide), "<!-- what bench dev prints -->\n```text\n")
	want, _, _ = strings.Cut(want, "```")
	d := newDev(t)
	var source string
	d.dir, source = newWeather(t)
	d.dial(t, "--", "go", "run", ".")
	d.logs(t, "the first version", "lists 2 tools\n")
	field := []string{`Location string   ` + "`json:\"location\"", `Place    string   ` + "`json:\"place\""}
	saveMain(t, d.dir, source, field...)
	d.logs(t, "half of a change", "has no field or method Location)\n")
	saveMain(t, d.dir, source, append(field, "in.Location", "in.Place")...)
	d.logs(t, "the change", "arguments.location: was required, is absent\n")
	varying := regexp.MustCompile(`http://\S+|[0-9.]+ s\b|(?m)^  \| .*\n`)
	if diff := cmp.Diff(varying.ReplaceAllString(want, ""), varying.ReplaceAllString(d.log.String(), "")); diff != "" {
		t.Errorf("docs/dev.md and what is printed differ:\n%s", diff)
	}
}

// BenchmarkDev measures the time from saving a file of examples/weather to the first answer of the new version.
func BenchmarkDev(b *testing.B) {
	bench, err := benchOnce()
	if err != nil {
		b.Fatal(err)
	}
	dir, source := newWeather(b)
	save := func(note string) {
		saveMain(b, dir, source, "return report(city, in.Month, in.Unit), nil", fmt.Sprintf("out := report(city, in.Month, in.Unit)\n\tout.Note = %q\n\treturn out, nil", note))
	}
	save("first")
	var log lockedBuffer
	c, err := client.Dial(b.Context(), client.Target{Command: []string{bench, "dev", "--", "go", "run", "."}, Dir: dir, Env: []string{"GOWORK=off", "GOFLAGS=-mod=mod"}},
		client.Options{Stderr: &log, Timeout: 5 * time.Minute})
	if err != nil {
		b.Fatalf("%v\n%s", err, log.String())
	}
	defer func() { _ = c.Close() }() // the processes of a benchmark
	answers := func(note string) {
		for {
			result, err := c.Call(b.Context(), "get_weather", json.RawMessage(`{"location":"Lisbon"}`))
			if err != nil || result.IsError {
				b.Fatalf("%v %v\n%s", result, err, log.String())
			}
			if strings.Contains(string(result.StructuredContent), note) {
				return
			}
		}
	}
	answers("first")
	for n := 0; b.Loop(); n++ {
		note := fmt.Sprintf("note %d of %v", n, time.Now())
		save(note)
		answers(note)
	}
}
