package uritemplate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// sorted returns a URI in normal form, with the pairs of its query sorted.
func sorted(t *testing.T, uri string) string {
	t.Helper()
	normal, ok := uritemplate.Normalize(uri)
	if !ok {
		t.Errorf("%q cannot be normalized", uri)
	}
	rest, fragment, hasFragment := strings.Cut(normal, "#")
	path, query, hasQuery := strings.Cut(rest, "?")
	if hasQuery {
		pairs := strings.Split(query, "&")
		slices.Sort(pairs)
		path += "?" + strings.Join(pairs, "&")
	}
	if hasFragment {
		path += "#" + fragment
	}
	return path
}

// rfc has the values of RFC 6570, 1.2 and 3.2.
var rfc = map[string]string{
	"var": "value", "hello": "Hello World!", "path": "/foo/bar", "x": "1024", "y": "768", "empty": "", "half": "50%",
	"who": "fred", "base": "http://example.com/home/", "dub": "me/too", "v": "6", "dom": "example.com",
}

// TestRFC expands the examples of RFC 6570 for the supported operators, with a scheme added.
func TestRFC(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ template, want, reason string }{
		// 1.2, level 1
		{"{var}", "value", ""},
		{"{hello}", "Hello%20World%21", ""},
		// 1.2, level 2
		{"{+var}", "value", ""},
		{"{+hello}", "Hello%20World!", ""},
		{"{+path}/here", "/foo/bar/here", ""},
		{"here?ref={+path}", "here?ref=/foo/bar", ""},
		// 1.2, level 3
		{"{?x,y}", "?x=1024&y=768", ""},
		{"{?x,y,empty}", "?x=1024&y=768&empty=", ""},
		{"?fixed=yes{&x}", "?fixed=yes&x=1024", ""},
		{"?{&x,y,empty}", "?&x=1024&y=768&empty=", "in the RFC the question mark is not there"},
		// 3.2.2
		{"{half}", "50%25", ""},
		{"O{empty}X", "", "a value that is empty in a path is refused"},
		{"O{undef}X", "", "a variable of a path must have a value"},
		{"{base}index", "", "the slashes of a segment are refused"},
		{"{dub}", "", "the slash of a segment is refused"},
		// 3.2.3
		{"{+half}", "50%25", ""},
		{"{+base}index", "", "empty segments are refused"},
		{"O{+empty}X", "", "a value that is empty in a path is refused"},
		{"O{+undef}X", "", "a variable of a path must have a value"},
		{"up{+path}/{var}/here", "up/foo/bar/value/here", "in the RFC, there is no slash before {var}"},
		{"here?ref={+base}", "here?ref=http://example.com/home/", "of the RFC, in a query"},
		// 3.2.8
		{"{?who}", "?who=fred", ""},
		{"{?half}", "?half=50%25", ""},
		{"{?x,y,undef}", "?x=1024&y=768", ""},
		{"{?undef}", "", "no query"},
		// 3.2.9
		{"?{&who}", "?&who=fred", ""},
		{"?{&half}", "?&half=50%25", ""},
		{"?fixed=yes{&x}", "?fixed=yes&x=1024", ""},
		{"?{&x,y,undef}", "?&x=1024&y=768", ""},
	} {
		template := parse(t, "s:"+tt.template)
		got, err := template.Expand(rfc)
		refused := strings.HasSuffix(tt.reason, "refused") || strings.HasSuffix(tt.reason, "value")
		if (err != nil) != refused || err == nil && got != "s:"+tt.want {
			t.Errorf("%s: %s, %v; want %s: %s", tt.template, got, err, tt.want, tt.reason)
		}
	}
}

// TestExpandRefuses checks that all errors of the values are reported together.
func TestExpandRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		template string
		values   map[string]string
		reason   string
		want     string
	}{
		{"a:{b}/{+c}{?d}", nil, "no values", "the variable b has no value\nthe variable c has no value"},
		{"a:{b}", map[string]string{"b": ""}, "empty", "the value of b is empty"},
		{"a:{b}", map[string]string{"b": ".."}, "a dot segment", `the value of b is ".." or has it as a segment`},
		{"a:{b}", map[string]string{"b": "."}, "a dot segment", `the value of b is "." or has it as a segment`},
		{"a:{b}", map[string]string{"b": "x/y"}, "a slash", `the value of b has a "/", which only {+var} may have`},
		{"a:{b}", map[string]string{"b": `x\y`}, "a backslash", `the value of b has a "\", which separates directories on some systems`},
		{"a:{b}", map[string]string{"b": "x\x00"}, "NUL", "the value of b has a control character"},
		{"a:{b}", map[string]string{"b": "\xff"}, "not UTF-8", "the value of b is not valid UTF-8"},
		{"a:{+b}", map[string]string{"b": "x//y"}, "an empty segment", "the value of b has an empty segment"},
		{"a:{+b}", map[string]string{"b": "x/"}, "an empty segment", "the value of b has an empty segment"},
		{"a:{+b}", map[string]string{"b": "x/../y"}, "a dot segment", `the value of b is ".." or has it as a segment`},
		{"a:/{+b}", map[string]string{"b": "/x"}, "absolute", `the value of b begins with "/"`},
		{"a:{+b}", map[string]string{"b": `x\y`}, "a backslash", `the value of b has a "\"`},
		{"a:x{?b}", map[string]string{"b": `..\y`}, "a dot segment", `the value of b is ".." or has it as a segment`},
		{"a:{b}-{c}", map[string]string{"b": "x-y", "c": "z"}, "would be read otherwise", `the value "x-y" of b would be read as "x": it contains the text that ends it in the template`},
		{"a:{+b}-{c}", map[string]string{"b": "x", "c": "y-z"}, "would be read otherwise", `the value "x" of b would be read as "x-y"`},
		{"a:{b}.{c}", map[string]string{"b": "..x", "c": "y"}, "would be refused", `the values make the URI "a:..x.y", which cannot be read back`},
	} {
		got, err := parse(t, tt.template).Expand(tt.values)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || got != "" {
			t.Errorf("%s, %q: %s, %v; want %s: %s", tt.template, tt.values, got, err, tt.want, tt.reason)
		}
	}
}
