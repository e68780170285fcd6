package toolrank_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// named returns tools from lines of a name and a description.
func named(lines ...string) (tools []toolrank.Tool) {
	for _, line := range lines {
		name, description, _ := strings.Cut(line, ": ")
		tools = append(tools, toolrank.Tool{Name: name, Description: description})
	}
	return tools
}

func TestSearchOrder(t *testing.T) {
	t.Parallel()
	crm := named(
		"create_customer: Create a customer with an address.",
		"create_invoice: Create an invoice for a customer.",
		"delete_customer: Delete a customer.",
		"get_customer: Get a customer by number.",
		"update_customer: Update the address of a customer.",
		"list_invoices: List the invoices that were not paid.",
		"send_reminder: Send a reminder about an invoice.",
		"export_report: Export sales as a table.",
	)
	for _, c := range []struct {
		name, reason string
		tools        []toolrank.Tool
		query        string
		want         []string // the first matches
	}{
		{"name", "a name is what the model copies from a list", crm, "get_customer", []string{"get_customer"}},
		{"name in mixed case", "other servers write it so", crm, "getCustomer", []string{"get_customer"}},
		{"name with other separators", "", crm, "Get-Customer", []string{"get_customer"}},
		{"name before all words", "the other tool has the words more often", named("list: ", "list_list: List a list.", "x: y"), "list", []string{"list", "list_list"}},
		{"all words before some", "customers are in most names", crm, "customer invoice", []string{"create_invoice"}},
		{"unknown words", "not every word of a query is about a tool", crm, "zanzibar delete the customer for quux, thanks", []string{"delete_customer"}},
		{"plural", "", crm, "customers addresses", []string{"create_customer", "update_customer"}},
		{"verb", "", crm, "remove client", []string{"delete_customer"}},
		{"verb with an article", "it asks for a new item", crm, "open an invoice", []string{"create_invoice"}},
		{"the same word without", "it is a state", named("create_invoice: x", "list_invoices: Open or paid.", "ping: y", "pong: z"), "open invoices", []string{"list_invoices"}},
		{"plural of an acronym", "the s is no word", named("list_urls: x", "list_rs: y", "list_apis: z"), "URLs", []string{"list_urls"}},
		{"acronym before a word", "", named("get_http_server: x", "get_pserver: y", "get: z"), "HTTPServer", []string{"get_http_server"}},
		{"prefix un-", "", named("unstar_page: x", "star_page: y", "remove_page: z", "list_stars: x"), "remove a star", []string{"unstar_page"}},
		{"phrasal verb", "", named("disable_rule: x", "turn_page: y", "list: z"), "turn off the rule", []string{"disable_rule"}},
		{"verb in the past", "it describes what happened", named("update_page: x", "list_changes: Who changed a page.", "ping: x", "pong: x"), "who changed the page", []string{"list_changes"}},
		{"misspelt", "", crm, "remnider", []string{"send_reminder"}},
		{"unfinished", "", crm, "remind", []string{"send_reminder"}},
		{"two mistakes in a long word", "", named("configure_notifications: x", "get: y"), "notifcatoins", []string{"configure_notifications"}},
		{"written together", "", named("get_on_call: Who is on call.", "call_back: Call somebody back.", "list: x", "get: y"), "oncall", []string{"get_on_call"}},
		{"written apart", "", named("list_webhooks: x", "list_pages: y", "get_web: z"), "web hook", []string{"list_webhooks"}},
		{"abbreviation", "", named("merge_pull_request: x", "list: y", "pull: z"), "PR", []string{"merge_pull_request"}},
		{"only stop words", "they are better than nothing", named("get_me: Who am I.", "list: x", "read: y"), "who am i", []string{"get_me"}},
		{"equal", "the order of the tools decides", named("a_page: x", "b_page: x", "c_file: x", "d_file: x", "e: x"), "page", []string{"a_page", "b_page"}},
		{"prefix of all names", "it tells no tool from another", named("acme_list_jobs: x", "acme_get_job: x", "acme_list: x", "acme_ping: x"), "acme jobs", []string{"acme_list_jobs", "acme_get_job"}},
		{"mentioned name", "it is about another tool", named("get_page: Get a page. See also delete_block.", "remove_block: x", "list: x"), "delete block", []string{"remove_block"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			matches := toolrank.New(c.tools).Search(c.query, len(c.want), nil)
			if got := names(c.tools, matches); !slices.Equal(got, c.want) {
				t.Errorf("Search(%q) found %v, want %v (%s)", c.query, got, c.want, c.reason)
			}
		})
	}
}

// TestStopWords checks that a tool is not found because of words such as "the", unless its name has them or the query has no
// others.
func TestStopWords(t *testing.T) {
	t.Parallel()
	tools := named("get_claim: Get the status of a claim for the payer.", "list_weeks: List the weeks.", "ping: Tell who is there.", "pong: x")
	x := toolrank.New(tools)
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"did the nurse give the morphine for him", nil},
		{"the claim", []string{"get_claim"}},
		{"weeks of vacation", []string{"list_weeks"}},
		{"who is there", []string{"ping"}},
	} {
		if got := names(tools, x.Search(c.query, 0, nil)); !slices.Equal(got, c.want) {
			t.Errorf("Search(%q) found %v, want %v", c.query, got, c.want)
		}
	}
}

func TestSearchFinds(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","description":"Envelope","properties":{"filters":{"type":"array","items":{"anyOf":[
		{"$ref":"#/$defs/sort"},{"type":"object","properties":{"postalCode":{"type":"string","description":"Town to deliver to"}}}]}}},
		"$defs":{"sort":{"enum":["ascending",1,null],"const":"fixed\u0065d"}},"default":"nothing"}`)
	tools := []toolrank.Tool{
		{Name: "other", Description: "Nothing of this kind."},
		{Name: "find_orders", Title: "Order history", Description: "Find orders, e.g. late ones. Paginates\nSlow.", InputSchema: schema},
		{Name: "查询天气", Description: "获取城市的天气预报"},
		{Name: "искать", Description: "Поиск репозитория по имени"},
		{Name: "カレンダー", Description: "予定を作成する"},
		{Name: "naïve_café", Description: "Straße und Größe"},
		{Name: "third", Description: "Third."},
	}
	x := toolrank.New(tools)
	for _, c := range []struct {
		query string
		index int
		want  toolrank.Word
	}{
		{"orders", 1, toolrank.Word{Query: "orders", Matched: "orders", Field: toolrank.FieldName, By: toolrank.ByWord, Counts: true}},
		{"order", 1, toolrank.Word{Query: "order", Matched: "orders", Field: toolrank.FieldName, By: toolrank.ByStem, Counts: true}},
		{"histories", 1, toolrank.Word{Query: "histories", Matched: "history", Field: toolrank.FieldTitle, By: toolrank.ByStem, Counts: true}},
		{"late", 1, toolrank.Word{Query: "late", Matched: "late", Field: toolrank.FieldFirstSentence, By: toolrank.ByWord, Counts: true}},
		{"paginate", 1, toolrank.Word{Query: "paginate", Matched: "paginates", Field: toolrank.FieldDescription, By: toolrank.ByStem, Counts: true}},
		{"filter", 1, toolrank.Word{Query: "filter", Matched: "filters", Field: toolrank.FieldArgument, By: toolrank.ByStem, Counts: true}},
		{"postal", 1, toolrank.Word{Query: "postal", Matched: "postal", Field: toolrank.FieldArgument, By: toolrank.ByWord, Counts: true}},
		{"town", 1, toolrank.Word{Query: "town", Matched: "town", Field: toolrank.FieldArgumentText, By: toolrank.ByWord, Counts: true}},
		{"ascending", 1, toolrank.Word{Query: "ascending", Matched: "ascending", Field: toolrank.FieldArgumentValue, By: toolrank.ByWord, Counts: true}},
		{"fixeded", 1, toolrank.Word{Query: "fixeded", Matched: "fixeded", Field: toolrank.FieldArgumentValue, By: toolrank.ByWord, Counts: true}},
		{"search", 1, toolrank.Word{Query: "search", Matched: "find", Field: toolrank.FieldName, By: toolrank.BySynonym, Counts: true}},
		{"ordrs", 1, toolrank.Word{Query: "ordrs", Matched: "orders", Field: toolrank.FieldName, By: toolrank.ByNear, Counts: true}},
		{"天气", 2, toolrank.Word{Query: "天气", Matched: "天气", Field: toolrank.FieldName, By: toolrank.ByWord, Counts: true}},
		{"城", 2, toolrank.Word{Query: "城", Matched: "取城", Field: toolrank.FieldFirstSentence, By: toolrank.ByNear, Counts: true}},
		{"市", 2, toolrank.Word{Query: "市", Matched: "城市", Field: toolrank.FieldFirstSentence, By: toolrank.ByNear, Counts: true}},
		{"репозиторий", 3, toolrank.Word{Query: "репозиторий", Matched: "репозитория", Field: toolrank.FieldFirstSentence, By: toolrank.ByNear, Counts: true}},
		{"作成", 4, toolrank.Word{Query: "作成", Matched: "作成", Field: toolrank.FieldFirstSentence, By: toolrank.ByWord, Counts: true}},
		{"ンダ", 4, toolrank.Word{Query: "ンダ", Matched: "ンダ", Field: toolrank.FieldName, By: toolrank.ByWord, Counts: true}},
		{"GRÖSSE größe", 5, toolrank.Word{Query: "größe", Matched: "größe", Field: toolrank.FieldFirstSentence, By: toolrank.ByWord, Counts: true}},
	} {
		t.Run(c.query, func(t *testing.T) {
			t.Parallel()
			matches := x.Search(c.query, 1, nil)
			if len(matches) == 0 || matches[0].Index != c.index {
				t.Fatalf("Search(%q) = %+v, want tool %d", c.query, matches, c.index)
			}
			if words := matches[0].Words; words[len(words)-1] != c.want {
				t.Errorf("Search(%q) explains %+v, want %+v", c.query, words, c.want)
			}
		})
	}
	for _, query := range []string{"default", "type", "object", "defs sort", "x9"} {
		for _, m := range x.Search(query, 0, nil) {
			for _, w := range m.Words {
				if w.By != toolrank.ByNothing {
					t.Errorf("Search(%q) matches %+v, which is in no part of a tool that is indexed", query, w)
				}
			}
		}
	}
}

// TestSearchAll checks which words a tool has to match for Match.All.
func TestSearchAll(t *testing.T) {
	t.Parallel()
	tools := named("list_jobs: List the jobs.", "list_users: List the users.", "list_pages: List the pages.", "stop_job: Stop a job.", "ping: x", "pong: x")
	matches := toolrank.New(tools).Search("please list the jobs of gandalf quickly", 0, nil)
	if len(matches) == 0 || matches[0].Index != 0 || !matches[0].All || matches[0].IsName {
		t.Fatalf("Search = %+v, want list_jobs with all words, not as a name", matches)
	}
	want := map[string]bool{"please": false, "list": true, "the": false, "jobs": true, "of": false, "gandalf": false, "quickly": false}
	for _, w := range matches[0].Words {
		if counts, ok := want[w.Query]; !ok || w.Counts != counts {
			t.Errorf("word %q counts: %v, want %v", w.Query, w.Counts, counts)
		}
		delete(want, w.Query)
	}
	if len(want) > 0 {
		t.Errorf("the match does not list the words %v", want)
	}
	for _, m := range matches[1:] {
		if m.All {
			t.Errorf("%s matches all words, want only list_jobs to", tools[m.Index].Name)
		}
	}
}

// TestHiddenTools checks that a search among visible tools returns what an index of these tools alone returns, so that
// neither results nor scores nor corrected words depend on tools that the caller may not see.
func TestHiddenTools(t *testing.T) {
	t.Parallel()
	tools := slices.Concat(readTools(t, "codehost"), readTools(t, "observability"))
	queries := readQueries(t, "queries")
	x := toolrank.New(tools)
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		share := r.Float64()
		visible := make([]bool, len(tools))
		var alone []toolrank.Tool
		var indexes []int
		for i := range tools {
			if visible[i] = r.Float64() < share; visible[i] {
				alone, indexes = append(alone, tools[i]), append(indexes, i)
			}
		}
		y := toolrank.New(alone)
		for range 10 {
			q := misspell(r, queries[r.IntN(len(queries))].text)
			got := x.Search(q, 0, func(i int) bool { return visible[i] })
			want := y.Search(q, 0, nil)
			for i := range want {
				want[i].Index = indexes[want[i].Index]
			}
			if !slices.EqualFunc(want, got, equalMatches) {
				t.Fatalf("Search(%q) differs from that of an index of the %d visible tools (-want +got):\n%s", q, len(alone), cmp.Diff(want, got))
			}
		}
	}
}

func equalMatches(a, b toolrank.Match) bool {
	return a.Index == b.Index && a.Score == b.Score && a.IsName == b.IsName && a.All == b.All && slices.Equal(a.Words, b.Words)
}

// misspell changes some letters of a text.
func misspell(r *rand.Rand, text string) string {
	b := []byte(text)
	for range r.IntN(4) {
		b[r.IntN(len(b))] = "abcdefghijklmnopqrstuvwxyz "[r.IntN(27)]
	}
	return string(b)
}

// TestHiddenWords checks that a misspelt word is not corrected to a word of hidden tools, and that no word of theirs is
// shown for a stem that a visible tool has in another form.
func TestHiddenWords(t *testing.T) {
	t.Parallel()
	tools := named("list_salaries: Salaries and secretplans.", "get_report: Reported numbers.", "list_reports: All reports.", "ping: x")
	keep := func(i int) bool { return i == 1 || i == 3 }
	x := toolrank.New(tools)
	for _, query := range []string{"salariex", "sal", "secret plans", "secretplan", "salaries", "SALARIES", "payroll salary"} {
		if matches := x.Search(query, 0, keep); len(matches) > 0 {
			t.Errorf("Search(%q) = %+v, want nothing: only a hidden tool matches", query, matches)
		}
	}
	if matches := x.Search("list_salaries", 0, keep); len(matches) > 0 && (matches[0].IsName || matches[0].Words[1].By != toolrank.ByNothing) {
		t.Errorf("Search(list_salaries) = %+v, want no match with salaries", matches)
	}
	matches := x.Search("reports", 0, keep)
	if len(matches) != 1 || matches[0].Index != 1 || matches[0].Words[0].Matched != "report" {
		t.Errorf("Search(reports) = %+v, want get_report with its word report", matches)
	}
	if matches := x.Search("salaries", 0, nil); len(matches) == 0 || matches[0].Index != 0 {
		t.Errorf("Search(salaries) = %+v if nothing is hidden, want list_salaries", matches)
	}
}

func TestSearchLimit(t *testing.T) {
	t.Parallel()
	tools := readTools(t, "codehost")
	x := toolrank.New(tools)
	all := x.Search("list pull requests", 0, nil)
	if len(all) < 50 || len(x.Search("list pull requests", -1, nil)) != len(all) {
		t.Fatalf("%d matches without a limit, want at least 50, as many for 0 as for -1", len(all))
	}
	if diff := cmp.Diff(all[:7], x.Search("list pull requests", 7, nil)); diff != "" {
		t.Errorf("the first 7 matches differ with a limit (-without +with):\n%s", diff)
	}
	if x.Len() != len(tools) {
		t.Errorf("Len() = %d, want %d", x.Len(), len(tools))
	}
}
