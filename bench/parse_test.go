package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, args, want string // want is a substring of the error; "" for success
	}{
		{"a command", "list -- server --flag http://x", ""},
		{"a URL in front", "list http://localhost/mcp --json", ""},
		{"a URL behind", "list --era modern https://localhost/mcp", ""},
		{"no target is seen later", "list", ""},
		{"nothing after --", "list --", "nothing comes after --"},
		{"two targets", "list http://a -- b", "second TARGET, http://a"},
		{"two URLs", "list http://a http://b", "second TARGET, http://b"},
		{"no such command", "lst", "lst"},
		{"no such flag", "list --jsn http://a", "--jsn"},
		{"no such era", "list --era old http://a", "--era"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(strings.Fields(test.args), &console{out: terminal.NewWriter(io.Discard), err: terminal.NewWriter(io.Discard)})
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("the error is %v, want one with %q", err, test.want)
			case test.want != "" && exitCode(err) != exitUsage:
				t.Errorf("exit code %d, want %d", exitCode(err), exitUsage)
			}
		})
	}
}

// TestParseHint checks that only errors about words that may be meant for a server explain where those belong.
func TestParseHint(t *testing.T) {
	for args, want := range map[string]bool{"lst": true, "list --port 80": true, "list --era old": false, "list --timeout x": false, "call": false} {
		_, err := parse(strings.Fields(args), &console{out: terminal.NewWriter(io.Discard), err: terminal.NewWriter(io.Discard)})
		if err == nil || strings.Contains(err.Error(), "behind --") != want {
			t.Errorf("bench %s: %v", args, err)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range []string{"", "--help", "list --help"} {
		out := new(bytes.Buffer)
		con := &console{out: terminal.NewWriter(out), raw: out, err: terminal.NewWriter(io.Discard)}
		if code := run(t.Context(), strings.Fields(args), con); code != exitOK || !strings.Contains(out.String(), "list") {
			t.Errorf("bench %s: exit code %d, and\n%s", args, code, out)
		}
	}
}
