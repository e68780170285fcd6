package mcptool

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzToolTag checks that a tag can contain any text escaped as documented, except surrounding blanks, and that an
// invalid tag is refused without other effects.
func FuzzToolTag(f *testing.F) {
	for _, seed := range []string{"", "Weather", "Lisbon, Portugal", `a\b`, `\,`, `\`, "a=b", ",,", "name=x", "\xff", " spaced ", "{&", "{?a,b}"} {
		f.Add(seed)
	}
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`)
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		var d definition
		if found := d.parseTag("readOnly,title=" + escape.Replace(text) + ",name=n"); len(found) > 0 {
			t.Fatalf("the text %q is refused: %v", text, found)
		}
		if d.Title != strings.TrimSpace(text) || d.Name != "n" || !isTrue(d.annotations.ReadOnlyHint) {
			t.Fatalf("the text %q became %q, name %q", text, d.Title, d.Name)
		}
		new(definition).parseTag(text)
	})
}

// TestTagKeysAreDocumented compares the table of keys in the package documentation with the parser.
func TestTagKeysAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "# Describing a tool")
	table, _, _ = strings.Cut(table, "\n//\n// The hints")
	var documented, known []string
	for _, row := range regexp.MustCompile(`(?m)^//\t(\w+)(=\S+)? +([A-Z]\w+) `).FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
		if !strings.EqualFold(row[1], row[3]) {
			t.Errorf("the key %s is listed with the option %s", row[1], row[3])
		}
	}
	for _, key := range tagKeys {
		known = append(known, key.name)
	}
	if !slices.Equal(documented, known) {
		t.Errorf("documented keys %v, parsed keys %v", documented, known)
	}
}

// TestTagKeyOptions checks that the option with the name of a key changes the same setting, for the same kinds of
// items.
func TestTagKeyOptions(t *testing.T) {
	t.Parallel()
	options := map[string]any{
		"name": Name("a"), "title": Title("a"), "description": Description("a"),
		"readOnly": ReadOnly(true), "destructive": Destructive(true), "idempotent": Idempotent(true), "openWorld": OpenWorld(true),
		"askFirst": AskFirst("a"), "task": Task(TaskSupportOptional), "durable": Durable(true), "coerce": Coerce(true), "omitOutputSchema": OmitOutputSchema(true),
		"scopes": Scopes("a"), "timeout": Timeout(1), "rateLimit": RateLimit(Rate{Calls: 1}), "concurrent": Concurrent(1), "auditArguments": AuditArguments(true),
		"uri": URI("a"), "mimeType": MIMEType("a"), "size": Size(1), "audience": Audience(RoleUser), "priority": Priority(1),
	}
	for _, key := range tagKeys {
		var d definition
		kinds := map[itemKind]bool{}
		if opt, ok := options[key.name].(ToolOption); ok {
			kinds[kindTool] = true
			opt.applyToTool(&d)
		}
		if opt, ok := options[key.name].(PromptOption); ok {
			kinds[kindPrompt] = true
			opt.applyToPrompt(&d)
		}
		if opt, ok := options[key.name].(ResourceOption); ok {
			kinds[kindResource] = true
			opt.applyToResource(&d)
		}
		same := kinds[key.kind] && len(kinds) == 1
		if key.kind == anyKind {
			same = len(kinds) == len(itemWords)
		}
		if !same {
			t.Errorf("the option of the key %s applies to %v", key.name, kinds)
		}
		if !d.isSet(key.of(&d)) {
			t.Errorf("the option of the key %s changes another setting", key.name)
		}
	}
}
