package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPath(t *testing.T) {
	for _, test := range []struct {
		text  string
		steps path
	}{
		{"id", path{"id"}},
		{"result.content[0].text", path{"result", "content", "[0]", "text"}},
		{`result._meta["example.com/time"]`, path{"result", "_meta", "example.com/time"}},
		{`result["a \"b\" ]"].c`, path{"result", `a "b" ]`, "c"}},
		{`[""]`, path{""}},
		{`result["\u202e\x1b"]`, path{"result", "\u202e\x1b"}},
		{"result.tools[*].description", path{"result", "tools", "[*]", "description"}},
		{"**.time", path{"**", "time"}},
	} {
		steps, err := parsePath(test.text)
		if err != nil || !slices.Equal(steps, test.steps) || steps.String() != test.text {
			t.Errorf("%s: steps %q, error %v, written %s; want %q", test.text, steps, err, steps, test.steps)
		}
	}
	for _, text := range []string{"", ".", "a.", "a..b", ".a", "a[", "a[0", `a["b`, `a["b"`, "a b", "a.[0]", "[0]x"} {
		if steps, err := parsePath(text); err == nil {
			t.Errorf("%q: steps %q, want an error", text, steps)
		}
	}
}

func TestPathMatches(t *testing.T) {
	at := path{"result", "content", "[0]", "text", "time"}
	for pattern, want := range map[string]bool{
		"result.content[0].text.time": true, "result.content[*].text.time": true, "*.*.*.*.*": true, "**.time": true, "**": true,
		"result.**.time": true, "result.**": true, "**.content.**.text.**.time.**": true,
		"**.**.*": true, "**.*.*.*.*.*.**": true, "**.content.*.text": false, "**.*.*.*.*.*.*": false,
		"result.content[1].text.time": false, "time": false, "result.content": false, "**.text": false, "result.*.time": false, "*.*.*.*.*.*": false,
	} {
		steps, err := parsePath(pattern)
		if err != nil || steps.matches(at) != want {
			t.Errorf("%s: matches is %v, error %v; want %v", pattern, !want, err, want)
		}
	}
}

// TestPathMatchesQuickly matches a pattern for which the number of ways to divide the steps is enormous.
func TestPathMatchesQuickly(t *testing.T) {
	steps, err := parsePath(strings.Repeat("**.a.", 20) + "b")
	if err != nil {
		t.Fatal(err)
	}
	if began := time.Now(); steps.matches(slices.Repeat(path{"a"}, maxDepth)) || time.Since(began) > time.Second {
		t.Errorf("it matches, or takes %v", time.Since(began))
	}
}
