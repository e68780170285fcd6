package toolrank_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// FuzzSearch searches two tools with the texts given and one with a fixed text, with all visible and with the second hidden.
func FuzzSearch(f *testing.F) {
	f.Add("get_issue", "Get an issue. It has comments.", `{"properties":{"number":{"enum":["a"]}}}`, "show isue")
	f.Add("HTTPServer2", "e.g. x。y", `{"items":[{"const":"v"}]}`, "http servr")
	f.Add("查询", "获取城市", `{`, "城")
	f.Add("a\xff", "\xed\xa0\x80", `[]`, "\x00oncall")
	f.Fuzz(func(t *testing.T, name, description, schema, query string) {
		tools := []toolrank.Tool{
			{Name: name, Title: description, InputSchema: []byte(schema)},
			{Name: description, Description: query},
			{Name: "list_things", Description: "List things that are on call."},
		}
		x := toolrank.New(tools)
		for _, m := range x.Search(query, 0, nil) {
			if len(m.Words) > toolrank.MaxQueryWords || m.Score < 0 {
				t.Errorf("match %+v has too many words or a negative score", m)
			}
			for _, w := range m.Words {
				if (w.Matched == "") != (w.By == toolrank.ByNothing) || !utf8.ValidString(w.Matched) || !utf8.ValidString(w.Query) {
					t.Errorf("word %+v is invalid", w)
				}
			}
		}
		got := x.Search(query, 0, func(i int) bool { return i != 1 })
		want := toolrank.New([]toolrank.Tool{tools[0], tools[2]}).Search(query, 0, nil)
		for i := range want {
			want[i].Index *= 2
		}
		if !slices.EqualFunc(want, got, equalMatches) {
			t.Errorf("with a hidden tool Search = %+v, without the tool %+v", got, want)
		}
	})
}
