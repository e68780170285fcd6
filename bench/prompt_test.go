package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

func TestPrompt(t *testing.T) {
	t.Parallel()
	url := serveFake(t, fakeserver.New())
	file := filepath.Join(t.TempDir(), "args.json")
	if err := os.WriteFile(file, []byte(`{"lang":"go","style":"strict"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const review = `Code review

user:
  Review this go code. strict

assistant:
  [image, image/png, 9 bytes]

user:
  [note://7, text/markdown]
  # Seven
`
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		for _, test := range []struct {
			name        string
			args        []string
			in          string
			code        int
			out, errors string // out is the whole output, errors a substring
		}{
			{"words", []string{"review", "lang=go", "style=strict"}, "", 0, review, ""},
			{"JSON", []string{"review", `{"lang":"go","style":"strict"}`}, "", 0, review, ""},
			{"a file", []string{"review", "@" + file}, "", 0, review, ""},
			{"stdin", []string{"review", "-"}, `{"lang":"go","style":"strict"}`, 0, review, ""},
			{"a number and a boolean", []string{"review", `{"lang":1.50,"style":true}`}, "", 0, strings.NewReplacer("go code", "1.50 code", "strict", "true").Replace(review), ""},
			{"no arguments", []string{"hello"}, "", 0, "user:\n  Hello\n", ""},
			{"missing", []string{"review"}, "", exitNo, "", "bench: the argument lang is missing (JSON-RPC error -32602)\n"},
			{"nobody answers", []string{"ask"}, "", 0, "user:\n  Hello nobody\n", `the server asks "Who are you?"; nobody is at a terminal`},
			{"no such prompt", []string{"reviw"}, "", exitUsage, "", `there is no prompt "reviw"; did you mean "review"?`},
			{"nothing like it", []string{"xyzzy"}, "", exitUsage, "", `there is no prompt "xyzzy"; bench list shows the 3 prompts`},
			{"an object", []string{"review", `{"lang":{}}`}, "", exitUsage, "", `the argument "lang" is an object; arguments of prompts are strings`},
			{"twice in JSON", []string{"review", `{"lang":"a","lang":"b"}`}, "", exitUsage, "", `the argument "lang" is there twice`},
			{"twice in words", []string{"review", "lang=a", "lang=b"}, "", exitUsage, "", `"lang=b" is not of the form NAME=VALUE, or is there twice`},
			{"without a name", []string{"review", "=b"}, "", exitUsage, "", `"=b" is not of the form NAME=VALUE`},
			{"words and JSON", []string{"review", "lang=a", `{"style":"b"}`}, "", exitUsage, "", `stands alone`},
			{"a list", []string{"review", `["go"]`}, "", exitUsage, "", `or a JSON object`},
			{"no argument", []string{"review", "go"}, "", exitUsage, "", `the arguments: arguments are NAME=VALUE, or a JSON object`},
		} {
			code, out, problems := bench(t, test.in, false, append([]string{"prompt", "--era", era, url}, test.args...)...)
			if code != test.code || out != test.out || !strings.Contains(problems, test.errors) {
				t.Errorf("%s: exit code %d, want %d\n%s%s", test.name, code, test.code, out, problems)
			}
		}
		code, out, _ := benched(t, "prompt", "review", "lang=go", "--json", url, "--era", era)
		var result struct{ Messages []any }
		if err := json.Unmarshal([]byte(out), &result); err != nil || code != 0 || len(result.Messages) != 3 {
			t.Errorf("exit code %d, %v\n%s", code, err, out)
		}
	})
	if code, _, problems := benched(t, "prompt", "review", "lang=go"); code != exitUsage || !strings.Contains(problems, "there is no TARGET") {
		t.Errorf("no server: exit code %d, %s", code, problems)
	}
	if code, _, problems := benched(t, "prompt", "review", "lang=go", "no-such-program"); code != exitUsage || !strings.Contains(problems, "there is no file no-such-program") {
		t.Errorf("no program: exit code %d, %s", code, problems)
	}
}

// The user is prompted for missing required arguments, with the completions of the server.
func TestPromptDialogue(t *testing.T) {
	t.Parallel()
	url := serveFake(t, fakeserver.New())
	many := fakeserver.New()
	answering(many, "completion/complete", `{"completion":{"values":["a","b","c","d","e","f","g","h","i","j","k","l"],"total":40,"hasMore":true}}`)
	numbers := fakeserver.New()
	answering(numbers, "completion/complete", `{"completion":{"values":["10","20"]}}`)
	open := fakeserver.New()
	answering(open, "completion/complete", `{"completion":{"values":["a"],"hasMore":true}}`)
	silent := fakeserver.New()
	refusing(silent, "completion/complete", -32602, "not for this")
	none := fakeserver.New()
	delete(none.Capabilities, "completions")
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		for _, test := range []struct {
			name, url, typed string
			code             int
			asked, out       string // asked is a prefix of stderr
		}{
			{"a number", url, "2\n", 0, "The language\n  1) c\n  2) go\n  3) groovy\nlang (a number, or a text; its beginning and Tab, Enter for suggestions): ", "Review this go code"},
			{"a value", url, "go\n", 0, "", "Review this go code"},
			{"a text of one's own", url, "rust 3\n", 0, "", "Review this rust 3 code"},
			{"a number beyond", url, "4\n", 0, "", "Review this 4 code"},
			{"a beginning", url, "g\t\n2\n", 0, "The language\n  1) c\n  2) go\n  3) groovy\nlang (a number, or a text; its beginning and Tab, Enter for suggestions):   1) go\n  2) groovy\nlang", "Review this groovy code"},
			{"a beginning of nothing", url, "z\t\nzig\n", 0, "", "Review this zig code"},
			{"nothing", url, "\ngo\n", 0, "", "Review this go code"},
			{"the end", url, "", exitNo, "", ""},
			{"many", serveFake(t, many), "j\n", 0, "The language\n  1) a\n  2) b\n  3) c\n  4) d\n  5) e\n  6) f\n  7) g\n  8) h\n  9) i\n  10) j\n  … and 30 more\nlang", "Review this j code"},
			{"open", serveFake(t, open), "1\n", 0, "The language\n  1) a\n  … and more\nlang", "Review this a code"},
			{"numbers are values", serveFake(t, numbers), "1\n", 0, "The language\n  10\n  20\nlang (text; its beginning and Tab", "Review this 1 code"},
			{"refused", serveFake(t, silent), "go\n", 0, "The language\nlang (text): ", "Review this go code"},
			{"not declared", serveFake(t, none), "go\n", 0, "The language\nlang (text): ", "Review this go code"},
		} {
			code, out, problems := bench(t, test.typed, true, "prompt", "review", test.url, "--era", era)
			if code != test.code || !strings.HasPrefix(problems, test.asked) || !strings.Contains(out, test.out) {
				t.Errorf("%s: exit code %d, want %d\n%s%s", test.name, code, test.code, out, problems)
			}
		}
		code, out, problems := bench(t, "y\nAda\n", true, "prompt", "ask", url, "--era", era)
		if code != 0 || out != "user:\n  Hello Ada\n" || !strings.Contains(problems, "The server asks: Who are you?") {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		if code, _, problems := bench(t, "", true, "prompt", "review", "lang=go", url, "--era", era); code != 0 || problems != "" {
			t.Errorf("all is given, and a person is asked: exit code %d\n%s", code, problems)
		}
	})
}
