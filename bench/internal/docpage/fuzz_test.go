package docpage_test

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzPage makes pages from arbitrary tool entries and results. The page must contain only its own
// elements, attributes, and links, and must be the same each time.
func FuzzPage(f *testing.F) {
	for _, name := range []string{"weather", "rich"} {
		s := load(f, name)
		for _, entry := range s.Tools {
			f.Add([]byte(entry), []byte(`{"content":[{"type":"text","text":"{\"a\":[1]}"}]}`))
		}
		for _, call := range s.Calls {
			f.Add([]byte(`{"name":"t"}`), []byte(call.Result))
		}
	}
	for _, attack := range attacks {
		text, err := json.Marshal(attack)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(`{"name":`+string(text)+`,"description":`+string(text)+`}`), []byte(`{"structuredContent":`+string(text)+`}`))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, entry, result []byte) {
		defer watch()()
		pages := func() (*docpage.Page, []byte) {
			call := docpage.Plan(entry, "")
			call.Skipped, call.Outcome = "", docpage.Both(docpage.Answered(result), docpage.Answered(result))
			page := docpage.New(docpage.Server{Name: "s"}, []docpage.Tool{{Entry: entry, Call: call}})
			html, err := page.HTML()
			if err != nil {
				t.Fatal(err)
			}
			return page, html
		}
		page, html := pages()
		examine(t, "HTML", html)
		again, htmlAgain := pages()
		if string(html) != string(htmlAgain) || string(page.Markdown()) != string(again.Markdown()) {
			t.Error("the page is another the second time")
		}
	})
}
