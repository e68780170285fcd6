package uritemplate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// TestParse checks the parts of a template.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, reason, want string }{
		{"orders://list", "no variables: a resource", "[]"},
		{"orders://{id}/lines{?expand}", "the one of the design", "[{id {var}} {expand {?var}}]"},
		{"docs:///{+path}", "a tree of files", "[{path {+var}}]"},
		{"a:/b?fixed=1{&x,y}", "continued", "[{x {?var}} {y {?var}}]"},
		{"a:{b.c_1}", "a name with a dot", "[{b.c_1 {var}}]"},
		{"a:/{b}?q={c}", "text may begin a query", "[{b {var}} {c {var}}]"},
		{"logs://{year}-{month}-{day}.txt", "text that values may have as well", "[{year {var}} {month {var}} {day {var}}]"},
		{"a+b-c.1:/%C3%a9/it's(1)", "all that a scheme and text may have", "[]"},
		{"http://[::1]/{a}", "an address", "[{a {var}}]"},
		{"a:" + vars(50), "many variables", written(parse(t, "a:"+vars(50)))},
	} {
		template, err := uritemplate.Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v: %s", tt.text, err, tt.reason)
			continue
		}
		if got := written(template); got != tt.want || template.String() != tt.text || template.IsLiteral() != (tt.want == "[]") {
			t.Errorf("%s: %s, want %s: %s", tt.text, got, tt.want, tt.reason)
		}
	}
}

// written returns the variables with their kinds.
func written(template *uritemplate.Template) string {
	list := []string{}
	for _, v := range template.Variables() {
		list = append(list, fmt.Sprintf("{%s %s}", v.Name, v.Kind))
	}
	return fmt.Sprint(list)
}

// vars returns the text of n variables.
func vars(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "/{v%d}", i)
	}
	return b.String()
}

func parse(tb testing.TB, text string) *uritemplate.Template {
	tb.Helper()
	template, err := uritemplate.Parse(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return template
}

// mistakes are invalid templates with all mistakes of the error.
var mistakes = []struct {
	text, reason string
	want         []string
}{
	{"", "nothing", []string{`character 1: missing scheme: begin with a name for your URIs that has no variables, such as "app://"`}},
	{"orders", "no colon", []string{`character 1: missing scheme: begin with a name for your URIs that has no variables, such as "app://orders"`}},
	{"/orders/{id}", "a relative reference", []string{`character 1: missing scheme: begin with a name for your URIs that has no variables, such as "app:///orders/{id}"`}},
	{"//orders/{id}", "an authority", []string{`character 1: missing scheme: begin with a name for your URIs that has no variables, such as "app://orders/{id}"`}},
	{"{scheme}://x", "the scheme is not a variable", []string{`character 1: missing scheme: begin with a name for your URIs that has no variables, such as "app://"`}},
	{"ord{x}://x", "nor a part of it", []string{"character 1: missing scheme"}},
	{"Orders://{id}", "clients write it in lower case", []string{`character 1: the scheme "Orders"`}},
	{"1a://{id}", "RFC 3986", []string{`character 1: the scheme "1a"`}},
	{"a_b://{id}", "RFC 3986", []string{`character 1: the scheme "a_b"`}},
	{"://{id}", "an empty one", []string{`character 1: the scheme ""`}},
	{"file://{+path}", "whose value would never begin with a slash", []string{"character 8: a file URI has an empty host: write file:///{+path}"}},
	{"a:/b c", "a space", []string{`character 5: " " is not allowed in a URI: write %20`}},
	{"a:/é\"\x01\\^`|<>", "characters that no URI has", []string{
		`character 4: "é" is not allowed in a URI: write %C3%A9`, `character 5: "\"" is not allowed in a URI: write %22`, `character 6: "\x01" is not`,
		`character 7: "\\" is not`, `character 8: "^" is`, "character 9: \"`\" is", `character 10: "|" is`, `character 11: "<" is`, `character 12: ">" is`,
	}},
	{"a:/\xff", "not UTF-8", []string{`character 4: "\xff" is not allowed in a URI: write %FF`}},
	{"a:/%zz%", "encodes nothing", []string{`character 4: a "%" that two`, `character 7: a "%" that two`}},
	{"a:/%00{b}", "no value may have it", []string{`character 1: "a:/%00" has percent-encoded control characters`}},
	{"a:/%C3{b}", "a half of a character", []string{`character 1: "a:/%C3" has percent-encoded control characters, or bytes that are not UTF-8`}},
	{"a:/../b", "a client resolves it", []string{`the path has the segment ".."`}},
	{"a:/%2e/b", "encoded or not", []string{`the path has the segment "."`}},
	{"a:/{b}/..", "at the end as well", []string{`the path has the segment ".."`}},
	{"a:/b}", "not opened", []string{`character 5: "}" without "{": write %7D`}},
	{"a:/{b", "not closed", []string{`character 4: "{" without "}": write %7B`}},
	{"a:/{b{c}", "not closed before another", []string{`character 4: "{" without "}": write %7B`}},
	{"a:/{}", "no name", []string{"character 4: {} has no variable name"}},
	{"a:/{+}", "no name", []string{"character 4: {+} has no variable name"}},
	{"a:/{?b,,c}", "no name", []string{"character 4: {?b,,c} has no variable name"}},
	{"a:/{?b, c}", "a space", []string{`character 4: " c" is not a variable name`}},
	{"a:/{b-c}", "a hyphen", []string{`character 4: "b-c" is not a variable name: names have letters, digits and "_", and "." between them`}},
	{"a:/{b..c}", "two dots", []string{`character 4: "b..c" is not`}},
	{"a:/{é}", "not ASCII", []string{`character 4: "é" is not`}},
	{"a:/{b%41}", "RFC 6570 allows it", []string{`character 4: "b%41" is not`}},
	{"a:/{b}/{b}{?b,c,c}", "a name is one variable", []string{"character 8: the variable b occurs twice", "character 11: the variable b occurs twice", "character 11: the variable c occurs twice"}},
	{"a:{/b}", "level 3", []string{`character 3: {/b} is of level 3 of RFC 6570: write "/{b}"; supported are {var}, {+var}, {?a,b} and {&a,b}`}},
	{"a:{/b*}", "level 4, several segments", []string{`character 3: {/b*} is of level 3 of RFC 6570: write "/{+b}"; supported are`}},
	{"a:{/b-c*}", "a wrong name as well", []string{"character 3: {/b-c*} is of level 3", `character 3: "b-c" is not a variable name`}},
	{"a:{/b,c}", "level 3, two segments", []string{`character 3: {/b,c} is of level 3 of RFC 6570: write "/{b}/{c}"`}},
	{"a:b{.c}", "level 3", []string{`character 4: {.c} is of level 3 of RFC 6570: write ".{c}"`}},
	{"a:b{;c}", "level 3", []string{`character 4: {;c} is of level 3 of RFC 6570: write ";c={c}"`}},
	{"a:b{=c}", "reserved by RFC 6570", []string{`character 4: {=c} begins with "=", which is not an operator: supported are`}},
	{"a:b{ c}", "a space", []string{`character 4: { c} begins with " "`}},
	{"a:{b:3}/{c*}", "level 4", []string{"character 3: b:3 has a modifier of level 4 of RFC 6570: write b; supported are", "character 9: c* has a modifier of level 4 of RFC 6570: write c"}},
	{"a:{?b*}", "level 4", []string{"character 3: b* has a modifier"}},
	{"a:{b,c}/{+d,e}", "level 3", []string{"character 3: {b,c} has 2 variables", "character 9: {+d,e} has 2"}},
	{"a:{b}{c}{+d}", "ambiguous", []string{"character 6: nothing separates {c} from {b} before it: write text between them", "character 9: nothing separates {+d} from {c}"}},
	{"a:{+b}/{c}/{+d}", "ambiguous", []string{"character 12: {+d} is the second {+var}"}},
	{"a:b{?c}/d", "a query is at the end", []string{`character 8: "/d" is after {?c}, which must be at the end`}},
	{"a:b{?c}{d}", "a query is at the end", []string{"character 8: {d} is after {?c}, which must be at the end"}},
	{"a:b{?c}{&d}", "one is enough", []string{"character 8: {&d} is after {?c}, which must be at the end; one {?a,b} or {&a,b} may have several variables"}},
	{"a:b{#c}", "for the client", []string{"character 4: {#c} is a fragment, which clients do not send: supported are"}},
	{"a:b#c", "for the client", []string{`character 4: "#" begins a fragment, which clients do not send: write %23`}},
	{"a:b?c=1{?d}", "there is a query", []string{`character 8: {?d} is after "?": write {&d}`}},
	{"a:b{&d}", "there is no query", []string{`character 4: there is no "?" before {&d}: write {?d}`}},
	{"a:b c?d{?e}", "each mistake of a text", []string{`character 4: " " is not`, `character 8: {?e} is after "?": write {&e}`}},
	{"a:{?b} {c}d", "mistakes after a query", []string{`character 7: " " is after {?b}`, `character 8: {c} is after {?b}`, `character 11: "d" is after {?b}`}},
	{"a:" + strings.Repeat("b", uritemplate.MaxURI), "no URI would match", []string{"character 1: the template is longer than 65536 bytes"}},
}

// TestMistakes checks that each mistake is reported with its position and a fix.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range mistakes {
		template, err := uritemplate.Parse(tt.text)
		if err == nil {
			t.Errorf("%s: no mistake: %s", tt.text, tt.reason)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		ok := template == nil && len(got) == len(tt.want)
		for i := range min(len(got), len(tt.want)) {
			ok = ok && strings.Contains(got[i], tt.want[i])
		}
		if !ok {
			t.Errorf("%s: %q, want %q: %s", tt.text, got, tt.want, tt.reason)
		}
	}
}
