package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notReadOnly are annotations of tools that bench must not call unless asked to.
var notReadOnly = []struct{ name, annotations, reason string }{
	{"create_directory", `{"readOnlyHint":false,"idempotentHint":true,"destructiveHint":false}`, "the official file server annotates it so, and it writes to the disk"},
	{"unannotated", ``, "an absent hint means not read-only"},
	{"adds", `{"destructiveHint":false}`, "adding is a change"},
	{"repeats", `{"idempotentHint":true}`, "the first call is a change"},
	{"misspelt", `{"readonlyHint":true}`, "member names are case-sensitive, so the hint is absent"},
	{"titled", `{"title":"readOnlyHint"}`, "a title is no hint"},
}

// recorder returns the URL of a server that creates a file for each tool that is called, and a function that returns
// the names of the tools called since it was last asked.
func recorder(t *testing.T) (url string, called func() string) {
	t.Helper()
	dir := t.TempDir()
	entries := []string{safeTool}
	for _, tool := range notReadOnly {
		entry := fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}`, tool.name)
		if tool.annotations != "" {
			entry += `,"annotations":` + tool.annotations
		}
		entries = append(entries, entry+"}")
	}
	s, url := newStage(t, entries...)
	for _, name := range append([]string{"look"}, toolNames()...) {
		s.answers[name] = func(int) string {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Error(err)
			}
			return `"result":{"content":[{"type":"text","text":"done"}]}`
		}
	}
	return url, func() string {
		t.Helper()
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, file := range files {
			names = append(names, file.Name())
			if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Join(names, " ")
	}
}

func toolNames() []string {
	var names []string
	for _, tool := range notReadOnly {
		names = append(names, tool.name)
	}
	return names
}

// Commands call tools unasked only if they are annotated readOnlyHint: true.
func TestOnlyReadOnlyToolsRunUnasked(t *testing.T) {
	t.Parallel()
	all := "adds create_directory look misspelt repeats titled unannotated"
	for _, test := range []struct {
		name   string
		args   []string
		called string
		note   bool // stderr or stdout names the tools not called and the flag that calls them
	}{
		{"docs", []string{"docs", "--markdown", "-"}, "look", true},
		{"docs, pages in a directory", []string{"docs", "--out", "DIR"}, "look", true},
		{"docs as JSON", []string{"docs", "--out", "DIR", "--json"}, "look", false},
		{"docs, nothing called", []string{"docs", "--markdown", "-", "--call", "none"}, "", false},
		{"docs, one more", []string{"docs", "--markdown", "-", "--call", "create_directory"}, "create_directory look", true},
		{"docs, one only", []string{"docs", "--markdown", "-", "--call", "none", "--call", "create_directory"}, "create_directory", false},
		{"docs, a list", []string{"docs", "--markdown", "-", "--call", "adds,titled"}, "adds look titled", true},
		{"docs, all", []string{"docs", "--markdown", "-", "--call", "all"}, all, false},
		{"docs, all but some", []string{"docs", "--markdown", "-", "--call", "all", "--skip", "look", "--skip", "adds"}, "create_directory misspelt repeats titled unannotated", false},
		{"docs, read-only by name", []string{"docs", "--markdown", "-", "--call", "read-only"}, "look", true},
		{"run", []string{"run", "-n", "2", "--warmup", "0s", "-c", "1"}, "look", true},
		{"run as JSON", []string{"run", "-n", "2", "--warmup", "0s", "-c", "1", "--json"}, "look", true},
		{"run, a tool", []string{"run", "-n", "2", "--warmup", "0s", "-c", "1", "--tool", "adds"}, "adds", false},
		{"run, all", []string{"run", "-n", "2", "--warmup", "0s", "-c", "1", "--all"}, all, false},
		{"check, first", []string{"check", "--snapshot", "DIR/s.json", "--update"}, "", false},
		{"lint", []string{"lint", "--fail-on", "never"}, "", false},
		{"list", []string{"list"}, "", false},
		{"list as JSON", []string{"list", "--json"}, "", false},
		{"call", []string{"call", "repeats"}, "repeats", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, called := recorder(t)
			dir := t.TempDir()
			var args []string
			for _, arg := range test.args {
				args = append(args, strings.Replace(arg, "DIR", dir, 1))
			}
			code, out, problems := benched(t, append(args, url)...)
			if code != exitOK {
				t.Fatalf("exit code %d\n%s%s", code, out, problems)
			}
			if got := called(); got != test.called {
				t.Errorf("called: %q, want %q", got, test.called)
			}
			flag := map[bool]string{true: "--call", false: "--tool"}[test.args[0] == "docs"]
			said := strings.Contains(problems+out, "repeats") && strings.Contains(problems+out, flag)
			if test.args[0] == "docs" {
				said = strings.Contains(problems, "repeats") && strings.Contains(problems, flag) && strings.Count(problems, "\n") == 1
			}
			if (test.args[0] == "docs" || test.args[0] == "run") && said != test.note {
				t.Errorf("it says what was not called: %t, want %t\nstdout: %s\nstderr: %s", said, test.note, out, problems)
			}
		})
	}
}

// Naming a tool that does not exist is an error that suggests the nearest name, before any call or output.
func TestNamedToolsExist(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"docs --call", []string{"docs", "--call", "create_directry"}, `--call: there is no tool "create_directry"; did you mean "create_directory"?`},
		{"docs --call of a policy", []string{"docs", "--call", "readonly"}, `--call: there is no tool "readonly"; did you mean "read-only"?`},
		{"docs --skip", []string{"docs", "--skip", "lok"}, `--skip: there is no tool "lok"; did you mean "look"?`},
		{"docs --skip beside --call none", []string{"docs", "--call", "none", "--skip", "lok"}, `--skip: there is no tool "lok"; did you mean "look"?`},
		{"docs --skip of nothing like it", []string{"docs", "--skip", "xyzzy"}, `--skip: there is no tool "xyzzy"; bench list shows the 7 tools`},
		{"docs --skip of a keyword", []string{"docs", "--skip", "none"}, `--skip: there is no tool "none"`},
		{"docs, both", []string{"docs", "--call", "adds", "--skip", "adds"}, `--call and --skip both name "adds"; leave out one of them`},
		{"docs, all and none", []string{"docs", "--call", "all", "--call", "none"}, `--call all and --call none contradict each other`},
		{"run --tool", []string{"run", "--tool", "unanotated"}, `--tool: there is no tool "unanotated"; did you mean "unannotated"?`},
		{"run --tool beside one that exists", []string{"run", "--tool", "look", "--tool", "xyzzy"}, `--tool: there is no tool "xyzzy"; bench list shows the 7 tools`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, called := recorder(t)
			dir := t.TempDir()
			args := append(test.args, url)
			if test.args[0] == "docs" {
				args = append(args, "--out", dir)
			}
			code, out, problems := benched(t, args...)
			if code != exitUsage || !strings.Contains(problems, test.want) || out != "" {
				t.Errorf("exit code %d, %s%s; want %d: %s", code, out, problems, exitUsage, test.want)
			}
			if got := called(); got != "" {
				t.Errorf("called: %q, want none", got)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("files written: %v, %v", files, err)
			}
		})
	}
}

// TestListHints checks that a list shows a destructive hint only of a tool that writes.
func TestListHints(t *testing.T) {
	for hints, want := range map[string]string{
		`{"readOnlyHint":true,"destructiveHint":false}`:  "sly read-only",
		`{"readOnlyHint":true}`:                          "sly read-only",
		`{"readOnlyHint":false,"destructiveHint":false}`: "sly writes, additive",
		`{"destructiveHint":false}`:                      "sly additive",
		`{"destructiveHint":true}`:                       "sly destructive",
	} {
		url := serveTools(t, annotated("sly", hints))
		if _, out, problems := benched(t, "list", url); !strings.Contains(strings.Join(strings.Fields(out), " "), want+" Does") {
			t.Errorf("%s: got\n%s%s\nwant %s", hints, out, problems, want)
		}
	}
}
