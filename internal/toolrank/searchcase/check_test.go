package searchcase_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/toolrank"
	"github.com/mcptool-go/mcptool/internal/toolrank/searchcase"
)

// checkPlain fails the test if a text contains characters other than printable ones and line breaks.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text has the character %U:\n%q", r, text)
		}
	}
}

func readTools(t *testing.T, catalog string) (tools []toolrank.Tool) {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + catalog + ".json")
	if err == nil {
		err = json.Unmarshal(text, &tools)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// shop has one tool whose description lacks the words of its users.
var shop = []toolrank.Tool{
	{Name: "list_orders", Description: "Lists the orders of a customer."},
	{Name: "cancel_order", Description: "Cancels an order before it ships."},
	{Name: "reverse_charge", Description: "Reverses a charge."},
	{Name: "get_customer", Description: "Shows a customer, with the payment methods.", InputSchema: json.RawMessage(`{"properties":{"money":{"type":"string"}}}`)},
	{Name: "ping", Description: "Checks the connection."},
	{Name: "pong", Description: "Replies."},
}

func TestCheckExplains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		one  searchcase.Case
		top  int
		want string
	}{
		{"not found", searchcase.Case{Query: "give the customer their money back", Tools: []string{"reverse_charge"}, Position: "f:7"}, 5, `f:7: "give the customer their money back"
  reverse_charge: not found
    it lacks customer (2 tools have it), money (one tool has it)
  found instead:
    1. get_customer: customer (name), money (argument)
    2. list_orders: customer (first sentence)
`},
		{"behind others", searchcase.Case{Query: "stop the orders of a customer", Tools: []string{"cancel_order"}}, 1, `"stop the orders of a customer"
  cancel_order: rank 2; it matches stop as cancel (synonym, name), orders as order (stem, name)
    it lacks customer (2 tools have it)
  ranked higher:
    1. list_orders: orders (name), customer (first sentence)
`},
		{"nothing is found", searchcase.Case{Query: "refund", Tools: []string{"reverse_charge", "get_customer"}}, 5, `"refund"
  reverse_charge: not found
    it lacks refund (no tool has it)
  get_customer: not found
    it lacks refund (no tool has it)
`},
		{"misspelt", searchcase.Case{Query: "custmer", Tools: []string{"list_orders"}}, 1, `"custmer"
  list_orders: rank 2; it matches custmer as customer (near, first sentence)
    it lacks no word of the query
  ranked higher:
    1. get_customer: custmer as customer (near, name)
`},
		{"best first", searchcase.Case{Query: "customer charge", Tools: []string{"ping", "list_orders", "get_customer"}}, 1, `"customer charge"
  get_customer: rank 2; it matches customer (name)
    it lacks charge (one tool has it)
  list_orders: rank 3; it matches customer (first sentence)
    it lacks charge (one tool has it)
  ping: not found
    it lacks customer (2 tools have it), charge (one tool has it)
  ranked higher:
    1. reverse_charge: charge (name)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report, err := searchcase.Check(shop, []searchcase.Case{c.one}, c.top)
			if err != nil || len(report.Failed) != 1 {
				t.Fatalf("Check = %+v, error %v, want one failure", report, err)
			}
			if diff := cmp.Diff(c.want, report.Failed[0].Text()); diff != "" {
				t.Errorf("the explanation differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDocument compares the failure in docs/testing.md with the explanation.
func TestDocument(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	const query = "give a customer their money back"
	report, err := searchcase.Check(shop, []searchcase.Case{{Query: query, Tools: []string{"reverse_charge"}}}, 5)
	if err != nil || len(report.Failed) != 1 {
		t.Fatalf("Check = %+v, error %v", report, err)
	}
	_, block, _ := strings.Cut(string(guide), "<!-- why a tool is not found -->\n```text\n")
	block, _, _ = strings.Cut(block, "```")
	if diff := cmp.Diff("no accepted tool is among the first 5 for "+report.Failed[0].Text(), block); diff != "" {
		t.Errorf("the guide differs from the explanation (-want +got):\n%s", diff)
	}
}

// TestCheckCounts compares the counts and the failures of a report with the ranking itself.
func TestCheckCounts(t *testing.T) {
	t.Parallel()
	tools := append(readTools(t, "codehost"), readTools(t, "observability")...)
	cases, err := searchcase.ReadFile("../testdata/queries.tsv")
	if err != nil {
		t.Fatal(err)
	}
	x := toolrank.New(tools)
	within := func(n int) (found int) {
		for _, c := range cases {
			matches := x.Search(c.Query, n, nil)
			for _, m := range matches {
				if strings.Contains(","+strings.Join(c.Tools, ",")+",", ","+tools[m.Index].Name+",") {
					found++
					break
				}
			}
		}
		return found
	}
	for _, top := range []int{1, 3, 5, 10} {
		report, err := searchcase.Check(tools, cases, top)
		if err != nil {
			t.Fatal(err)
		}
		got := []int{report.Cases, report.First, report.Five, report.Ten, len(report.Failed)}
		if diff := cmp.Diff([]int{len(cases), within(1), within(5), within(10), len(cases) - within(top)}, got); diff != "" {
			t.Errorf("among the first %d the numbers of cases, first, first five, first ten and failed differ (-want +got):\n%s", top, diff)
		}
		for i := range report.Failed {
			f := &report.Failed[i]
			best := f.Accepted[0].Rank
			if best != 0 && (best <= top || best != len(f.Higher)+f.More+1) || len(f.Higher) > top {
				t.Errorf("among the first %d: %q has rank %d after %d and %d tools", top, f.Query, best, len(f.Higher), f.More)
			}
		}
	}
	want := fmt.Sprintf("152 cases: an accepted tool is the first in %d, among the first 5 in %d, among the first 10 in %d", within(1), within(5), within(10))
	if report, err := searchcase.Check(tools, cases, 5); err != nil || report.Summary() != want {
		t.Errorf("the summary is %q, error %v, want %q", report.Summary(), err, want)
	}
}

func TestCheckMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		one  searchcase.Case
		want string
	}{
		{"misspelt name", searchcase.Case{Query: "cancel", Tools: []string{"ping", "cancel_ordr"}, Position: "f:2"}, `f:2: there is no tool "cancel_ordr"; did you mean "cancel_order"?`},
		{"unknown name", searchcase.Case{Query: "cancel", Tools: []string{"refund"}}, `"cancel": there is no tool "refund"`},
		{"no tools", searchcase.Case{Query: "cancel"}, `"cancel": no accepted tools`},
		{"no query", searchcase.Case{Tools: []string{"ping"}}, `"": the query is empty`},
		{"control characters", searchcase.Case{Query: "cancel", Tools: []string{"\x1b[2J\n"}}, `"cancel": there is no tool "\x1b[2J\n"`},
		{"query of a megabyte", searchcase.Case{Query: strings.Repeat("merge ", 1<<20/6), Tools: []string{"ping"}}, `"` + strings.Repeat("merge ", 33) + `me…": the query has 1048572 bytes; a search uses at most 1000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if report, err := searchcase.Check(shop, []searchcase.Case{c.one}, 5); err == nil || err.Error() != c.want {
				t.Errorf("Check = %+v, error %v, want %s", report, err, c.want)
			}
		})
	}
}

// TestCheckHostile checks that names of a server appear in an explanation only as printable characters on one line.
func TestCheckHostile(t *testing.T) {
	t.Parallel()
	tools := []toolrank.Tool{
		{Name: "good\x1b[2J\nINJECTED\u202e", Description: "Merges."},
		{Name: "merge" + strings.Repeat("_long", 1<<18), Description: "Merges branches."},
		{Name: "", Description: "Merges merges."},
		{Name: "good", Description: "Nothing."},
	}
	report, err := searchcase.Check(tools, []searchcase.Case{{Query: "merge", Tools: []string{"good"}}}, 3)
	if err != nil || len(report.Failed) != 1 {
		t.Fatalf("Check = %+v, error %v", report, err)
	}
	text := report.Failed[0].Text()
	checkPlain(t, text)
	if len(text) > 2000 || strings.Contains(text, "\nINJECTED") || !strings.Contains(text, `"good\x1b[2J\nINJECTED\u202e": merge`) {
		t.Errorf("the explanation is\n%s", text[:min(len(text), 2000)])
	}
	many := make([]toolrank.Tool, 2000)
	for i := range many {
		many[i] = toolrank.Tool{Name: fmt.Sprintf("merge_%d", i)}
	}
	many[1999].Name = "pull"
	report, err = searchcase.Check(many, []searchcase.Case{{Query: "merge", Tools: []string{"pull"}}}, 1000)
	if err != nil || len(report.Failed) != 1 || len(report.Failed[0].Higher) != 10 || report.Failed[0].More != 1989 {
		t.Errorf("of 2 000 tools: %+v, error %v, want ten and 1 989 more", report, err)
	}
}
