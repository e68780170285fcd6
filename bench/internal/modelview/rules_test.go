package modelview_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/modelview"
)

// TestRules checks that rules have unique names, and that each has a text, a public source and a date.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, name := range modelview.Clients() {
		c, _ := modelview.Named(name)
		if c == nil || c.Title == "" || c.About == "" {
			t.Fatalf("%s: incomplete: %+v", name, c)
		}
		var names []string
		for i, r := range c.Rules() {
			isNote := i < len(c.Notes)
			if !isNote && slices.Contains(names[min(len(c.Notes), len(names)):], r.Name) || r.Name == "" {
				t.Errorf("%s: rule %q is there twice, or has no name", name, r.Name)
			}
			names = append(names, r.Name)
			if source, err := url.Parse(r.Source); err != nil || source.Scheme != "https" || source.Host == "" {
				t.Errorf("%s, %s: source %q is not a URL", name, r.Name, r.Source)
			}
			if _, err := time.Parse(time.DateOnly, r.Seen); err != nil {
				t.Errorf("%s, %s: %v", name, r.Name, err)
			}
			if r.Why == "" || strings.HasSuffix(r.Why, ".") {
				t.Errorf("%s, %s: why is %q", name, r.Name, r.Why)
			}
		}
	}
}

// TestNamed checks the suggestions for unknown names.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, nearest string }{{"codx", "codex"}, {"claude", "claude-code"}, {"gemini", "gemini-cli"}, {"vs-code", "vscode"}, {"lynx", ""}, {"", ""}} {
		if c, nearest := modelview.Named(tt.name); c != nil || nearest != tt.nearest {
			t.Errorf("%q: found %v, suggests %q, want %q", tt.name, c, nearest, tt.nearest)
		}
	}
}
