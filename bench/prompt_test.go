package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/fakeserver"
)

// serveFake serves a fake server over HTTP until the test ends, and returns its URL.
func serveFake(t *testing.T, s *fakeserver.Server) string {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return web.URL
}

// answering has a fake server answer a method with a result, as it is.
func answering(s *fakeserver.Server, method, result string) {
	if s.Results == nil {
		s.Results = map[string]func(context.Context, json.RawMessage) (any, error){}
	}
	s.Results[method] = func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(result), nil }
}

// refusing has a fake server refuse a method.
func refusing(s *fakeserver.Server, method string, code int, message string) {
	if s.Results == nil {
		s.Results = map[string]func(context.Context, json.RawMessage) (any, error){}
	}
	s.Results[method] = func(context.Context, json.RawMessage) (any, error) {
		return nil, &fakeserver.Error{Code: code, Message: message}
	}
}

// inBothEras runs a test in each era.
func inBothEras(t *testing.T, test func(t *testing.T, era string)) {
	t.Helper()
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) { test(t, era) })
	}
}

func TestListEverything(t *testing.T) {
	t.Parallel()
	url := serveFake(t, fakeserver.New())
	const want = `
NAME  TITLE  HINTS      ARGUMENTS
look         read-only

PROMPT  TITLE        ARGUMENTS
review  Review code  lang, style?
hello
ask

RESOURCE     NAME   TYPE           SIZE
note://7     Seven  text/markdown  7 bytes
note://logo  logo   image/png
note://ask   ask

TEMPLATE                         NAME   TYPE
note://{id}                      note   text/markdown
orders://{region}/{id}{?expand}  order
`
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, out, problems := benched(t, "list", url, "--era", era)
		head, tables, _ := strings.Cut(out, "\n")
		if code != 0 || problems != "" || tables != want || !strings.HasSuffix(head, ": 1 tool, 3 prompts, 3 resources, 2 resource templates") {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		code, out, _ = benched(t, "list", url, "--json", "--era", era)
		var all struct{ Tools, Prompts, Resources, ResourceTemplates []json.RawMessage }
		if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 || len(all.Tools) != 1 || len(all.Prompts) != 3 || len(all.Resources) != 3 || len(all.ResourceTemplates) != 2 {
			t.Errorf("exit code %d, %v\n%s", code, err, out)
		}
	})
}

// A server that lists only some of it, or not what it declares.
func TestListPart(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	s.Capabilities = map[string]any{"prompts": map[string]any{}, "resources": map[string]any{}}
	refusing(s, "tools/list", -32601, "no tools")
	refusing(s, "resources/list", -32601, "no resources")
	refusing(s, "resources/templates/list", -32601, "no templates")
	url := serveFake(t, s)
	code, out, problems := benched(t, "list", url)
	if code != 0 || !strings.HasPrefix(out, "fake 1, revision 2026-07-28: 0 tools, 3 prompts\n\nPROMPT ") || problems != "bench: the server declares resources, and does not list them: no resources (JSON-RPC error -32601)\n" {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
	if _, out, _ = benched(t, "list", url, "--json"); strings.Contains(out, `"resources": [`) || !strings.Contains(out, `"resourceTemplates": []`) {
		t.Errorf("the list of resources is not there, and that of templates is empty\n%s", out)
	}
	refusing(s, "prompts/list", -32603, "broken")
	if code, _, problems := benched(t, "list", url); code != exitNo || problems != "bench: broken (JSON-RPC error -32603)\n" {
		t.Errorf("exit code %d\n%s", code, problems)
	}
}

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
			out, errors string // out is whole, errors a part
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
			{"an object", []string{"review", `{"lang":{}}`}, "", exitUsage, "", `the argument "lang" is an object; arguments of prompts are texts`},
			{"twice in JSON", []string{"review", `{"lang":"a","lang":"b"}`}, "", exitUsage, "", `the argument "lang" is there twice`},
			{"twice in words", []string{"review", "lang=a", "lang=b"}, "", exitUsage, "", `"lang=b": the argument has no name, or is there twice`},
			{"without a name", []string{"review", "=b"}, "", exitUsage, "", `"=b": the argument has no name`},
			{"words and JSON", []string{"review", "lang=a", `{"style":"b"}`}, "", exitUsage, "", `stands alone`},
			{"a list", []string{"review", `["go"]`}, "", exitUsage, "", `arguments are a JSON object`},
			{"no argument", []string{"review", "go"}, "", exitUsage, "", `"go" is no argument of a prompt; an argument is NAME=VALUE`},
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

// A person is asked for required arguments that are missing, with the values that the server suggests.
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
			asked, out       string // asked is what stderr has to begin with
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

// TestDocsLists has pages about prompts, resources and templates.
func TestDocsLists(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	url := serveFake(t, s)
	dir := t.TempDir()
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		s.Requests("prompts/get")
		code, out, problems := benched(t, "docs", url, "--era", era, "--out", dir)
		if code != 0 || problems != "" || !strings.Contains(out, "(1 tool, ") || !strings.Contains(out, "; 1 called; 3 prompts, 3 resources, 2 resource templates)\n") {
			t.Fatalf("exit code %d\n%s%s", code, out, problems)
		}
		if n := len(s.Requests("prompts/get")); n < 4 { // each twice, that which asks at least once
			t.Errorf("prompts were fetched %d times", n)
		}
		for _, name := range []string{"tools.md", "tools.html"} {
			page, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"Review this c code", "The language", "Reviews code in a language", "note://logo", "The seventh note", "orders://{region}/{id}{?expand}", "Hello", "for the user"} {
				if !strings.Contains(string(page), want) && !strings.Contains(strings.ReplaceAll(string(page), "<wbr>", ""), want) {
					t.Errorf("%s does not have %q\n%s", name, want, page)
				}
			}
		}
		if code, out, problems := benched(t, "docs", url, "--era", era, "--out", dir, "--check"); code != 0 || !strings.HasPrefix(out, "up to date") {
			t.Errorf("--check: exit code %d\n%s%s", code, out, problems)
		}
		s.Requests("prompts/get")
		code, out, problems = benched(t, "docs", url, "--era", era, "--skip", "review", "--skip", "ask", "--json", "--markdown", filepath.Join(dir, "x.md"))
		var report struct {
			Prompts                      []struct{ Name, Skipped, Ending string }
			Resources, ResourceTemplates int
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || len(report.Prompts) != 3 || report.Prompts[0].Skipped != notFetchedSkipped || report.Prompts[1].Ending != "Result" || report.Resources != 3 || report.ResourceTemplates != 2 {
			t.Errorf("exit code %d, %v\n%s%s", code, err, out, problems)
		}
		if n := len(s.Requests("prompts/get")); n != 2 {
			t.Errorf("prompts were fetched %d times", n)
		}
		if code, _, problems := benched(t, "docs", url, "--era", era, "--call", "none", "--markdown", filepath.Join(dir, "x.md")); code != 0 || len(s.Requests("prompts/get")) != 0 {
			t.Errorf("--call none: exit code %d\n%s", code, problems)
		}
	})
	silent := fakeserver.New()
	answering(silent, "completion/complete", `{"completion":{"values":[]},"resultType":"complete"}`)
	mute := fakeserver.New()
	delete(mute.Capabilities, "completions")
	for _, s := range []*fakeserver.Server{silent, mute} {
		code, page, problems := benched(t, "docs", serveFake(t, s), "--skip", "ask", "--markdown", "-")
		if code != 0 || !strings.Contains(page, "Not fetched: it has required arguments, for which the server suggests no values.") {
			t.Errorf("exit code %d\n%s%s", code, page, problems)
		}
	}
}
