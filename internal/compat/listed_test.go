package compat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
)

// TestListed compares changed prompts, resources, and templates.
func TestListed(t *testing.T) {
	t.Parallel()
	prompt := func(members string) string { return `"prompts":[{"name":"review"` + members + `}]` }
	resource := func(members string) string { return `"resources":[{"uri":"note://7","name":"seven"` + members + `}]` }
	template := func(uri, members string) string {
		return `"resourceTemplates":[{"uriTemplate":"` + uri + `","name":"note"` + members + `}]`
	}
	const lang = `,"arguments":[{"name":"lang"}]`
	for _, test := range []struct {
		reason, was, is string
		want            string
	}{
		{"an old snapshot knows tools only", `"nextCursor":""`, prompt(lang) + "," + resource("") + "," + template("memo://{id}", ""), "compatible:\n    prompts: was not recorded, is 1 prompt\n    resources: was not recorded, is 1 resource\n    templates: was not recorded, is 1 template\n"},
		{"an old snapshot, and nothing there", `"nextCursor":""`, `"prompts":[]`, ""},
		{"a prompt is added", `"prompts":[]`, prompt(lang), "compatible:\n    prompt review: was absent, is present\n"},
		{"a prompt is removed", prompt(lang), `"prompts":[]`, "breaks callers:\n    prompt review: was present, is absent\n"},
		{"prompts are not declared any more", prompt(lang), `"nextCursor":""`, "breaks callers:\n    prompt review: was present, is absent\n"},
		{"a required argument is added", prompt(lang), prompt(`,"arguments":[{"name":"lang"},{"name":"style","required":true}]`), "breaks callers:\n    prompt review: arguments.style: was absent, is required\n"},
		{"an optional argument is added", prompt(lang), prompt(`,"arguments":[{"name":"style"},{"name":"lang"}]`), "compatible:\n    prompt review: arguments.style: was absent, is optional\n"},
		{"an argument is removed", prompt(lang), prompt(""), "breaks callers:\n    prompt review: arguments.lang: was present, is absent\n"},
		{"an argument is required now", prompt(lang), prompt(`,"arguments":[{"name":"lang","required":true}]`), "breaks callers:\n    prompt review: arguments.lang: was optional, is required\n"},
		{"an argument is optional now", prompt(`,"arguments":[{"name":"lang","required":true}]`), prompt(lang), "compatible:\n    prompt review: arguments.lang: was required, is optional\n"},
		{
			"words", prompt(`,"title":"A","arguments":[{"name":"lang","description":"x"}]`), prompt(`,"description":"B","arguments":[{"name":"lang","description":"y","title":"z"}]`),
			"wording only:\n    prompt review: was title \"A\", is without title\n    prompt review: was without description, is description \"B\"\n    prompt review: arguments.lang: was without title, is title \"z\"\n    prompt review: arguments.lang: was description \"x\", is description \"y\"\n",
		},
		{"a resource is removed", resource(""), `"resources":[]`, "breaks callers:\n    resource note://7: was present, is absent\n"},
		{"a resource is covered by a template", resource(""), `"resources":[],` + template("note://{id}", ""), "may break callers:\n    resource note://7: was listed, is only covered by the template note://{id}\ncompatible:\n    templates: was not recorded, is 1 template\n"},
		{"a resource is not covered by a template", resource(""), `"resources":[],` + template("memo://{id}", ""), "breaks callers:\n    resource note://7: was present, is absent\ncompatible:\n    templates: was not recorded, is 1 template\n"},
		{"resources that a template matches", resource("") + "," + template("note://{id}", ""), template("note://{id}", ""), ""},
		{"and one that comes", template("note://{id}", ""), resource("") + "," + template("note://{id}", ""), ""},
		{"views of tools", `"resources":[{"uri":"ui://chart/1","name":"chart"}]`, `"resources":[{"uri":"ui://chart/2","name":"chart"}]`, ""},
		{"a resource is added", `"resources":[]`, resource(""), "compatible:\n    resource note://7: was absent, is present\n"},
		{"another MIME type", resource(`,"mimeType":"text/plain"`), resource(`,"mimeType":"text/html"`), "breaks readers of resources:\n    resource note://7: was text/plain, is text/html\n"},
		{"the same MIME type", resource(`,"mimeType":"text/plain"`), resource(`,"mimeType":"Text/Plain"`), ""},
		{"a MIME type now", resource(""), resource(`,"mimeType":"text/html"`), "compatible:\n    resource note://7: was without a MIME type, is text/html\n"},
		{"no MIME type any more", resource(`,"mimeType":"text/html"`), resource(""), "may break readers of resources:\n    resource note://7: was text/html, is without a MIME type\n"},
		{"data of a resource", resource(`,"size":7,"annotations":{"lastModified":"2026-01-01T00:00:00Z"}`), resource(`,"size":8`), ""},
		{"words of a resource", resource(`,"title":"A","description":"x"`), resource(`,"title":"B"`), "wording only:\n    resource note://7: was title \"A\", is title \"B\"\n    resource note://7: was description \"x\", is without description\n"},
		{"a template is removed", template("note://{id}", ""), `"resourceTemplates":[]`, "breaks callers:\n    template note://{id}: was present, is absent\n"},
		{"a template is added", `"resourceTemplates":[]`, template("note://{id}", ""), "compatible:\n    template note://{id}: was absent, is present\n"},
		{"another variable", template("note://{id}", ""), template("note://{number}", ""), "breaks callers:\n    template note://{id}: variables: was id, is number\n"},
		{"one more variable", template("note://{id}", ""), template("note://{region}/{id}", ""), "breaks callers:\n    template note://{id}: variables: was id, is region and id\n"},
		{"one more variable that may be absent", template("note://{id}", ""), template("note://{id}{?all}", ""), "compatible:\n    template note://{id}: variables: was id, is id and all (optional)\n"},
		{"and another one", template("note://{id}{?all}", ""), template("note://{id}{?x,all}", ""), "compatible:\n    template note://{id}{?all}: variables: was id and all (optional), is id, x (optional) and all (optional)\n"},
		{"a variable that may be absent is gone", template("note://{id}{?all}", ""), template("note://{id}", ""), "breaks callers:\n    template note://{id}{?all}: variables: was id and all (optional), is id\n"},
		{"another text", template("note://{id}", ""), template("memo://{id}", ""), "breaks callers:\n    template note://{id}: was note://{id}, is memo://{id}\n"},
		{"another text and a variable that may be absent", template("note://{id}", ""), template("memo://{id}{?all}", ""), "breaks callers:\n    template note://{id}: variables: was id, is id and all (optional)\n"},
		{"a template that cannot be read", template("note://{id}", ""), template("note://{id,b}", ""), "breaks callers:\n    template note://{id}: was note://{id}, is note://{id,b}\n"},
		{
			"a template whose name others have", template("note://{id}", ""), `"resourceTemplates":[{"uriTemplate":"a://{id}","name":"note"},{"uriTemplate":"b://{id}","name":"note"}]`,
			"breaks callers:\n    template note://{id}: was present, is absent\ncompatible:\n    template a://{id}: was absent, is present\n    template b://{id}: was absent, is present\n",
		},
		{"another MIME type of a template", template("note://{id}", `,"mimeType":"a/b"`), template("note://{id}", `,"mimeType":"a/c"`), "breaks readers of resources:\n    template note://{id}: was a/b, is a/c\n"},
	} {
		parse := func(members string) *compat.Snapshot {
			s, err := compat.Parse([]byte(`{"tools":[],` + members + `}`))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if got := compat.Report(compat.Compare(parse(test.was), parse(test.is)), word); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.reason, got, test.want)
		}
	}
}

// TestListedSnapshot checks that recorded lists are written and others are not.
func TestListedSnapshot(t *testing.T) {
	t.Parallel()
	raw := func(entries ...string) []json.RawMessage {
		list := []json.RawMessage{}
		for _, entry := range entries {
			list = append(list, json.RawMessage(entry))
		}
		return list
	}
	s, err := compat.NewSnapshot(compat.Entries{
		Prompts:   raw(`{"name":"b","icons":[]}`, `{"name":"a","arguments":[{"name":"z","required":true},{"name":"y"}]}`),
		Resources: raw(`{"uri":"n:2","name":"x","size":7}`, `{"uri":"n:1","name":"x","mimeType":"a/b"}`), Templates: raw(),
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := compat.Format(s)
	if err != nil {
		t.Fatal(err)
	}
	var line strings.Builder
	for field := range strings.FieldsSeq(string(text)) {
		line.WriteString(field)
	}
	if want := `{"tools":[],"prompts":[{"name":"a","arguments":[{"name":"z","required":true},{"name":"y"}]},{"name":"b"}],` +
		`"resources":[{"uri":"n:1","name":"x","mimeType":"a/b"},{"uri":"n:2","name":"x"}],"resourceTemplates":[]}`; line.String() != want {
		t.Errorf("got %s\nwant %s", line.String(), want)
	}
	again, err := compat.Parse(text)
	if err != nil || len(compat.Compare(s, again)) > 0 {
		t.Errorf("what was written is read as something else: %v, %v", compat.Compare(s, again), err)
	}
	if changes := compat.Compare(nil, s); len(changes) != 2 || compat.Worst(changes) != fine {
		t.Errorf("compared with nothing: %v", changes)
	}
	for kind, name := range map[compat.Kind]string{compat.PromptKind: "a", compat.ResourceKind: "n:1"} {
		if entry, err := s.Entry(kind, name); err != nil || !strings.Contains(string(entry), `"`+name+`"`) {
			t.Errorf("%s %s: %s, %v", kind, name, entry, err)
		}
	}
	if entry, err := s.Entry(compat.ToolKind, "a"); err != nil || entry != nil {
		t.Errorf("a tool that is not there: %s, %v", entry, err)
	}
	for _, bad := range []compat.Entries{
		{Prompts: raw(`{"name":"a"}`, `{"name":"a"}`)},
		{Prompts: raw(`{}`)},
		{Resources: raw(`{"name":"a"}`)},
		{Resources: raw(`{"uri":"a:b"}`, `{"uri":"a:b"}`)},
		{Templates: raw(`{"uri":"a:b"}`)},
		{Prompts: raw(`7`)},
	} {
		if _, err := compat.NewSnapshot(bad); err == nil || !strings.Contains(err.Error(), "not a snapshot of tools") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
