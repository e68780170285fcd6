package mcptool

import (
	"strings"
	"testing"
)

// FuzzToolTag checks that a tag can carry any text, once escaped as documented, and
// that no tag at all can do more harm than be refused.
func FuzzToolTag(f *testing.F) {
	for _, seed := range []string{"", "Weather", "Lisbon, Portugal", `a\b`, `\,`, `\`, "a=b", ",,", "name=x", "\xff", " spaced "} {
		f.Add(seed)
	}
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`)
	f.Fuzz(func(t *testing.T, text string) {
		var d definition
		if found := d.parseTag("readOnly,title=" + escape.Replace(text) + ",name=n"); len(found) > 0 {
			t.Fatalf("the text %q is refused: %v", text, found)
		}
		if d.title.value != text || d.name.value != "n" || !d.readOnly.value {
			t.Fatalf("the text %q became %q beside %q", text, d.title.value, d.name.value)
		}
		new(definition).parseTag(text)
	})
}
