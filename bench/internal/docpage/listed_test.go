package docpage_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
)

// library returns a page of a server with prompts, resources and templates.
func library() *docpage.Page {
	entries := func(list ...string) []json.RawMessage {
		var all []json.RawMessage
		for _, entry := range list {
			all = append(all, json.RawMessage(entry))
		}
		return all
	}
	return docpage.New(docpage.Server{
		Name: "library",
		Prompts: []docpage.Prompt{
			{
				Entry: json.RawMessage(`{"name":"review","title":"Review code","description":"Reviews code in a language. It is slow.","arguments":[{"name":"lang","title":"Language","description":"The language","required":true},{"name":"style"}],"icons":[{"src":"https://e.example/i.png"}]}`),
				Call: docpage.Call{Arguments: json.RawMessage(`{"lang":"go"}`), Outcome: docpage.Messages([]byte(`{"description":"Code review","messages":[
					{"role":"user","content":{"type":"text","text":"Review this"}},{"role":"assistant","content":{"type":"image","mimeType":"image/png","data":"AAAA"}},
					{"role":"user","content":{"type":"resource","resource":{"uri":"note://7","text":"# Seven"}}}]}`))},
			},
			{Entry: json.RawMessage(`{"name":"hello"}`), Call: docpage.Call{Skipped: "Not fetched: it was left out on purpose."}},
		},
		Resources: entries(`{"uri":"note://7","name":"seven","title":"Seven","description":"The *seventh* note","mimeType":"text/markdown","size":1,"annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-01T00:00:00Z"}}`, `{"uri":"note://8","name":"note://8","size":2048}`),
		Templates: entries(`{"uriTemplate":"note://{id}","name":"note","mimeType":"text/markdown"}`),
	}, nil)
}

// TestLibrary compares the pages of a server with prompts and resources with golden files, which are also meant for
// review.
func TestLibrary(t *testing.T) {
	t.Parallel()
	page := library()
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "library.md", page.Markdown())
	golden(t, "library.html", html)
	examine(t, "library.html", html)
	if got := strings.Join(page.Others(), ", "); got != "2 prompts, 2 resources, 1 resource template" {
		t.Errorf("there are %s", got)
	}
}

// TestManyResources checks that a page lists only some of very many resources.
func TestManyResources(t *testing.T) {
	t.Parallel()
	var many []json.RawMessage
	for i := range 1200 {
		many = append(many, json.RawMessage(`{"uri":"n:`+strconv.Itoa(i)+`","name":"n"}`))
	}
	page := docpage.New(docpage.Server{Resources: many}, nil)
	text := string(page.Markdown())
	if !strings.Contains(text, "`n:999`") || strings.Contains(text, "`n:1000`") || !strings.Contains(text, "… and 200 more") || !strings.Contains(text, "1\u202f200 resources") {
		t.Errorf("the page has %d bytes: %.300s", len(text), text)
	}
}

// TestMessages passes prompts/get results that cannot be decoded.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, result := range []string{``, `7`, `[]`} {
		if o := docpage.Messages([]byte(result)); o.Ending != docpage.NoAnswer {
			t.Errorf("%s: %+v", result, o)
		}
	}
	if o := docpage.Messages([]byte(`{}`)); o.Ending != docpage.Result || len(o.Blocks) > 0 {
		t.Errorf("%+v", o)
	}
}
