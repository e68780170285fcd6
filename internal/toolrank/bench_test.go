package toolrank_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// BenchmarkNew indexes 1 000 tools. It may take 50 ms.
func BenchmarkNew(b *testing.B) {
	tools := manyTools(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		toolrank.New(tools)
	}
}

// BenchmarkSearch searches 1 000 tools. A search may take 300 µs.
func BenchmarkSearch(b *testing.B) {
	x := toolrank.New(manyTools(b, 1000))
	for _, c := range []struct{ name, query string }{
		{"typical", "merge the open pull request"},
		{"common words", "list all the issues of a repository by name, state and page"},
		{"misspelt", "mrege hte opne pul reqwest of the reposatory"},
		{"many unknown words", longText(toolrank.MaxQueryBytes, "qwxyzt%dj")},
		{"many misspelt words", "wrkflow repsitory notifcation brnch collabrator dashbord incdent pipline mileston envronment secrt deplyment artfact relese templte webhok subscrption"},
		{"long", "I need to see all the spans for trace id 4bf92f3577b34da6 with their timing because the user complained that the page was slow and that the checkout took more than ten seconds yesterday afternoon"},
		{"name", "get_pull_request_files_9"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Search(c.query, 10, nil)
			}
		})
	}
}
