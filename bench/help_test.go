package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// Each command has examples, and they can be parsed.
func TestExamples(t *testing.T) {
	con := &console{out: terminal.NewWriter(io.Discard), err: terminal.NewWriter(io.Discard)}
	var all commands
	parser, err := newParser(&all, con, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		lines := strings.Split(strings.TrimSpace(examples[command.Name]), "\n")
		for _, line := range lines {
			args, err := shell.Fields(line, nil)
			if err != nil || len(args) < 3 || args[0] != "bench" || args[1] != command.Name {
				t.Errorf("%q is no example of %s, %v", line, command.Name, err)
				continue
			}
			rest, _, err := splitTarget(args[1:])
			if err == nil {
				_, err = parser.Parse(rest)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if len(parser.Model.Children)+1 != len(examples) { // one more for bench itself
		t.Errorf("there are examples of %d commands, and %d commands", len(examples)-1, len(parser.Model.Children))
	}
}

// The help has defaults and examples.
func TestHelpDetails(t *testing.T) {
	_, out, _ := benched(t, "run", "--help")
	words := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"--duration=3s The duration of each measurement. The default is 3s.", "The default is 1,8,64.", "bench run --rate 500/s --html run.html https://example.com/mcp"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// A shell that asks for completions gets them, and nothing else happens.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{"bench ins": "install\n", "bench install vs": "vscode\n", "bench list --era m": "modern\n", "bench docs --mark": "--markdown\n"} {
		t.Setenv("COMP_LINE", line)
		out := new(bytes.Buffer)
		con := &console{out: terminal.NewWriter(out), raw: out, err: terminal.NewWriter(io.Discard)}
		if code := run(t.Context(), nil, con); code != exitOK || out.String() != want {
			t.Errorf("%s: exit code %d, %q, want %q", line, code, out, want)
		}
	}
	t.Setenv("COMP_LINE", "")
	if code, out, _ := benched(t, "completion", "-c", "zsh"); code != exitOK || !strings.Contains(out, "compinit") {
		t.Errorf("exit code %d, %q", code, out)
	}
}
