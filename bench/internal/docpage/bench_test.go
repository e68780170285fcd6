package docpage_test

import (
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
)

// many returns the entries of n tools, which are the samples repeated under other names.
func many(tb testing.TB, n int) []docpage.Tool {
	tb.Helper()
	samples := []sample{load(tb, "weather"), load(tb, "rich")}
	var tools []docpage.Tool
	for len(tools) < n {
		for _, s := range samples {
			for _, t := range s.tools(tb) {
				t.Entry = append(fmt.Appendf(nil, `{"name":"tool_%d","was":`, len(tools)), append([]byte(`0,`), t.Entry[1:]...)...)
				tools = append(tools, t)
			}
		}
	}
	return tools[:n]
}

// BenchmarkPage makes both pages for a server with 200 tools from its raw answers.
func BenchmarkPage(b *testing.B) {
	tools := many(b, 200)
	b.ReportAllocs()
	for b.Loop() {
		page := docpage.New(docpage.Server{Name: "many"}, tools)
		markdown := page.Markdown()
		html, err := page.HTML()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(markdown) + len(html)))
	}
}
