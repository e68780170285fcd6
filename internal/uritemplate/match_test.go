package uritemplate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// matches are templates and URIs that match them or, if want is "-", do not.
var matches = []struct{ template, uri, reason, want string }{
	{"a://list", "a://list", "no variables", "[]"},
	{"a://list", "a://lists", "longer", "-"},
	{"a://list", "a://lis", "shorter", "-"},
	{"a://list", "a://list?", "a query", "-"},
	{"a://list", "a://list#", "a fragment", "-"},
	{"a://list", "A://list", "case of the scheme", "-"},
	{"a://list", "a://%6cist", "unnecessarily encoded", "[]"},
	{"a://%6cist", "a://list", "in the template", "[]"},
	{"a://%e2%82%ac", "a://%E2%82%ac", "case of hexadecimal digits", "[]"},
	{"a://list", "%61://list", "the scheme as well, which is no URI", "[]"},
	{"a://list", "", "nothing", "-"},

	{"o://{id}/lines", "o://7/lines", "a segment", "[{id 7}]"},
	{"o://{id}/lines", "o:///lines", "empty", "-"},
	{"o://{id}/lines", "o://7/8/lines", "two segments", "-"},
	{"o://{id}/lines", "o://7/lines/", "more after it", "-"},
	{"o://{id}/lines", "o://7/line", "less after it", "-"},
	{"o://{id}", "o://a-._~Z9", "unreserved", "[{id a-._~Z9}]"},
	{"o://{id}", "o://%61%2D", "unnecessarily encoded", "[{id a-}]"},
	{"o://{id}", "o://a%20b%c3%A9", "encoded", "[{id a bé}]"},
	{"o://{id}", "o://a%2520b", "decoded once", "[{id a%20b}]"},
	{"o://{id}", "o://a%3Ab%40", "reserved, encoded", "[{id a:b@}]"},
	{"o://{id}", "o://a:b", "reserved, as it is", "-"},
	{"o://{id}", "o://a,b", "reserved, as it is", "-"},
	{"o://{id}", "o://a+b", "a plus", "-"},
	{"o://{id}", "o://a b", "not a URI", "-"},
	{"o://{id}", "o://é", "not a URI", "-"},
	{"o://{id}", "o://a\\b", "not a URI", "-"},
	{"o://{id}", "o://a\x00b", "not a URI", "-"},
	{"o://{id}", "o://a%", "encodes nothing", "-"},
	{"o://{id}", "o://a%4", "encodes nothing", "-"},
	{"o://{id}", "o://a%zz", "encodes nothing", "-"},
	{"o://{id}", "o://a?b", "a query", "-"},
	{"o://{id}", "o://a#b", "a fragment", "-"},
	{"o://{id}", "o://a%2Fb", "a slash for a func that joins paths", "-"},
	{"o://{id}", "o://..%2F..%2Fetc", "out of a root", "-"},
	{"o://{id}", "o://..%5C..%5Cetc", "out of a root, on Windows", "-"},
	{"o://{id}", "o://a%5cb", "a backslash", "-"},
	{"o://{id}", "o://..", "out of a root", "-"},
	{"o://{id}", "o://%2e%2E", "out of a root, encoded", "-"},
	{"o://{id}", "o://.", "the root", "-"},
	{"o://{id}", "o://...", "a name", "[{id ...}]"},
	{"o://{id}", "o://..a", "a name", "[{id ..a}]"},
	{"o://{id}", "o://%252e%252e", "what is left after decoding once", "[{id %2e%2e}]"},
	{"o://{id}", "o://a%00b", "NUL", "-"},
	{"o://{id}", "o://a%0Ab", "a line break", "-"},
	{"o://{id}", "o://a%7F", "DEL", "-"},
	{"o://{id}", "o://a%C2%85", "C1", "-"},
	{"o://{id}", "o://a%FF", "not UTF-8", "-"},
	{"o://{id}", "o://%C0%AE%C0%AE", "overlong dots", "-"},
	{"o://{id}", "o://%ED%A0%80", "a surrogate", "-"},

	{"l://{name}.{ext}", "l://a.tar.gz", "the first is short", "[{name a} {ext tar.gz}]"},
	{"l://{y}-{m}-{d}.txt", "l://2026-01-02.txt", "a date", "[{y 2026} {m 01} {d 02}]"},
	{"l://{a}2{b}", "l://x%202y", "not in the middle of a byte", "[{a x } {b y}]"},
	{"l://{a}20", "l://x%20", "not in the middle of a byte", "-"},
	{"l://{a}0", "l://x%20", "not in the middle of a byte", "-"},
	{"l://{a}%20{b}", "l://x%20y", "encoded text between", "[{a x} {b y}]"},
	{"l://{a}--{b}", "l://x---y", "overlapping", "[{a x} {b -y}]"},
	{"l://aa{b}aa", "l://aaa", "text does not overlap", "-"},
	{"l://aa{b}aa", "l://aaaaa", "one is between", "[{b a}]"},
	{"l://{a}.{b}", "l://..x", "the first would be a dot", "-"},

	{"d:///{+path}", "d:///a/b/c.md", "segments", "[{path a/b/c.md}]"},
	{"d:///{+path}", "d:///a:@!$&'()*+,;=", "reserved", "[{path a:@!$&'()*+,;=}]"},
	{"d:///{+path}", "d:///a%20%3F%23%5B%5D%25", "encoded", "[{path a ?#[]%}]"},
	{"d:///{+path}", "d:///a%2Cb", "reserved, encoded", "-"},
	{"d:///{+path}", "d:///a[1]", "brackets, as they are", "-"},
	{"d:///{+path}", "d:///a%2Fb", "an encoded slash", "-"},
	{"d:///{+path}", "d:///a%5Cb", "a backslash", "-"},
	{"d:///{+path}", "d:///", "empty", "-"},
	{"d:///{+path}", "d:////etc/passwd", "absolute", "-"},
	{"d:///{+path}", "d:///a//b", "an empty segment", "-"},
	{"d:///{+path}", "d:///a/", "an empty segment at the end", "-"},
	{"d:///{+path}", "d:///../a", "out of a root", "-"},
	{"d:///{+path}", "d:///a/../../b", "out of a root", "-"},
	{"d:///{+path}", "d:///a/%2e%2e/b", "out of a root, encoded", "-"},
	{"d:///{+path}", "d:///a/..", "out of a root, at the end", "-"},
	{"d:///{+path}", "d:///./a", "a dot", "-"},
	{"d:///{+path}", "d:///a/.", "a dot at the end", "-"},
	{"d:///{+path}", "d:///a/.../..b/.c", "names", "[{path a/.../..b/.c}]"},
	{"d:///{+path}", "d:///a%00", "NUL", "-"},
	{"d:///{+path}", "d:///a%FF", "not UTF-8", "-"},
	{"d:///{+path}", "d:///a?b", "a query", "-"},
	{"d:///{+path}", "d:///a#b", "a fragment", "-"},
	{"d:{+path}", "d:/a", "may begin with a slash", "[{path /a}]"},
	{"d:{+path}", "d://a", "but not with two", "-"},
	{"d:{+path}", "d:/", "nor be one", "-"},
	{"d:/x/.{+path}", "d:/x/./a", "no dot segment of both", "-"},
	{"d:{+path}.{ext}", "d:a.b/c.d", "as short as possible after it", "[{path a.b/c} {ext d}]"},
	{"d:{a}/{+path}/{b}.{c}", "d:1/2/3.4/5.6.7", "on both sides", "[{a 1} {path 2/3.4} {b 5.6} {c 7}]"},
	{"d:{a}/{+path}/{b}", "d:1/2", "nothing in the middle", "-"},
	{"d:{a}/{+path}/{b}", "d:1//2", "nothing in the middle", "-"},
	{"d:{+path}20{a}", "d:x%20y20z", "not in the middle of a byte, backwards", "[{path x y} {a z}]"},
	{"d:{+path}20{a}", "d:x%20y", "not in the middle of a byte, backwards", "-"},

	{"o://{id}{?a,b}", "o://7", "no query", "[{id 7}]"},
	{"o://{id}{?a,b}", "o://7?a=1&b=2", "both", "[{id 7} {a 1} {b 2}]"},
	{"o://{id}{?a,b}", "o://7?b=2&a=1", "any order", "[{id 7} {a 1} {b 2}]"},
	{"o://{id}{?a,b}", "o://7?b=", "an empty one", "[{id 7} {b }]"},
	{"o://{id}{?a,b}", "o://7?%62=%312", "unnecessarily encoded", "[{id 7} {b 12}]"},
	{"o://{id}{?a,b}", "o://7?b=a%2Fb%5C%26%3D", "any text", `[{id 7} {b a/b\&=}]`},
	{"o://{id}{?a,b}", "o://7?b=1..2", "any text", "[{id 7} {b 1..2}]"},
	{"o://{id}{?a,b}", "o://7?b=.", "any text", "[{id 7} {b .}]"},
	{"o://{id}{?a,b}", "o://7?b=..", "out of a root", "-"},
	{"o://{id}{?a,b}", "o://7?b=..%2Fx", "out of a root", "-"},
	{"o://{id}{?a,b}", "o://7?b=x%5C..", "out of a root", "-"},
	{"o://{id}{?a,b}", "o://7?b=%2Fetc", "any text", "[{id 7} {b /etc}]"},
	{"o://{id}{?a,b}", "o://7?b=%00", "NUL", "-"},
	{"o://{id}{?a,b}", "o://7?", "no pairs", "-"},
	{"o://{id}{?a,b}", "o://7?a", "no equals sign", "-"},
	{"o://{id}{?a,b}", "o://7?c=1", "unknown", "-"},
	{"o://{id}{?a,b}", "o://7?A=1", "unknown", "-"},
	{"o://{id}{?a,b}", "o://7?a=1&c=1", "one unknown", "-"},
	{"o://{id}{?a,b}", "o://7?a=1&a=1", "twice", "-"},
	{"o://{id}{?a,b}", "o://7?a=1&", "an empty pair", "-"},
	{"o://{id}{?a,b}", "o://7?&a=1", "an empty pair", "-"},
	{"o://{id}{?a,b}", "o://7?a=1&&b=1", "an empty pair", "-"},
	{"o://{id}{?a,b}", "o://7?a=1=2", "a second equals sign", "-"},
	{"o://{id}{?a,b}", "o://7?a=x+y", "a plus is no space", "-"},
	{"o://{id}{?a,b}", "o://7?a=1?b=2", "a second question mark", "-"},
	{"o://{id}{?a,b}", "o://7?a=1;b=2", "a semicolon", "-"},
	{"o://{id}{?a,b}", "o://7?a=1#b", "a fragment", "-"},
	{"o://{id}{?a}", "o://?a=1", "empty", "-"},
	{"o://x?f=1&g={g}{&a}", "o://x?f=1&g=2", "none", "[{g 2}]"},
	{"o://x?f=1&g={g}{&a}", "o://x?f=1&g=2&a=3", "one", "[{g 2} {a 3}]"},
	{"o://x?f=1&g={g}{&a}", "o://x?f=1&g=&a=3", "empty", "-"},
	{"o://x?f=1&g={g}{&a}", "o://x?f=1&a=3&g=2", "literals are in order", "-"},
	{"o://x?f=1{&a}", "o://x?f=1&", "an empty pair", "-"},
	{"o://x?f=1{&a}", "o://x", "no query", "-"},
	{"o://x?r={+r}{&a}", "o://x?r=http://h/?q%26&a=1", "an address", "[{r http://h/?q&} {a 1}]"},
	{"o://x?r={+r}", "o://x?r=a&b", "ends the value", "-"},
	{"o://x?r={+r}", "o://x?r=../a", "out of a root", "-"},
}

// TestMatch checks the values of a match, and that expanding them gives the same URI.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range matches {
		template := parse(t, tt.template)
		values, ok := template.Match(tt.uri)
		got := "-"
		if ok {
			got = fmt.Sprint(values)
		}
		if got != tt.want || !ok && values != nil {
			t.Errorf("%s: %s: %s, want %s: %s", tt.template, tt.uri, got, tt.want, tt.reason)
		}
		if ok {
			checkAgain(t, template, tt.uri, values)
		}
	}
}

// checkAgain checks that the values of a URI expand to it.
func checkAgain(t *testing.T, template *uritemplate.Template, uri string, values []uritemplate.Value) {
	t.Helper()
	again, err := template.Expand(lookup(values))
	if err != nil || sorted(t, again) != sorted(t, uri) {
		t.Errorf("%s: %s becomes %s: %v", template, uri, again, err)
	}
}

// lookup returns the values by name.
func lookup(values []uritemplate.Value) map[string]string {
	byName := map[string]string{}
	for _, v := range values {
		byName[v.Name] = v.Text
	}
	return byName
}

// TestMatchAllocations checks that a mismatch does not allocate, and that a match allocates only the values.
func TestMatchAllocations(t *testing.T) {
	for _, tt := range []struct {
		template, uri, reason string
		want                  float64
	}{
		{"o://{id}/lines{?a,b}", "x://7/lines", "another scheme", 0},
		{"o://{id}/lines{?a,b}", "o://7/line", "other text", 0},
		{"o://{id}/lines{?a,b}", "o://7/lines?", "no pairs", 0},
		{"o://{id}/lines{?a,b}", "o://" + strings.Repeat("a", 1<<20), "too long", 0},
		{"o://{id}/lines{?a,b}", "o://7/lines?b=1", "the values, and the parts of the URI", 3},
		{"o://{id}/lines{?a,b}", "o://7/lines?b=%20", "the values, and one that is decoded", 12},
		{"d:///{+path}", "d:///a/b/c", "the values, and the parts of the URI", 2},
		{"a://list", "a://list", "no values", 0},
	} {
		template := parse(t, tt.template)
		if got := testing.AllocsPerRun(100, func() { template.Match(tt.uri) }); got > tt.want {
			t.Errorf("%s: %.60s: %v allocations, want at most %v: %s", tt.template, tt.uri, got, tt.want, tt.reason)
		}
	}
}

// TestMatchTime checks that the longest URI takes time linear in its length, and that a longer one does not match.
func TestMatchTime(t *testing.T) {
	const limit = 500 * time.Millisecond // less than 10 ms without the race detector
	if _, ok := parse(t, "d:///{+path}").Match("d:///" + strings.Repeat("a", uritemplate.MaxURI)); ok {
		t.Error("a URI that is too long matches")
	}
	for _, tt := range []struct{ template, unit, reason string }{
		{"d:///{+path}", "a/", "segments"},
		{"d:///{+path}", "../", "segments that are refused"},
		{"d:///{+path}", "%61", "to be normalized"},
		{"d:///{+path}", "%C3%A9", "to be decoded"},
		{"d:{a}.{b}.{c}", ".", "text in values"},
		{"d:{a}aaaaaaaab{b}", "a", "nearly the text"},
		{"d:{+p}baaaaaaaa{b}", "a", "nearly the text, backwards"},
		{"d:{a}-{b}-{c}/{+d}/{e}-{f}-{g}", "-", "in both directions"},
		{"d:x{?a,b,c}", "?a=1&", "pairs"},
		{"d:x?{&a,b,c}", "&b=1", "pairs"},
	} {
		template := parse(t, tt.template)
		uri := template.String()[:strings.IndexByte(template.String(), '{')] + strings.Repeat(tt.unit, (uritemplate.MaxURI-100)/len(tt.unit)) + "z"
		best := time.Hour
		for range 3 {
			before := hang.ProcessorTime()
			start := time.Now()
			template.Match(uri)
			took := hang.ProcessorTime() - before
			if before == 0 {
				took = time.Since(start)
			}
			best = min(best, took)
		}
		t.Logf("%s: %v: %s", tt.template, best, tt.reason)
		if best > limit {
			t.Errorf("%s: 64 KiB of %q took %v: %s", tt.template, tt.unit, best, tt.reason)
		}
	}
}

// BenchmarkMatch measures the match of a read.
func BenchmarkMatch(b *testing.B) {
	template := parse(b, "orders://{id}/lines{?expand}")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := template.Match("orders://4711/lines?expand=product"); !ok {
			b.Fatal("no match")
		}
	}
}
