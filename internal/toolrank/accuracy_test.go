package toolrank_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// query is a line of queries.tsv.
type query struct {
	text      string
	accepted  []string
	isHeldOut bool
}

// TestAccuracy checks that, of the queries in testdata, an accepted tool is among the first five and the first ten for a
// sufficient share, in each catalog and in both together. With -v it prints the shares, also those of the queries that were
// held out while the ranking was tuned, and the queries whose tool is not among the first five.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	codehost, observability := readTools(t, "codehost"), readTools(t, "observability")
	queries := readQueries(t)
	found := 0
	for _, catalog := range []struct {
		name  string
		tools []toolrank.Tool
	}{
		{"code host", codehost},
		{"observability", observability},
		{"both", slices.Concat(codehost, observability)},
	} {
		all, heldOut := measure(t, catalog.name, catalog.tools, queries)
		t.Logf("%s: %+v; held out: %+v", catalog.name, all, heldOut)
		if five := all.share(all.five); five < 0.92 {
			t.Errorf("%s: an accepted tool is among the first five for %.3f of the queries, want 0.92", catalog.name, five)
		}
		if ten := all.share(all.ten); ten < 0.97 {
			t.Errorf("%s: an accepted tool is among the first ten for %.3f of the queries, want 0.97", catalog.name, ten)
		}
		found += all.queries
	}
	if found != 2*len(queries) {
		t.Errorf("%d queries have a tool in a catalog or in both, want each of the %d in one and in both", found, len(queries))
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
func measure(t *testing.T, name string, tools []toolrank.Tool, queries []query) (all, heldOut accuracy) {
	t.Helper()
	x := toolrank.New(tools)
	for _, q := range queries {
		if !slices.ContainsFunc(tools, func(tool toolrank.Tool) bool { return slices.Contains(q.accepted, tool.Name) }) {
			continue
		}
		matches := x.Search(q.text, 0, nil)
		rank := 1 + slices.IndexFunc(matches, func(m toolrank.Match) bool { return slices.Contains(q.accepted, tools[m.Index].Name) })
		all.add(rank)
		if q.isHeldOut {
			heldOut.add(rank)
		}
		if rank == 0 || rank > 5 {
			t.Logf("%s: %q finds %v at rank %d, after %v", name, q.text, q.accepted, rank, names(tools, matches[:min(5, len(matches))]))
		}
	}
	return all, heldOut
}

func readTools(t testing.TB, catalog string) (tools []toolrank.Tool) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + catalog + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	return tools
}

func readQueries(t testing.TB) (queries []query) {
	t.Helper()
	text, err := os.ReadFile("testdata/queries.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		q, accepted, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("queries.tsv:%d: no tab in %q", i+1, line)
		}
		queries = append(queries, query{q, strings.Split(accepted, ","), i%3 == 2})
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
