//go:build linux || darwin

package main

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// On a real terminal, missing arguments are prompted for and the result is printed.
func TestTerminal(t *testing.T) {
	url := cafe(t)
	binary := buildBench(t)
	for _, test := range []struct {
		name    string
		args    []string
		prompts [][2]string // text to wait for, and text to type
		want    string
	}{
		{"missing arguments", []string{"order"}, [][2]string{
			{"size (a number): ", "l\n"}, {"count (integer): ", "0\n"}, {"count (integer): ", "2\n"}, {"hot (yes or no): ", "y\n"}, {"with (with commas between them): ", "milk\n"},
		}, `\"count\":2,\"hot\":true,\"with\":[\"milk\"]`},
		{"wrong arguments before missing ones", []string{"order", `{"size":"l","count":10}`}, [][2]string{
			{"  count: must be at most 9, got 10\r\ncount (integer): ", "9\n"}, {"hot (yes or no): ", "n\n"}, {"with (with commas between them): ", "[]\n"},
		}, `\"count\":9,\"hot\":false,\"with\":[]`},
		{"a confirmation", []string{"clean"}, [][2]string{
			{"Clean it?\r\n  It takes a while.\r\n[y]es, [n]o, [d]ecline, [c]ancel: ", "maybe\n"},
			{"  \"maybe\" is not an answer to this; type y, n, d or c\r\n[y]es, [n]o, [d]ecline, [c]ancel: ", "y\n"},
		}, `"said": "cleaned"`},
		{"a form", []string{"pay"}, [][2]string{
			{"Answer it? [y]es, [d]ecline, [c]ancel: ", "y\n"},
			{"  1) Visa (v)\r\n  2) Master (m)\r\nkind (a number; default Master): ", "visa\n"},
			{"digit (integer): ", "7\n"},
			{"name (string; may be left out): ", "\n"},
		}, "{v 7 }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			converse(t, binary, append([]string{"call", "--timeout", "2m", url}, test.args...), test.prompts, test.want)
		})
	}
}

// On a real terminal, Tab shows the completions of the server.
func TestTerminalSuggestions(t *testing.T) {
	url := serveFake(t, fakeserver.New())
	binary := buildBench(t)
	const hint = "its beginning and Tab, Enter for suggestions"
	converse(t, binary, []string{"prompt", "review", "--timeout", "2m", url}, [][2]string{
		{"  3) groovy\r\nlang (a number, or a text; " + hint + "): ", "g\t\n"},
		{"  1) go\r\n  2) groovy\r\nlang (a number, or a text; " + hint + "): ", "2\n"},
	}, "Review this groovy code")
	converse(t, binary, []string{"read", "note://{id}", "--timeout", "2m", url}, [][2]string{
		{"  7\r\n  8\r\nid (text; " + hint + "): ", "7\n"},
	}, "# Seven")
}

// converse runs bench on a terminal, answers its prompts, and checks its final output.
func converse(t *testing.T, binary string, args []string, prompts [][2]string, want string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, args...)
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = terminal.Close() // a command that still runs ends with it
		if err := command.Wait(); err != nil {
			t.Errorf("bench: %v", err)
		}
	}()
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
	for _, p := range prompts {
		await(p[0], p[1])
	}
	_, _ = seen.ReadFrom(terminal) // on Linux, EIO when the other side is closed
	if !strings.Contains(seen.String(), want) {
		t.Errorf("there is no %s in\n%s", want, seen.String())
	}
}
