package mcptooltest

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/toolrank"
	"github.com/mcptool-go/mcptool/internal/toolrank/searchcase"
	"github.com/mcptool-go/mcptool/mcptool"
)

// FoundCases is the type of the cases of [AssertFound]: queries with the names of the tools that are right for them, or the
// path of a file.
type FoundCases interface {
	map[string][]string | string
}

// maxFound bounds the failed cases that AssertFound reports.
const maxFound = 20

// AssertFound fails if a client that searches tools would not find the right ones: if, for a query, none of the accepted
// tools is among the first five. A nil registry means [mcptool.Default].
//
//	func TestFound(t *testing.T) {
//		mcptooltest.AssertFound(t, registry, map[string][]string{
//			"merge the open PR":  {"merge_pull_request"},
//			"who wrote this line": {"get_blame", "list_commits"},
//		})
//	}
//
// Write the queries as a model or a user would, without looking at the descriptions. The cases can also be in a file, which
// the command bench find --cases takes as well. A line has a query, a tab, and the names of the accepted tools, separated by
// commas; empty lines and lines that begin with # are skipped:
//
//	mcptooltest.AssertFound(t, registry, "testdata/found.tsv")
//
// The ranking is the one of package [github.com/mcptool-go/mcptool/extension/toolsearch]: names, titles, descriptions and
// arguments, ranked by BM25. Clients that search tools themselves use the same texts, but may rank them differently. Neither a
// model nor the network is used.
//
// All tools of the registry compete, including those that scopes or [mcptool.VisibleIf] hide from some callers.
//
// For each failed case the test log has the ranks of the accepted tools, the tools that rank higher, the words of the query
// that each of them matches and where, and the words that the accepted tools lack. A name such as delete_issue in a
// description does not match its words, because it is usually the name of another tool. The log (go test -v) also has the
// numbers of cases with an accepted tool in the first place, among the first five and among the first ten.
//
// A case that cannot pass is a failure with a reason: a name that no tool of the registry has, and a query without words or
// of more than 1000 bytes. So is a test without cases. A case has at most 100 tools, a file at most 1 MiB and 10 000 cases.
func AssertFound[C FoundCases](tb testing.TB, registry *mcptool.Registry, cases C) {
	tb.Helper()
	list, err := foundCases(cases)
	if err != nil {
		tb.Fatal(err)
	}
	if len(list) == 0 {
		tb.Fatal("no cases; a case is a query with the names of the accepted tools")
	}
	var tools []toolrank.Tool
	for tool := range orDefault(registry).Tools() {
		info := tool.Info()
		tools = append(tools, toolrank.Tool{Name: info.Name, Title: info.Title, Description: info.Description, InputSchema: tool.InputSchema().JSON()})
	}
	report, err := searchcase.Check(tools, list, searchcase.DefaultTop)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range report.Failed {
		if i == maxFound {
			tb.Errorf("and %d more queries without an accepted tool among the first %d", len(report.Failed)-i, report.Top)
			break
		}
		tb.Errorf("no accepted tool is among the first %d for %s", report.Top, strings.TrimSuffix(report.Failed[i].Text(), "\n"))
	}
	tb.Logf("%s", report.Summary())
}

// foundCases returns the cases in the order of their queries or of their lines in the file.
func foundCases[C FoundCases](cases C) (list []searchcase.Case, err error) {
	if path, ok := any(cases).(string); ok {
		return searchcase.ReadFile(path)
	}
	byQuery, _ := any(cases).(map[string][]string) // the only other type
	for query, tools := range byQuery {
		list = append(list, searchcase.Case{Query: query, Tools: tools})
	}
	slices.SortFunc(list, func(a, b searchcase.Case) int { return strings.Compare(a.Query, b.Query) })
	return list, nil
}
