package mcptool

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
		if found := d.setKeys(parseTag("readOnly,title=" + escape.Replace(text) + ",name=n")); len(found) > 0 {
			t.Fatalf("the text %q is refused: %v", text, found)
		}
		if d.Title != strings.TrimSpace(text) || d.Name != "n" || !isTrue(d.annotations.ReadOnlyHint) {
			t.Fatalf("the text %q became %q, name %q", text, d.Title, d.Name)
		}
		new(definition).setKeys(parseTag(text))
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
		"group": Group("a"), "scopes": Scopes("a"), "timeout": Timeout(1), "rateLimit": RateLimit(Rate{Calls: 1}), "concurrent": Concurrent(1), "auditArguments": AuditArguments(true),
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

// TestTagAndOption checks each key with an option that sets the same value and one that sets another value. Different values
// are a mistake that names both sources, except for scopes and groups, which add up.
func TestTagAndOption(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value      string
		same, diff any // the options
	}{
		"name":             {"a", Name("a"), Name("b")},
		"title":            {"A", Title("A"), Title("B")},
		"description":      {"A", Description("A"), Description("B")},
		"readOnly":         {"true", ReadOnly(true), ReadOnly(false)},
		"destructive":      {"true", Destructive(true), Destructive(false)},
		"idempotent":       {"true", Idempotent(true), Idempotent(false)},
		"openWorld":        {"true", OpenWorld(true), OpenWorld(false)},
		"askFirst":         {"Go on?", AskFirst("Go on?"), AskFirst("Stop?")},
		"task":             {"optional", Task(TaskSupportOptional), Task(TaskSupportRequired)},
		"durable":          {"true", Durable(true), Durable(false)},
		"group":            {"b", Group("b"), Group("c", "a")},
		"scopes":           {"b a", Scopes("a", "b"), Scopes("c", "a")},
		"timeout":          {"2s", Timeout(2 * time.Second), Timeout(time.Second)},
		"rateLimit":        {"2/m", RateLimit(Rate{Calls: 2, Per: time.Minute}), RateLimit(Rate{Calls: 2, Per: time.Hour})},
		"concurrent":       {"2", Concurrent(2), Concurrent(3)},
		"auditArguments":   {"true", AuditArguments(true), AuditArguments(false)},
		"coerce":           {"true", Coerce(true), Coerce(false)},
		"omitOutputSchema": {"true", OmitOutputSchema(true), OmitOutputSchema(false)},
		"uri":              {"x:a", URI("x:a"), URI("x:b")},
		"mimeType":         {"text/csv", MIMEType("text/csv"), MIMEType("text/plain")},
		"size":             {"2", Size(2), Size(3)},
		"audience":         {"user", Audience(RoleUser), Audience(RoleAssistant)},
		"priority":         {"0.5", Priority(0.5), Priority(1)},
	}
	for _, key := range tagKeys {
		test, ok := tests[key.name]
		if !ok {
			t.Errorf("the key %s has no case", key.name)
			continue
		}
		both := func(opt any) *definition {
			d := &definition{kind: key.kind}
			if found := d.setKeys(parseTag(key.name + "=" + test.value)); len(found) > 0 {
				t.Errorf("%s=%s: %v", key.name, test.value, found)
			}
			switch opt := opt.(type) {
			case ToolOption:
				opt.applyToTool(d)
			case ResourceOption:
				opt.applyToResource(d)
			}
			return d
		}
		if d := both(test.same); len(d.mistakes) > 0 {
			t.Errorf("%s: the same value in the option is a mistake: %v", key.name, d.mistakes)
		}
		d := both(test.diff)
		switch {
		case key.name == "group":
			if len(d.mistakes) > 0 || !slices.Equal(d.Groups, []string{"a", "b", "c"}) {
				t.Errorf("the groups are %q with the mistakes %v, want a b c", d.Groups, d.mistakes)
			}
		case key.name == "scopes":
			if len(d.mistakes) > 0 || !slices.Equal(d.Scopes, []string{"a", "b", "c"}) {
				t.Errorf("the scopes are %q with the mistakes %v, want a b c", d.Scopes, d.mistakes)
			}
		case len(d.mistakes) != 1 || !strings.HasPrefix(d.mistakes[0].Reason, "the mcp tag sets ") || !strings.Contains(d.mistakes[0].Reason, ", and the option "):
			t.Errorf("%s: got the mistakes %v, want one that names the tag and the option", key.name, d.mistakes)
		}
	}
}
