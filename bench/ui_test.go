package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
)

// TestUI checks that bench ui serves a page until it is interrupted.
func TestUI(t *testing.T) {
	t.Parallel()
	url, program := cafe(t), buildWeather(t)
	for _, test := range []struct {
		name   string
		target []string
		want   string
	}{
		{"http", []string{"--header", "Authorization: Bearer s3cret-value", url}, "--header 'Authorization: (hidden)' " + url},
		{"stdio", []string{"--env", "API_KEY=s3cret-value", "--", program}, "--env 'API_KEY=(hidden)' -- " + program},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stderr syncbuffer.Buffer
			con := &console{in: strings.NewReader(""), out: terminal.NewWriter(io.Discard), raw: io.Discard, err: terminal.NewWriter(&stderr)}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			code := make(chan int, 1)
			go func() { code <- run(ctx, append([]string{"ui"}, test.target...), con) }()
			var url string
			for end := time.Now().Add(time.Minute); url == ""; time.Sleep(5 * time.Millisecond) {
				url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[0-9a-f]{32}/`).FindString(stderr.String())
				if time.Now().After(end) {
					t.Fatalf("stderr: %s", stderr.String())
				}
			}
			var state struct {
				Target string
				Tools  []json.RawMessage
			}
			for end := time.Now().Add(time.Minute); len(state.Tools) == 0; time.Sleep(5 * time.Millisecond) {
				resp, err := http.Get(url + "api/state")
				if err != nil {
					t.Fatal(err)
				}
				err = json.NewDecoder(resp.Body).Decode(&state)
				if _ = resp.Body.Close(); err != nil || time.Now().After(end) {
					t.Fatalf("%+v, %v", state, err)
				}
			}
			if state.Target != test.want {
				t.Errorf("the target is %q, want %q", state.Target, test.want)
			}
			saved := filepath.Join(t.TempDir(), "session.txt")
			resp, err := http.Get(url + "api/transcript")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			if _ = resp.Body.Close(); err != nil || strings.Contains(string(text), "s3cret") {
				t.Errorf("%v\n%s", err, text)
			}
			if err := os.WriteFile(saved, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out, err := bench(t, "", false, append([]string{"replay", saved}, test.target...)...); code != exitOK {
				t.Errorf("replay of the saved session: exit code %d\n%s%s", code, out, err)
			}
			interrupt()
			if got := <-code; got != exitInterrupted {
				t.Errorf("the exit code is %d, want %d\n%s", got, exitInterrupted, stderr.String())
			}
			if resp, err := http.Get(url); err == nil {
				_ = resp.Body.Close()
				t.Error("the page is still served")
			}
		})
	}
}

func TestUIFails(t *testing.T) {
	t.Parallel()
	url := cafe(t)
	for _, test := range []struct {
		name string
		args []string
		code int
		err  string
	}{
		{"no target", []string{"ui"}, exitUsage, "there is no TARGET"},
		{"an address that others reach", []string{"ui", url, "--addr", ":8080"}, exitUsage, `bench: --addr: ":8080" is not a loopback address`},
		{"a server that ends", []string{"ui", "--env", "API_KEY=s3cret-value", "--", "sh", "-c", "echo $API_KEY >&2; exit 4"}, exitUnreachable, "exit status 4"},
		{"a server that does not exist", []string{"ui", "http://127.0.0.1:1/mcp"}, exitUnreachable, "connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, out, err := bench(t, "", false, test.args...)
			if code != test.code || out != "" || !strings.Contains(err, test.err) || strings.Contains(err, "s3cret") {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, test.code, out, err)
			}
		})
	}
}

// TestTargetWords checks that bench parses the words of a target as the target.
func TestTargetWords(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"--era legacy --timeout 5s --header A:b --header C:d https://example.com/mcp",
		"--env A=b -- sh -c x",
		"-- sh --era legacy",
	} {
		words := strings.Fields(line)
		args, parsed, err := splitTarget(words)
		if err != nil {
			t.Fatal(err)
		}
		var all commands
		parser, err := newParser(&all, newConsole(), func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = parser.Parse(append([]string{"ui"}, args...)); err != nil {
			t.Fatal(err)
		}
		all.UI.parsed = parsed
		if got := strings.Join(all.UI.words(), " "); got != line {
			t.Errorf("the words are %q, want %q", got, line)
		}
	}
}
