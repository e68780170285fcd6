package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// serveFake serves a fake server over HTTP until the test ends, and returns its URL.
func serveFake(t *testing.T, s *fakeserver.Server) string {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return web.URL
}

// answering makes a fake server answer a method with the given result, unchanged.
func answering(s *fakeserver.Server, method, result string) {
	if s.Results == nil {
		s.Results = map[string]func(context.Context, json.RawMessage) (any, error){}
	}
	s.Results[method] = func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(result), nil }
}

// refusing makes a fake server refuse a method.
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
NAME  TITLE  HINTS      ARGUMENTS  DESCRIPTION
look         read-only             Looks around

PROMPT  TITLE        ARGUMENTS     DESCRIPTION
review  Review code  lang, style?  Reviews code in a language
hello                              Says hello
ask                                Asks for a name first

RESOURCE     NAME   TYPE           SIZE     DESCRIPTION
note://7     Seven  text/markdown  7 bytes  The seventh note
note://logo  logo   image/png
note://ask   ask

TEMPLATE                         NAME   TYPE           DESCRIPTION
note://{id}                      note   text/markdown  A note by its number
orders://{region}/{id}{?expand}  order                 An order
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

// The server serves only some of the lists, or not those it declares.
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

// TestCheckLists runs bench check on prompts, resources, and templates.
func TestCheckLists(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	answering(s, "resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"orders://{region}/{id}{?expand}","name":"order"},{"uriTemplate":"memo://{id}","name":"memo"}],"resultType":"complete"}`)
	url := serveFake(t, s)
	file := filepath.Join(t.TempDir(), "s.json")
	if code, out, problems := benched(t, "check", "--update", "-s", file, url); code != 0 || out != file+" is written: 1 tool, 3 prompts, 3 resources, 2 resource templates\n" {
		t.Fatalf("exit code %d\n%s%s", code, out, problems)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(good), "size") || strings.Contains(string(good), "annotations\": {\n        \"audience") {
		t.Errorf("there is data in the snapshot\n%s", good)
	}
	for _, test := range []struct {
		name  string
		edit  [2]string
		flags []string
		code  int
		want  string
	}{
		{"the same", [2]string{"", ""}, nil, 0, "no changes since " + file + ": 1 tool, 3 prompts, 3 resources, 2 resource templates\n"},
		{"the same, in the legacy era", [2]string{"", ""}, []string{"--era", "legacy"}, 0, "no changes since "},
		{"a prompt is gone", [2]string{`"hello"`, `"hallo"`}, nil, 1, "breaks callers:\n    prompt hallo: was present, is absent\ncompatible:\n    prompt hello: was absent, is present\n1 breaking change"},
		{"an argument is required", [2]string{`"required": true`, `"required": false`}, nil, 1, "    prompt review: arguments.lang: was optional, is required\n"},
		{"a MIME type", [2]string{`"mimeType": "image/png"`, `"mimeType": "image/gif"`}, nil, 1, "breaks readers of resources:\n    resource note://logo: was image/gif, is image/png\n"},
		{"without resources", [2]string{`"mimeType": "image/png"`, `"mimeType": "image/gif"`}, []string{"--without", "resources"}, 0, "no changes since " + file + ": 1 tool, 3 prompts, 2 resource templates\n"},
		{"variables", [2]string{`{region}/{id}{?expand}`, `{id}{?expand}`}, nil, 1, "    template orders://{id}{?expand}: variables: was id and expand (optional), is region, id and expand (optional)\n"},
		{"in detail", [2]string{`"How strict"`, `"How"`}, []string{"--diff"}, 0, "prompt review:\n--- was\n+++ is\n@@ "},
	} {
		edited := strings.Replace(string(good), test.edit[0], test.edit[1], 1)
		if edited == string(good) && test.edit[0] != "" {
			t.Fatalf("%s: the snapshot has no %s", test.name, test.edit[0])
		}
		if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, problems := benched(t, append([]string{"check", "-s", file, url}, test.flags...)...)
		if code != test.code || problems != "" || !strings.Contains(out, test.want) {
			t.Errorf("%s: exit code %d, want %d and %s\n%s%s", test.name, code, test.code, test.want, out, problems)
		}
	}
	old, _, _ := strings.Cut(string(good), `,
  "prompts"`)
	if err := os.WriteFile(file, []byte(old+"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, problems := benched(t, "check", "-s", file, url)
	if want := "compatible:\n    prompts: was not recorded, is 3 prompts\n    resources: was not recorded, is 3 resources\n    templates: was not recorded, is 2 templates\ncompatible with " + file + "; run with --update to write it\n"; code != 0 || out != want {
		t.Errorf("of an old snapshot: exit code %d\n%s%s", code, out, problems)
	}
	if code, out, problems := benched(t, "check", "-u", "-s", file, url); code != 0 || !strings.Contains(out, " is updated: ") {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(good) {
		t.Errorf("an old snapshot was updated to %s, %v", now, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(good), `"hello"`, `"hallo"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ = benched(t, "check", "--json", "-s", file, url)
	var found struct {
		Tools, Prompts, Resources, ResourceTemplates int
		Changes                                      []struct{ Tool, Prompt, Class, Party string }
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 1 || found.Tools != 1 || found.Prompts != 3 || found.Resources != 3 || found.ResourceTemplates != 2 ||
		len(found.Changes) != 2 || found.Changes[0].Prompt != "hallo" || found.Changes[0].Tool != "" || found.Changes[0].Class != "breaks" || found.Changes[0].Party != "callers" {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	answering(s, "prompts/list", `{"prompts":[{"name":"a"},{"name":"a"}],"resultType":"complete"}`)
	if code, _, problems := benched(t, "check", "-s", file, url); code != exitNo || !strings.Contains(problems, `what the server lists is wrong: not a snapshot of tools: name of a prompt "a" is empty or duplicated`) {
		t.Errorf("exit code %d\n%s", code, problems)
	}
}

// TestDocsLists generates pages about prompts, resources, and templates.
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
		if n := len(s.Requests("prompts/get")); n < 4 { // each twice; the one that asks at least once
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
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || len(report.Prompts) != 3 || report.Prompts[0].Skipped != "Not fetched: it was left out on purpose." || report.Prompts[1].Ending != "Result" || report.Resources != 3 || report.ResourceTemplates != 2 {
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

// TestLintLists runs bench lint on prompts, resources, templates, and contents.
func TestLintLists(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
	answering(s, "resources/list", `{"resources":[{"uri":"note://7","name":"seven","title":"Seven","mimeType":"text/plain"},{"uri":"note://none","name":"none","title":"None"}],"resultType":"complete"}`)
	url := serveFake(t, s)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		s.Requests("resources/read")
		code, out, problems := benched(t, "lint", url, "--era", era)
		if code != 0 || problems != "" || !strings.Contains(out, ": 1 tool, 3 prompts, 2 resources, 2 resource templates; ") || !strings.Contains(out, "\nprompts: 3, ") || len(s.Requests("resources/read")) != 0 {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		code, out, problems = benched(t, "lint", url, "--era", era, "--read", "--json")
		var report lint.Report
		if err := json.Unmarshal([]byte(strings.NewReplacer(`"level": "error"`, `"level": 3`, `"level": "warning"`, `"level": 2`, `"level": "advice"`, `"level": 1`).Replace(out)), &report); err != nil || code != exitNo {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, out, problems)
		}
		var rules []string
		for _, f := range report.Findings {
			if f.Resource != "" {
				rules = append(rules, f.Rule+" "+f.Resource)
			}
		}
		if got := strings.Join(rules, ", "); got != "not-readable note://none, other-mime note://7" || len(report.Lists) != 3 {
			t.Errorf("the findings are %s", got)
		}
	})
}
