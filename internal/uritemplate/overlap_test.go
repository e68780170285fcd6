package uritemplate_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// overlaps are pairs of templates with a URI that matches both, "-" if there is none or Overlaps does not find it.
var overlaps = []struct{ one, two, reason, want string }{
	{"o://{id}", "o://list", "a literal is a value", "o://list"},
	{"o://{id}", "o://{name}", "names do not matter", "o://x"},
	{"o://{id}", "p://{id}", "schemes", "-"},
	{"o://{id}", "o://{id}/lines", "a segment more", "-"},
	{"o://{id}/lines", "o://{id}/{part}", "a literal is a value", "o://x/lines"},
	{"o://{id}/lines", "o://7/{part}", "each has a literal", "o://7/lines"},
	{"o://{id}/lines", "o://{id}/items", "other literals", "-"},
	{"o://a{id}", "o://{id}b", "begin and end", "o://ab"},
	{"o://a{id}", "o://b{id}", "begins", "-"},
	{"o://{id}", "o://a:b", "a value cannot have a colon", "-"},
	{"o://{id}", "o://a%3Ab", "but encoded", "o://a%3Ab"},
	{"o://{id}", "o://a%2Fb", "nor a slash", "-"},
	{"o://{id}", "o://%E2%82%AC", "several bytes", "o://%E2%82%AC"},
	{"o://{id}", "o://a%20b/{c}", "a segment more", "-"},
	{"o://{id}", "o://...", "no dot segment", "o://..."},
	{"d:///{+path}", "d:///{a}/{b}", "segments", "d:///x/x"},
	{"d:///{+path}", "d:///{a}//{b}", "an empty segment", "-"},
	{"d:///{+path}.md", "d:///{+path}.txt", "ends", "-"},
	{"d:///{+path}.md", "d:///docs/{+path}", "begin and end", "d:///docs/x.md"},
	{"d:///{+path}", "d:////{a}", "an absolute path", "-"},
	{"d:{+path}", "d:/{a}", "an absolute path", "d:/x"},
	{"d:///{+path}", "d:///a%2Cb", "what {+var} does not encode", "-"},
	{"d:///{+path}", "d:///a%20b", "what {+var} encodes", "d:///a%20b"},
	{"d:///{+path}", "d:///a[b", "what {+var} encodes", "-"},
	{"l://{name}.{ext}", "l://{y}-{m}", "both in one", "l://x-.x"},
	{"l://{a}.{b}", "l://....{c}", "Match reads a dot as the first", "-"},
	{"o://{id}{?a}", "o://{id}{?b}", "without a query", "o://x"},
	{"o://{id}{?a}", "o://{id}", "without a query", "o://x"},
	{"o://{id}{?a}", "o://{id}?a=1", "with a query", "o://x?a=1"},
	{"o://{id}{?a}", "o://{id}?b=1", "with another", "-"},
	{"o://{id}{?a,b,c}", "o://{id}?b={x}&a=1", "another order", "o://x?b=x&a=1"},
	{"o://{id}{?a,b}", "o://{id}?a=1&a=2", "twice", "-"},
	{"o://{id}{?a,b}", "o://{id}?a=1{&b}", "continued", "o://1?a=1&b=x"},
	{"o://x?a=1{&b,c}", "o://x?a=1&c=2{&b,d}", "both continued", "o://x?a=1&c=2"},
	{"o://x?a=1{&b,c}", "o://x?a=1&c=2&c=3", "twice", "-"},
	{"o://x{?a}", "o://x?{k}=1", "a key is a variable", "o://x?a=1"},
	{"o://x{?a}", "o://x?a", "no equals sign", "-"},
	{"o://x{?a}", "o://x?", "no pairs", "-"},
	{"o://x{?a}", "o://x?a=..%2F", "a value that is refused", "-"},
	{"o://x?r={+r}", "o://x?r=a?b", "in a query", "o://x?r=a?b"},
	{"a:{a}/{b}/{c}", "a:{a}/{+b}", "several", "a:x/x/x"},
}

// TestOverlaps compares each pair in both directions.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	for _, tt := range overlaps {
		one, two := parse(t, tt.one), parse(t, tt.two)
		example, yes := one.Overlaps(two)
		if !yes && example == "" {
			example = "-"
		}
		again, both := two.Overlaps(one)
		if example != tt.want || yes != both {
			t.Errorf("%s, %s: %q and %q, want %q: %s", tt.one, tt.two, example, again, tt.want, tt.reason)
		}
	}
}

// TestOverlapsOfMany checks that overlaps of templates with several variables are found.
func TestOverlapsOfMany(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"orders://{id}/lines/{line}/prices{?currency}", "orders://{id}/lines/{line}/{part}"},
		{"orders://{id}/lines/{line}/prices{?currency,date}", "orders://{id}/lines/{line}/{+part}"},
		{"repo://{owner}/{name}/readme{?ref}", "repo://{owner}/{name}/{file}"},
		{"db://{schema}/{table}/rows/{id}{?fields}", "db://{schema}/{table}/{kind}/{id}"},
		{"db://{schema}/tables/{table}/{column}", "db://{schema}/{kind}/{name}/stats"},
		{"db://{schema}/tables/{table}{?limit}", "db://{schema}/{kind}/stats"},
	} {
		if _, yes := parse(t, pair[0]).Overlaps(parse(t, pair[1])); !yes {
			t.Errorf("no overlap is found of %s and %s", pair[0], pair[1])
		}
	}
}

// TestOverlapsAll compares Overlaps with all short URIs of a few characters.
func TestOverlapsAll(t *testing.T) {
	t.Parallel()
	var templates []*uritemplate.Template
	for _, text := range []string{
		"a:{b}", "a:x", "a:{b}/x", "a:{b}/{c}", "a:{+b}", "a:/{+b}", "a:{b}.{c}", "a:{b}.x", "a:.{b}", "a:..{b}", "a:{+b}/x", "a:{+b}.{c}", "a:x.{+b}",
		"a:x{?x}", "a:x?x={b}", "a:x?x={+b}", "a:x?{b}=x", "a:x?x{&x}", "a:x?{&x}", "a:{b}{?x}", "a:{b}?x=", "a:x?x=x&x={b}", "a:x?x{b}", "a:x?{+b}", "a://{b}", "a:{b}/../.x", "a:x.x", "a:...",
	} {
		if template, err := uritemplate.Parse(text); err == nil {
			templates = append(templates, template)
		}
	}
	shared := map[[2]int]string{}
	var matching []int
	var visit func(uri string, more int)
	visit = func(uri string, more int) {
		matching = matching[:0]
		for i, template := range templates {
			if _, ok := template.Match(uri); ok {
				matching = append(matching, i)
			}
		}
		for _, i := range matching {
			for _, j := range matching {
				if pair := [2]int{i, j}; shared[pair] == "" {
					shared[pair] = uri
				}
			}
		}
		if more > 0 {
			for _, c := range "x./?=&" {
				visit(uri+string(c), more-1)
			}
		}
	}
	visit("a:", 6)
	for i, one := range templates {
		for j, two := range templates {
			uri := shared[[2]int{i, j}]
			example, yes := one.Overlaps(two)
			if uri != "" && !yes {
				t.Errorf("%s and %s do not overlap, but %s matches both", one, two, uri)
			}
			if uri == "" && yes && len(example) <= len("a:")+6 {
				t.Errorf("%s and %s overlap, %q, but no short URI matches both", one, two, example)
			}
		}
	}
}

// BenchmarkOverlaps measures a pair of templates that differ only at the end, as at registration.
func BenchmarkOverlaps(b *testing.B) {
	one, two := parse(b, "orders://{id}/lines/{line}/prices{?currency,date}"), parse(b, "orders://{id}/lines/{line}/{+part}.json{?currency}")
	for b.Loop() {
		one.Overlaps(two)
	}
}
