package results_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
)

type order struct {
	ID       int     `json:"id"`
	Customer string  `json:"customer"`
	City     string  `json:"city,omitempty"`
	Status   string  `json:"status" jsonschema:"enum=open,enum=paid,enum=sent"`
	Total    float64 `json:"total"`
	Lines    []line  `json:"lines"`
}

type line struct {
	SKU string `json:"sku" jsonschema:"pattern=^SKU-[0-9]+$"`
	N   int    `json:"n"`
}

type orders struct {
	Orders []order `json:"orders"`
	Note   string  `json:"note"`
}

// manyOrders returns n orders, the same ones each time.
func manyOrders(n int) orders {
	r := rand.New(rand.NewPCG(1, 2))
	all := orders{Note: "all orders"}
	for i := range n {
		o := order{
			ID: i + 1, Customer: fmt.Sprintf("customer %d", r.IntN(500)), Status: []string{"open", "paid", "sent"}[r.IntN(3)],
			Total: float64(r.IntN(100_000)) / 100, Lines: []line{},
		}
		if r.IntN(5) > 0 {
			o.City = []string{"Lisbon", "Porto", "Faro", "Braga"}[r.IntN(4)]
		}
		for range r.IntN(4) {
			o.Lines = append(o.Lines, line{fmt.Sprintf("SKU-%d", r.IntN(50)), 1 + r.IntN(9)})
		}
		all.Orders = append(all.Orders, o)
	}
	return all
}

// longLog returns a log of about 5 MB.
func longLog() string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for i := 0; b.Len() < 5_000_000; i++ {
		level := "INFO"
		switch {
		case i == 33_333:
			level = "FATAL"
		case r.IntN(2000) == 0:
			level = "ERROR"
		}
		fmt.Fprintf(&b, "2026-05-04T12:%02d:%02d %s request %06d from 10.0.%d.%d took %dms status=%d\n", i/60%60, i%60, level, i, r.IntN(256), r.IntN(256), r.IntN(900), []int{200, 200, 200, 404, 500}[r.IntN(5)])
	}
	return b.String()
}

// section is a part of a nested document.
type section struct {
	Title    string    `json:"title"`
	Owner    string    `json:"owner"`
	Words    int       `json:"words"`
	Text     string    `json:"text"`
	Sections []section `json:"sections"`
}

// nested returns a document of about 2 MB: sections in sections.
func nested() section {
	r := rand.New(rand.NewPCG(5, 6))
	n := 0
	var makeSection func(depth int) section
	makeSection = func(depth int) section {
		n++
		s := section{
			Title: fmt.Sprintf("Section %d", n), Owner: []string{"ana", "ben", "eva"}[r.IntN(3)], Words: r.IntN(1000),
			Text: strings.Repeat("Some words of prose. ", 1+r.IntN(60)), Sections: []section{},
		}
		if n == 1234 {
			s.Text += "The password is swordfish."
		}
		for range depth * 3 {
			s.Sections = append(s.Sections, makeSection(depth-1))
		}
		return s
	}
	return makeSection(4)
}

// question is a question about a large result: the arguments of read_result, and the part of the answer.
type question struct {
	name, arguments string
	answer          func(p page) any
	want            any
}

// row returns a member of the nth row.
func row(n int, name string) func(page) any {
	return func(p page) any {
		m, _ := p.Rows[n].(object)
		return m[name]
	}
}

func matched(p page) any { return float64(p.Matched) }

// TestLargeResults answers ten questions each about three large results with read_result. The bytes of all answers, and of the
// result itself, are at most 2 % of the bytes of the complete result.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	data, logText, doc := manyOrders(20_000), longLog(), nested()
	srv := newServer(t, results.Options{},
		newTool(t, "list_orders", func(struct{}) orders { return data }),
		newTool(t, "read_log", func(struct{}) string { return logText }),
		newTool(t, "get_document", func(struct{}) section { return doc }))
	for _, test := range []struct {
		tool      string
		value     any
		questions []question
	}{
		{"list_orders", data, orderQuestions(data.Orders)},
		{"read_log", logText, logQuestions(strings.SplitAfter(strings.TrimSuffix(logText, "\n"), "\n"))},
		{"get_document", doc, documentQuestions(doc)},
	} {
		c := connect(t, srv, newest)
		whole := c.call(test.tool, `{}`, `"`+results.ID+`":{"whole":true}`)
		size := len(whole.raw)
		c.read = 0
		handle := c.call(test.tool, `{}`).report(t).Handle
		for _, q := range test.questions {
			if got := q.answer(c.query(handle, q.arguments)); fmt.Sprint(got) != fmt.Sprint(q.want) {
				t.Errorf("%s: %s: got %v, want %v", test.tool, q.name, got, q.want)
			}
		}
		t.Logf("%s: %d questions cost %d bytes of %d, %.2f %%", test.tool, len(test.questions), c.read, size, 100*float64(c.read)/float64(size))
		if len(test.questions) != 10 || c.read*50 > size {
			t.Errorf("%s: %d questions cost %d bytes, more than 2 %% of %d", test.tool, len(test.questions), c.read, size)
		}
	}
}

func orderQuestions(all []order) []question {
	var open, porto, big, noCity int
	var sum float64
	best, units, lines := all[0], map[string]int{}, 0
	revenue := map[string]int{}
	for _, o := range all {
		cents := int(o.Total*100 + 0.5)
		if o.Status == "open" {
			open++
			sum += float64(cents)
		}
		if o.City == "Porto" && o.Total >= 500 {
			porto++
		}
		if o.Total > 990 || o.Status == "sent" && o.Total < 5 {
			big++
		}
		if o.City == "" {
			noCity++
		}
		if o.Total > best.Total {
			best = o
		}
		for _, l := range o.Lines {
			units[l.SKU] += l.N
			lines++
		}
		revenue[o.Customer] += cents
	}
	top := 0
	for _, cents := range revenue {
		top = max(top, cents)
	}
	return []question{
		{"how many are open", `"path":"orders","where":[{"field":"status","op":"eq","value":"open"}],"aggregate":[{"fn":"count"}]`, row(0, "count"), open},
		{"the sum of open ones", `"path":"orders","where":[{"field":"status","op":"eq","value":"open"}],"aggregate":[{"fn":"sum","field":"total"}]`, row(0, "sum_total"), sum / 100},
		{"large ones in Porto", `"path":"orders","where":[{"field":"city","op":"eq","value":"Porto"},{"field":"total","op":"ge","value":500}],"limit":1`, matched, porto},
		{"very large, or sent and small", `"path":"orders","where":[{"any":[{"field":"total","op":"gt","value":990},{"field":"status","op":"eq","value":"sent"}]},{"any":[{"field":"total","op":"gt","value":990},{"field":"total","op":"lt","value":5}]}],"limit":1`, matched, big},
		{"without a city", `"path":"orders","where":[{"field":"city","op":"is_null"}],"limit":1`, matched, noCity},
		{"the largest", `"path":"orders","sort":[{"field":"total","desc":true}],"fields":["id"],"limit":1`, row(0, "id"), best.ID},
		{"units of an article", `"path":"orders.*.lines","where":[{"field":"sku","op":"eq","value":"SKU-7"}],"aggregate":[{"fn":"sum","field":"n"}]`, row(0, "sum_n"), units["SKU-7"]},
		{"number of lines", `"path":"orders.*.lines","aggregate":[{"fn":"count"}]`, row(0, "count"), lines},
		{"revenue of the best customer", `"path":"orders","group":["customer"],"aggregate":[{"fn":"sum","field":"total"}],"sort":[{"field":"sum_total","desc":true}],"limit":1`, row(0, "sum_total"), float64(top) / 100},
		{"the customer of one order", `"path":"orders.12345","fields":["customer"]`, row(0, "customer"), all[12345].Customer},
	}
}

func logQuestions(lines []string) []question {
	count := func(part string) (n int) {
		for _, l := range lines {
			if strings.Contains(l, part) {
				n++
			}
		}
		return n
	}
	firstError := -1
	slow := 0
	for i, l := range lines {
		if firstError < 0 && strings.Contains(l, "ERROR") {
			firstError = i
		}
		var ms int
		if at := strings.Index(l, "took "); at > 0 {
			fmt.Sscanf(l[at:], "took %dms", &ms)
		}
		if ms >= 890 && strings.Contains(l, "status=500") {
			slow++
		}
	}
	text := func(p page) any { return *p.Text }
	line := func(p page) any { return float64(p.Matches[0].Line) }
	return []question{
		{"number of errors", `"search":" ERROR ","limit":1`, matched, count(" ERROR ")},
		{"number of fatal errors", `"search":" FATAL "`, matched, 1},
		{"where it is", `"search":" FATAL "`, line, 33_333},
		{"what came before", `"search":" FATAL ","context":1`, func(p page) any { return p.Matches[0].Text }, lines[33_332] + lines[33_333] + lines[33_334]},
		{"the first error", `"search":"ERROR","limit":1`, line, firstError},
		{"slow failures", `"search":"took 89[0-9]ms status=500","regexp":true,"limit":1`, matched, slow},
		{"number of lines", `"limit":1`, func(p page) any { return p.Lines }, len(lines)},
		{"the head", `"limit":2`, text, lines[0] + lines[1]},
		{"the tail", `"offset":-1`, text, lines[len(lines)-1] + "\n"},
		{"one line", `"offset":40000,"limit":1`, text, lines[40_000]},
	}
}

func documentQuestions(root section) []question {
	var all []section
	var walk func(s section)
	walk = func(s section) {
		all = append(all, s)
		for _, sub := range s.Sections {
			walk(sub)
		}
	}
	walk(root)
	words, ana, leaves, longest := 0, 0, 0, all[0]
	for _, s := range all {
		words += s.Words
		if s.Owner == "ana" {
			ana++
		}
		if len(s.Sections) == 0 {
			leaves++
		}
		if s.Words > longest.Words {
			longest = s
		}
	}
	path := func(p page) any { return strings.Contains(p.Matches[0].Text, "swordfish") }
	return []question{
		{"number of sections", `"path":"**","aggregate":[{"fn":"count"}]`, row(0, "count"), len(all)},
		{"all words", `"path":"**","aggregate":[{"fn":"sum","field":"words"}]`, row(0, "sum_words"), float64(words)},
		{"sections of ana", `"path":"**","where":[{"field":"owner","op":"eq","value":"ana"}],"fields":["title"],"limit":1`, matched, ana},
		{"without subsections", `"path":"**","where":[{"field":"sections","op":"eq","value":[]}],"fields":["title"],"limit":1`, matched, leaves},
		{"the longest", `"path":"**","sort":[{"field":"words","desc":true}],"fields":["title"],"limit":1`, row(0, "title"), longest.Title},
		{"the password", `"search":"password is"`, path, true},
		{"the title", `"path":"title"`, func(p page) any { return *p.Text }, root.Title},
		{"titles of the second level", `"path":"sections","fields":["title"]`, func(p page) any { return p.Matched }, len(root.Sections)},
		{"owner deep inside", `"path":"sections.1.sections.2","fields":["owner"]`, row(0, "owner"), root.Sections[1].Sections[2].Owner},
		{"sections of each owner", `"path":"**","group":["owner"],"aggregate":[{"fn":"count"}],"where":[{"field":"owner","op":"eq","value":"ana"}]`, row(0, "count"), ana},
	}
}

// TestForms: in each revision a cut result has the same forms as a complete one.
func TestForms(t *testing.T) {
	t.Parallel()
	numbers := make([]int, 20_000)
	text := strings.Repeat("a line of text\n", 5_000)
	srv := newServer(t, results.Options{},
		newTool(t, "struct", func(struct{}) orders { return manyOrders(500) }),
		newTool(t, "slice", func(struct{}) []int { return numbers }),
		newTool(t, "string", func(struct{}) string { return text }),
		newTool(t, "content", func(struct{}) []mcptool.Content {
			return []mcptool.Content{mcptool.Text{Text: text}, mcptool.Image{Data: []byte(text), MIMEType: "image/png"}, &mcptool.Text{Text: "short"}}
		}))
	for _, revision := range revisions {
		c := connect(t, srv, revision)
		hasStructured := revision >= "2025-06-18"
		for _, tool := range []string{"struct", "slice", "string", "content"} {
			res := c.call(tool, `{}`)
			rep := res.report(t)
			image := 0
			if tool == "content" {
				image = len(text) * 3 / 2
			}
			if res.IsError || len(res.raw) > 8<<10+image {
				t.Errorf("%s: %s: %d bytes, isError %v", revision, tool, len(res.raw), res.IsError)
			}
			if !strings.Contains(res.Content[0].Text, rep.Handle) || !strings.Contains(res.Content[0].Text, "read_result") {
				t.Errorf("%s: %s: the first text is %q", revision, tool, res.Content[0].Text)
			}
			if tool == "content" {
				if len(res.Content) != 4 || !strings.HasPrefix(text, res.Content[1].Text) || res.Content[2].Type != "image" || res.Content[3].Text != "short" || res.StructuredContent != nil {
					t.Errorf("%s: content: %.500s", revision, res.raw)
				}
				continue
			}
			if (res.StructuredContent != nil) != hasStructured {
				t.Fatalf("%s: %s: structured content %.100s", revision, tool, res.StructuredContent)
			}
			if !hasStructured {
				continue
			}
			value := res.StructuredContent
			if isWrapped := revision < "2026" && tool != "struct"; isWrapped {
				var wrapper struct{ Result json.RawMessage }
				if err := json.Unmarshal(value, &wrapper); err != nil || wrapper.Result == nil {
					t.Fatalf("%s: %s: %v in %.100s", revision, tool, err, value)
				}
				value = wrapper.Result
			}
			if tool == "string" {
				var s string
				if err := json.Unmarshal(value, &s); err != nil || s != res.Content[1].Text || !strings.HasPrefix(text, s) || !strings.HasSuffix(s, "\n") {
					t.Errorf("%s: string: %v: %.100s", revision, err, value)
				}
			} else if string(value) != res.Content[1].Text {
				t.Errorf("%s: %s: the text is not the structured part", revision, tool)
			}
		}
	}
}
