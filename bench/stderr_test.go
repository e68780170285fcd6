package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// A server's stderr cannot be mistaken for output of bench.
func TestVerboseLinesHavePrefix(t *testing.T) {
	t.Parallel()
	_, _, problems := benched(t, "list", "-v", "--era", "legacy", "--timeout", "5s", "--", "sh", "-c", `printf 'bench: all is well\nbench: \342\200\213no line break' >&2`)
	for line := range strings.Lines(problems) {
		if strings.HasPrefix(line, "bench: all is well") || strings.HasPrefix(line, "bench: \ufffdno") {
			t.Errorf("the line has no prefix: %q", line)
		}
	}
	for _, want := range []string{"  | bench: all is well\n", "  | bench: \ufffdno line break\n"} {
		if !strings.Contains("\n"+problems, "\n"+want) {
			t.Errorf("stderr is not shown as %q:\n%s", want, problems)
		}
	}
}

// faulty is a server whose tool look fails with the text in $FAILS, and logs the reason to stderr.
const faulty = `while read -r m; do
	case $m in
	*'"initialize"'*) r='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"faulty","version":"1"}}' ;;
	*'"tools/list"'*) r='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
	*'"tools/call"'*) echo the reason >&2; r='{"isError":true,"content":[{"type":"text","text":"'$FAILS'"}]}' ;;
	*) continue ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(expr "$m" : '.*"id":\([0-9]*\)')" "$r"
done`

// TestInternalError checks that bench mentions --verbose if the reason for an error is in the log that it does not show.
func TestInternalError(t *testing.T) {
	t.Parallel()
	const hint, reason = "look returned an error; with --verbose, bench shows the log of the server\n", "  | the reason\n"
	for _, test := range []struct {
		name, fails, want, without string
		flags                      []string
	}{
		{"an internal error", "the tool failed with an internal error (reference 1)", hint, reason, nil},
		{"the log is shown", "the tool failed with an internal error (reference 1)", reason, hint, []string{"-v"}},
		{"an error for the model", "there is no city Lisbno", "look returned an error\n", "verbose", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := slices.Concat([]string{"call", "look", "--era", "legacy", "--env", "FAILS=" + test.fails}, test.flags, []string{"--", "sh", "-c", faulty})
			code, out, problems := benched(t, args...)
			if code != exitNo || out != test.fails+"\n" || !strings.Contains(problems, test.want) || strings.Contains(problems, test.without) {
				t.Errorf("exit code %d\n%s%s", code, out, problems)
			}
		})
	}
}

// TestStrayLines checks that lines on stdout that are not messages are reported
// as a bug of the server.
func TestStrayLines(t *testing.T) {
	weather := buildWeather(t)
	loud := []string{"--", "sh", "-c", "echo Welcome to weather; echo 2; exec " + weather}
	file := filepath.Join(t.TempDir(), "s.json")
	if code, _, problems := benched(t, "check", "-u", "-s", file, weather); code != exitOK {
		t.Fatal(problems)
	}
	const want = `bench: a bug of the server: its stdout has 2 lines beside MCP messages, the first is "Welcome to weather"; `
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"list"}, exitOK},
		{[]string{"call", "list_cities", "{}"}, exitOK},
		{[]string{"docs", "--markdown", "-"}, exitOK},
		{[]string{"check", "-s", file}, exitNo},
		{[]string{"lint"}, exitNo},
		{[]string{"lint", "--fail-on", "never"}, exitOK},
	} {
		code, out, problems := benched(t, append(test.args, loud...)...)
		if code != test.code || out == "" || strings.Count(problems, want) != 1 {
			t.Errorf("%q: exit code %d, want %d\n%s", test.args, code, test.code, problems)
		}
		if _, _, problems := benched(t, append(test.args, weather)...); strings.Contains(problems, "a bug of") {
			t.Errorf("%q of a correct server: %s", test.args, problems)
		}
	}
}

// A snapshot contains no invisible characters, but still represents the same
// values.
func TestSnapshotEscapesHiddenCharacters(t *testing.T) {
	t.Parallel()
	_, url := newStage(t, `{"name":"look","description":"a\u009bb\u202ec\u2066d\udb40\udc41e größe <b>","inputSchema":{"type":"object"}}`)
	file := filepath.Join(t.TempDir(), "s.json")
	if code, out, problems := benched(t, "check", "-u", "-s", file, url); code != exitOK {
		t.Fatalf("exit code %d, %s%s", code, out, problems)
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), `"a\u009bb\u202ec\u2066d\udb40\udc41e größe <b>"`) {
		t.Errorf("%v, %s", err, data)
	}
	if code, out, problems := benched(t, "check", "-s", file, url); code != exitOK || !strings.Contains(out, "no changes since ") {
		t.Errorf("exit code %d, %s%s", code, out, problems)
	}
}

func TestElicitedURLs(t *testing.T) {
	t.Parallel()
	for url, offered := range map[string]bool{
		"https://example.com/a": true, "http://127.0.0.1:80/": true, "javascript:alert(1)": false, "file:///etc/passwd": false,
		"https:evil": false, "HTTPS://example.com": true, "data:text/html,x": false, "": false,
	} {
		text := typedAnswer(t, "y\n", client.Elicitation{Mode: "url", Message: "Go there", URL: url})
		if got := strings.Contains(text, "Open this in a browser"); got != offered {
			t.Errorf("%q: offered %t, want %t\n%s", url, got, offered, text)
		}
	}
}

// typedAnswer returns the output of a dialogue in which the user types typed.
func typedAnswer(t *testing.T, typed string, q client.Elicitation) string {
	t.Helper()
	var stderr strings.Builder
	con := &console{in: strings.NewReader(typed), out: terminal.NewWriter(&stderr), err: terminal.NewWriter(&stderr), inTerminal: true, errTerminal: true}
	if _, err := newDialogue(con).elicit(t.Context(), q); err != nil {
		t.Error(err)
	}
	return stderr.String()
}
