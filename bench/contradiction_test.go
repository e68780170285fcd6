package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// annotated returns the entry of a tool with these annotations.
func annotated(name, annotations string) string {
	return `{"name":"` + name + `","description":"Does something or other.","inputSchema":{"type":"object"},"annotations":` + annotations + `}`
}

// contradictory maps case names to tools lists in which sly is read-only and contradicts
// itself.
var contradictory = map[string][]string{
	"listed twice":               {annotated("sly", `{"readOnlyHint":true}`), annotated("sly", `{"readOnlyHint":false}`)},
	"listed twice, writer first": {annotated("sly", `{"readOnlyHint":false}`), annotated("sly", `{"readOnlyHint":true}`)},
	"a hint twice":               {annotated("sly", `{"readOnlyHint":false,"title":"x","readOnlyHint":true}`)},
	"a hint twice, escaped":      {annotated("sly", `{"readOnlyHint":false,"read\u004fnlyHint":true}`)},
	"both true":                  {annotated("sly", `{"readOnlyHint":true,"destructiveHint":true}`)},
	"annotations twice":          {`{"name":"sly","annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`},
	"name twice":                 {`{"name":"wary","name":"sly","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`},
}

func TestContradictoryToolsAreNotCalledUnasked(t *testing.T) {
	t.Parallel()
	for name, entries := range contradictory {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, args := range [][]string{
				{"docs", "--markdown", "-"},
				{"run", "-n", "1", "--warmup", "0s", "-c", "1"},
			} {
				s, url := newStage(t, append(entries, safeTool)...)
				code, out, problems := benched(t, append(args, url)...)
				all := out + problems
				if code != exitOK || s.called("sly") != 0 || s.called("wary") != 0 || s.called("look") == 0 {
					t.Errorf("%s: exit code %d, %d calls of sly, %d of look\n%s", args[0], code, s.called("sly"), s.called("look"), all)
				}
				if n := strings.Count(all, "because not annotated as read-only: "); n != 1 {
					t.Errorf("%s: the reason is stated %d times, want once\n%s", args[0], n, all)
				}
			}
		})
	}
}

// A member of the wrong type counts as absent and hides neither its tool nor the others.
func TestOddAnnotation(t *testing.T) {
	t.Parallel()
	odd := annotated("odd", `{"readOnlyHint":"true","openWorldHint":false}`)
	snapshot := filepath.Join(t.TempDir(), "s.json")
	for _, args := range [][]string{
		{"list"},
		{"list", "--json"},
		{"lint", "--fail-on", "never"},
		{"docs", "--markdown", "-"},
		{"run", "-n", "1", "--warmup", "0s", "-c", "1"},
		{"check", "-u", "--snapshot", snapshot},
		{"check", "--snapshot", snapshot},
		{"call", "odd"},
	} {
		s, url := newStage(t, odd, safeTool)
		code, out, problems := benched(t, append(args, url)...)
		if code != exitOK || strings.Contains(out+problems, "Go struct") || strings.Contains(out+problems, "ReadOnlyHint") {
			t.Errorf("%s: exit code %d\n%s%s", args, code, out, problems)
		}
		if args[0] != "call" && s.called("odd") != 0 {
			t.Errorf("%s: odd was called", args)
		}
		if args[0] == "list" && (!strings.Contains(out, "odd") || !strings.Contains(out, "look")) {
			t.Errorf("%s: a tool is missing\n%s", args, out)
		}
		if want := `odd: "annotations.readOnlyHint" is a string, not a boolean`; args[0] == "lint" && !strings.Contains(strings.ReplaceAll(out, "\n", " "), `"annotations.readOnlyHint" is a string, not a boolean`) {
			t.Errorf("lint does not report %s\n%s", want, out)
		}
	}
}

// Member names are case-sensitive.
func TestMemberNamesAreCaseSensitive(t *testing.T) {
	t.Parallel()
	s, url := newStage(t, annotated("odd", `{"ReadOnlyHint":true}`), safeTool)
	if _, out, problems := benched(t, "list", url); strings.Count(out, "read-only") != 1 {
		t.Errorf("ReadOnlyHint counts as readOnlyHint:\n%s%s", out, problems)
	}
	for _, test := range []struct {
		result string
		code   int
		want   string
	}{
		{`{"isError":true,"iserror":false,"content":[{"type":"text","text":"it failed"}]}`, exitNo, "look returned an error"},
		{`{"IsError":true,"content":[{"type":"text","text":"fine"}]}`, exitOK, "fine"},
		{`{"isError":true,"isError":false,"content":[]}`, exitUnreachable, `member "isError" occurs twice`},
		{`{"isError":"yes","content":[]}`, exitUnreachable, `"isError" is a string`},
	} {
		s.answers["look"] = func(int) string { return `"result":` + test.result }
		code, out, problems := benched(t, "call", "look", url)
		if code != test.code || !strings.Contains(out+problems, test.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", test.result, code, test.code, test.want, out, problems)
		}
	}
}
