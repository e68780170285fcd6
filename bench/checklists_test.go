package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/fakeserver"
)

// TestCheckLists has bench check watch prompts, resources and templates.
func TestCheckLists(t *testing.T) {
	t.Parallel()
	s := fakeserver.New()
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
		{"a prompt is gone", [2]string{`"hello"`, `"hallo"`}, nil, 1, "breaks callers:\n    prompt hallo: was there, is gone\ncompatible:\n    prompt hello: was not there, is new\n1 breaking change"},
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
	if code, _, problems := benched(t, "check", "-s", file, url); code != exitNo || !strings.Contains(problems, `what the server lists is wrong: this is no snapshot of tools: the name of a prompt "a" is empty or there twice`) {
		t.Errorf("exit code %d\n%s", code, problems)
	}
}
