package docpage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
)

// groupedTool returns a tool with a _meta.
func groupedTool(name, meta string) docpage.Tool {
	return docpage.Tool{
		Entry: json.RawMessage(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"_meta":%s}`, name, meta)),
		Call:  docpage.Call{Skipped: "Not called."},
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	const in = `"io.github.mcptool-go/groups":`
	page := docpage.New(docpage.Server{
		Name:      "forge",
		Prompts:   []docpage.Prompt{{Entry: json.RawMessage(`{"name":"review","_meta":{` + in + `["pulls"]}}`), Call: docpage.Call{Skipped: "Not fetched."}}},
		Resources: []json.RawMessage{json.RawMessage(`{"uri":"a:1","name":"a","_meta":{` + in + `["issues"]}}`)},
		Templates: []json.RawMessage{json.RawMessage(`{"uriTemplate":"a:{id}","name":"b","_meta":{` + in + `["issues"]}}`)},
	}, []docpage.Tool{
		groupedTool("merge", `{`+in+`["pulls"]}`),
		groupedTool("close", `{`+in+`["issues","pulls"],"com.example/owner":"shop"}`),
		groupedTool("ping", `{"com.example/owner":"shop"}`),
		groupedTool("odd", `{`+in+`["a|b\u001b[2J<b>\nread-only"]}`),
	})
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	examine(t, "groups", html)
	text := string(page.Markdown())
	for _, want := range []string{
		`<a id="groups"></a>

| Group | Contains | Tokens |
| --- | --- | ---: |
| <code>a&#124;b⟨U&#43;001B⟩&#91;2J&#60;b&#62; read&#45;only</code> | 1 tool | 30 |
| ` + "`issues`" + ` | 1 tool, 2 resources | 34 |
| ` + "`pulls`" + ` | 2 tools, 1 prompt | 58 |
| *no group* | 1 tool | 21 |
`,
		"`may change things` `group issues` `group pulls`",
		"`prompt` `group pulls`",
		"<br>group issues |",
		"com.example/owner",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Other members of the entry"); n != 2 {
		t.Errorf("%d entries have other members, want the two with com.example/owner\n%s", n, text)
	}
	if without := string(docpage.New(docpage.Server{Name: "forge"}, []docpage.Tool{groupedTool("ping", "{}")}).Markdown()); strings.Contains(strings.ToLower(without), "group") {
		t.Errorf("without groups the page is\n%s", without)
	}
}

// TestManyGroups checks that a page shows only some of very many groups.
func TestManyGroups(t *testing.T) {
	t.Parallel()
	names := make([]string, 1500)
	for i := range names {
		names[i] = fmt.Sprintf("g%04d%s", i, strings.Repeat("x", 1000))
	}
	all, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	text := string(docpage.New(docpage.Server{}, []docpage.Tool{groupedTool("many", `{"io.github.mcptool-go/groups":`+string(all)+`}`)}).Markdown())
	if rows := strings.Count(text, "| 1 tool |"); rows != 1000 || !strings.Contains(text, "… and 500 more") || !strings.Contains(text, "Other members of the entry") || strings.Count(text, "`group g") != 16 || strings.Contains(text, strings.Repeat("x", 65)+"…`") {
		t.Errorf("the page has %d rows and %d badges, want 1 000, and 8 in two places, with short names\n%.3000s", rows, strings.Count(text, "`group g"), text)
	}
}
