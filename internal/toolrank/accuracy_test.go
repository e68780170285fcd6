package toolrank_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// query is a line of queries.tsv or later.tsv.
type query struct {
	text     string
	accepted []string
}

// TestAccuracy checks that, of the queries in testdata, an accepted tool is among the first five and the first ten for a
// sufficient share, in each catalog and in both together. With -v it prints the shares and the queries whose tool is not
// among the first five.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	codehost, observability := readTools(t, "codehost"), readTools(t, "observability")
	both := slices.Concat(codehost, observability)
	queries, later := readQueries(t, "queries"), readQueries(t, "later")
	count := 0
	for _, c := range []struct {
		name      string
		tools     []toolrank.Tool
		queries   []query
		five, ten float64 // the least shares
	}{
		{"code host", codehost, queries, 0.92, 0.97},
		{"observability", observability, queries, 0.92, 0.97},
		{"both", both, queries, 0.92, 0.97},
		{"later queries on both", both, later, 0.82, 0.86},
	} {
		a := measure(t, c.name, c.tools, c.queries)
		t.Logf("%s: %d queries, first %.3f, five %.3f, ten %.3f", c.name, a.queries, a.share(a.first), a.share(a.five), a.share(a.ten))
		if a.share(a.five) < c.five {
			t.Errorf("%s: an accepted tool is among the first five for %.3f of the queries, want %.2f", c.name, a.share(a.five), c.five)
		}
		if a.share(a.ten) < c.ten {
			t.Errorf("%s: an accepted tool is among the first ten for %.3f of the queries, want %.2f", c.name, a.share(a.ten), c.ten)
		}
		count += a.queries
	}
	if want := 2*len(queries) + len(later); count != want {
		t.Errorf("%d queries have an accepted tool, want %d: each in one catalog and in both", count, want)
	}
}

// accuracy counts queries by the rank of the first accepted tool.
type accuracy struct{ queries, first, five, ten int }

func (a *accuracy) add(rank int) {
	a.queries++
	if rank == 1 {
		a.first++
	}
	if rank > 0 && rank <= 5 {
		a.five++
	}
	if rank > 0 && rank <= 10 {
		a.ten++
	}
}

func (a *accuracy) share(n int) float64 { return float64(n) / float64(a.queries) }

// measure runs the queries that have an accepted tool among tools.
func measure(t *testing.T, name string, tools []toolrank.Tool, queries []query) (a accuracy) {
	t.Helper()
	x := toolrank.New(tools)
	for _, q := range queries {
		if !slices.ContainsFunc(tools, func(tool toolrank.Tool) bool { return slices.Contains(q.accepted, tool.Name) }) {
			continue
		}
		matches := x.Search(q.text, 0, nil)
		rank := 1 + slices.IndexFunc(matches, func(m toolrank.Match) bool { return slices.Contains(q.accepted, tools[m.Index].Name) })
		a.add(rank)
		if rank == 0 || rank > 5 {
			t.Logf("%s: %q finds %v at rank %d, after %v", name, q.text, q.accepted, rank, names(tools, matches[:min(5, len(matches))]))
		}
	}
	return a
}

func readTools(tb testing.TB, catalog string) (tools []toolrank.Tool) {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + catalog + ".json")
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		tb.Fatal(err)
	}
	return tools
}

func readQueries(tb testing.TB, name string) (queries []query) {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + name + ".tsv")
	if err != nil {
		tb.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		q, accepted, ok := strings.Cut(line, "\t")
		if !ok {
			tb.Fatalf("%s.tsv:%d: no tab in %q", name, i+1, line)
		}
		queries = append(queries, query{q, strings.Split(accepted, ",")})
	}
	return queries
}

// names returns the names of the tools that were found.
func names(tools []toolrank.Tool, matches []toolrank.Match) []string {
	list := []string{}
	for _, m := range matches {
		list = append(list, tools[m.Index].Name)
	}
	return list
}
