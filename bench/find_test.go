package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
	"github.com/mcptool-go/mcptool/internal/toolrank/searchcase"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serveShop serves tools of a shop, and returns its URL.
func serveShop(t *testing.T) string {
	t.Helper()
	s := fakeserver.New()
	answering(s, "tools/list", `{"resultType":"complete","tools":[
		{"name":"list_orders","description":"Lists the orders of a customer. Newest first.","inputSchema":{"type":"object"}},
		{"name":"cancel_order","description":"Cancels an order before it ships.","inputSchema":{"type":"object","properties":{"order":{"type":"integer"}}}},
		{"name":"reverse_charge","annotations":{"title":"Reverse a charge"},"inputSchema":{"type":"object"}},
		{"name":"get_customer","description":"Shows a customer, with the payment methods.","inputSchema":{"type":"object","properties":{"money":{"type":"string"}}}},
		{"name":"ping","description":"Checks a connection.","inputSchema":{"type":"object"}}]}`)
	return serveFake(t, s)
}

func TestFind(t *testing.T) {
	t.Parallel()
	url := serveShop(t)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		for _, test := range []struct {
			name          string
			args          []string
			code          int
			out, problems string
		}{
			{"a quoted query", []string{"stop the orders of a customer quickly"}, exitOK, `fake 1: 3 of 5 tools match
no tool has: quickly

NAME          TOKENS*  MATCHES                                                           DESCRIPTION
list_orders        29  orders (name), customer (first sentence)                          Lists the orders of a customer
cancel_order       37  stop as cancel (synonym, name), orders as order (stem, name)      Cancels an order before it ships
get_customer       39  customer (name)                                                   Shows a customer, with the payment methods
* an estimate: a fourth of the bytes of the entry in tools/list
`, ""},
			{"words", []string{"money", "custmers"}, exitOK, `fake 1: 2 of 5 tools match

NAME          TOKENS*  MATCHES                                                           DESCRIPTION
get_customer       39  money (argument), custmers as customer (near, name)               Shows a customer, with the payment methods
list_orders        29  custmers as customer (near, first sentence)                       Lists the orders of a customer
* an estimate: a fourth of the bytes of the entry in tools/list
`, ""},
			{"a limit", []string{"--limit", "1", "customer"}, exitOK, `fake 1: 2 of 5 tools match; the first 1 of them

NAME          TOKENS*  MATCHES          DESCRIPTION
get_customer       39  customer (name)  Shows a customer, with the payment methods
* an estimate: a fourth of the bytes of the entry in tools/list
`, ""},
			{"no description", []string{"charge"}, exitOK, `fake 1: 1 of 5 tools matches

NAME            TOKENS*  MATCHES
reverse_charge       25  charge (name)
* an estimate: a fourth of the bytes of the entry in tools/list
`, ""},
			{"nothing", []string{"refund"}, exitNo, "fake 1: 0 of 5 tools match\n", "bench: no tool matches\n"},
			{"no query", nil, exitUsage, "", "bench: there is no query; write what to find, or --cases FILE\n"},
			{"an empty query", []string{""}, exitUsage, "", "bench: there is no query; write what to find, or --cases FILE\n"},
			{"no words", []string{"? a !"}, exitUsage, "", "bench: the query \"? a !\" has no words; single letters and signs are not words\n"},
			{"a query of a megabyte", []string{strings.Repeat("order ", 1<<20/6)}, exitUsage, "", "bench: the query has 1048572 bytes; a search uses at most 1000\n"},
			{"a negative limit", []string{"order", "--limit=-1"}, exitUsage, "", "bench: --limit -1 is negative\n"},
			{"a query and cases", []string{"order", "--cases", "x"}, exitUsage, "", "bench: \"order\" is a query, and --cases a file with queries; use one of them\n"},
		} {
			code, out, problems := benched(t, append([]string{"find", "--era", era, url}, test.args...)...)
			if code != test.code || problems != test.problems {
				t.Errorf("%s: exit code %d, want %d\n%s", test.name, code, test.code, problems)
			}
			if diff := cmp.Diff(squeezed(test.out), squeezed(out)); diff != "" {
				t.Errorf("%s: the output differs (-want +got):\n%s", test.name, diff)
			}
		}
	})
}

// squeezed replaces runs of spaces by two.
func squeezed(text string) string {
	for strings.Contains(text, "   ") {
		text = strings.ReplaceAll(text, "   ", "  ")
	}
	return text
}

func TestFindJSON(t *testing.T) {
	t.Parallel()
	code, out, problems := benched(t, "find", "--json", "stop quickly", serveShop(t))
	var got found
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitOK || problems != "" {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, problems)
	}
	want := found{
		Query: "stop quickly", Listed: 5, Matching: 1, Unknown: []string{"quickly"},
		Tools: []foundTool{{Name: "cancel_order", Summary: "Cancels an order before it ships", Tokens: 37, Words: []searchcase.Word{{Query: "stop", Matched: "cancel", Field: "name", By: "synonym"}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the output differs (-want +got):\n%s", diff)
	}
}

func TestFindCases(t *testing.T) {
	t.Parallel()
	url := serveShop(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "cases.tsv")
	for _, test := range []struct {
		name, text    string
		flags         []string
		code          int
		out, problems string
	}{
		{"all are found", "# what users ask\n\norders of a customer\tlist_orders\r\nstop an order\tlist_orders,cancel_order\n", nil, exitOK, "2 cases: an accepted tool is the first in 2, among the first 5 in 2, among the first 10 in 2\n", ""},
		{"one is not", "\ufefforders of a customer\tlist_orders\nmoney for a customer\treverse_charge\n", nil, exitNo, `cases.tsv:2: "money for a customer"
  reverse_charge: not found
    it lacks money (one tool has it), customer (2 tools have it)
  found instead:
    1. get_customer: money (argument), customer (name)
    2. list_orders: customer (first sentence)

2 cases: an accepted tool is the first in 1, among the first 5 in 1, among the first 10 in 1
`, "bench: 1 case without an accepted tool among the first 5\n"},
		{"not the first", "customer\tlist_orders\n", []string{"--top", "1"}, exitNo, `cases.tsv:1: "customer"
  list_orders: rank 2; it matches customer (first sentence)
    it lacks no word of the query
  ranked higher:
    1. get_customer: customer (name)

1 case: an accepted tool is the first in 0, among the first 5 in 1, among the first 10 in 1
`, "bench: 1 case without an accepted tool among the first 1\n"},
		{"a bad line", "customer list_orders\n", nil, exitUsage, "", "bench: cases.tsv:1: no tab in \"customer list_orders\"; write a query, a tab, and the names of the accepted tools\n"},
		{"an unknown tool", "customer\tlist_oders\nping\tpong\x1b[2J\n", nil, exitUsage, "", "bench: cases.tsv:1: there is no tool \"list_oders\"; did you mean \"list_orders\"?\n  cases.tsv:2: there is no tool \"pong\\x1b[2J\"\n"},
		{"no cases", "# none\n", nil, exitUsage, "", "bench: cases.tsv: no cases; a line is a query, a tab, and the names of the accepted tools\n"},
		{"too large", strings.Repeat("#\n", 1<<20), nil, exitUsage, "", "bench: cases.tsv: more than 1048576 bytes; a file of cases has at most that\n"},
		{"a wrong top", "customer\tlist_orders\n", []string{"--top", "0"}, exitUsage, "", "bench: --top is 1 or more\n"},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, problems := benched(t, append([]string{"find", "--cases", file, url}, test.flags...)...)
		out, problems = strings.ReplaceAll(out, dir+"/", ""), strings.ReplaceAll(problems, dir+"/", "")
		if code != test.code || problems != test.problems {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", test.name, code, test.code, test.problems, problems)
		}
		if diff := cmp.Diff(test.out, out); diff != "" {
			t.Errorf("%s: the output differs (-want +got):\n%s", test.name, diff)
		}
	}
	if code, _, problems := benched(t, "find", "--cases", file+"x", url); code != exitUsage || !strings.Contains(problems, "cases.tsvx: no such file") {
		t.Errorf("a missing file: exit code %d\n%s", code, problems)
	}
}

func TestFindCasesJSON(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cases.tsv")
	if err := os.WriteFile(file, []byte("check the connection\tping\nrefund\tping\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, problems := benched(t, "find", "--json", "--cases", file, serveShop(t))
	var got searchcase.Report
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitNo || problems != "bench: 1 case without an accepted tool among the first 5\n" {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, problems)
	}
	want := searchcase.Report{Cases: 2, Top: 5, First: 1, Five: 1, Ten: 1, Failed: []searchcase.Failure{{
		Position: file + ":2", Query: "refund", Higher: []searchcase.Ranked{},
		Accepted: []searchcase.Accepted{{Ranked: searchcase.Ranked{Name: "ping", Words: []searchcase.Word{}}, Missing: []searchcase.Missing{{Word: "refund"}}}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the output differs (-want +got):\n%s", diff)
	}
}

// TestFindTarget checks which words are the query, and which is the path of a program.
func TestFindTarget(t *testing.T) {
	t.Parallel()
	weather := buildWeather(t)
	file := filepath.Join(t.TempDir(), "cases.tsv")
	if err := os.WriteFile(file, []byte("weather\tget_weather\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"weather", weather}, exitOK, "1 of 2 tools matches"},
		{[]string{"all", "the", "cities", weather}, exitOK, "list_cities"},
		{[]string{"all", "the", "cities", "--", weather}, exitOK, "list_cities"},
		{[]string{"--cases", file, weather}, exitOK, "1 case: "},
		{[]string{"--cases", file, "--", weather}, exitOK, "1 case: "},
		{[]string{weather}, exitUsage, "there is no query"},
		{[]string{"weather"}, exitUsage, "as in: bench find QUERY -- go run"},
		{[]string{"--cases", file}, exitUsage, "as in: bench find --cases " + file + " -- go run"},
		{[]string{"weather", "nowhere"}, exitUsage, "there is no file nowhere"},
		{[]string{"--cases", file, "weather", weather}, exitUsage, `"weather" is a query, and --cases a file`},
	} {
		if code, out, problems := benched(t, append([]string{"find"}, test.args...)...); code != test.code || !strings.Contains(out+problems, test.want) {
			t.Errorf("find %q: exit code %d, want %d and %q\n%s%s", test.args, code, test.code, test.want, out, problems)
		}
	}
}

// TestFindMany searches a server with 2 000 tools, with names that a terminal would obey.
func TestFindMany(t *testing.T) {
	t.Parallel()
	var tools []string
	for i := range 2000 {
		tools = append(tools, fmt.Sprintf(`{"name":"get_order_%d\u001b[2J\nINJECTED","description":"Shows order %d of a customer.","inputSchema":{"type":"object"}}`, i, i))
	}
	s := fakeserver.New()
	answering(s, "tools/list", `{"resultType":"complete","tools":[`+strings.Join(tools, ",")+`]}`)
	url := serveFake(t, s)
	file := filepath.Join(t.TempDir(), "cases.tsv")
	var cases strings.Builder
	for i := range 50 {
		fmt.Fprintf(&cases, "order %d\tget_order_%d\x1b[2J\n", i, i)
	}
	if err := os.WriteFile(file, []byte(cases.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	checkOutput(t, "many tools", testConsole{}, "find", "show order 1999", url)
	checkOutput(t, "many tools", testConsole{terminal: true}, "find", "show order 1999", "--limit", "0", "--json", url)
	checkOutput(t, "many tools", testConsole{}, "find", "--cases", file, url)
	code, out, _ := benched(t, "find", "show order 1999", url)
	if code != exitOK || !strings.Contains(out, "2000 of 2000 tools match; the first 10 of them\n") || strings.Count(out, "\n") != 14 || !strings.Contains(strings.Split(out, "\n")[3], "get_order_1999") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestFindNarrow checks that nothing is lost on a narrow terminal.
func TestFindNarrow(t *testing.T) {
	t.Parallel()
	url := serveShop(t)
	file := filepath.Join(t.TempDir(), "c.tsv")
	if err := os.WriteFile(file, []byte("money for a customer\treverse_charge\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"find", "stop the orders of a customer", url}, {"find", "--cases", file, url}} {
		_, wide, _ := benched(t, args...)
		for _, width := range []int{30, 50, 80} {
			var out, problems bytes.Buffer
			con := newTestConsole("", &out, &problems)
			con.width = width
			run(t.Context(), args, con)
			for line := range strings.Lines(out.String()) {
				if line = strings.TrimRight(line, "\n"); len([]rune(line)) > width && len(strings.Fields(line)) > 1 {
					t.Errorf("%q in %d columns: %q", args, width, line)
				}
			}
			for _, word := range strings.Fields(wide) {
				if word = strings.Trim(word, "(),:"); width > 50 && !strings.Contains(out.String(), word) {
					t.Errorf("%q in %d columns lacks %s:\n%s", args, width, word, out.String())
				}
			}
		}
	}
}

// TestFindNotListed checks the note about a server that does not list the tools that its own search finds.
func TestFindNotListed(t *testing.T) {
	t.Parallel()
	registry := &mcptool.Registry{}
	tool, err := mcptool.New(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name("cancel_order"), mcptool.Description("Cancels an order."))
	if err == nil {
		err = registry.Add(tool)
	}
	if err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Name: "shop", Version: "1", Tools: registry, Extensions: []runtime.Extension{toolsearch.New(toolsearch.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, out, problems := benched(t, "find", "cancel order", "--era", era, web.URL)
		if code != exitNo || out != "shop 1: 0 of 4 tools match\n" || !strings.HasPrefix(problems, "bench: the server declares io.github.mcptool-go/toolsearch, so only the tools that it lists are ranked here;") {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
	})
}
