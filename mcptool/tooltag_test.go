package mcptool_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

// described is the description set by a tag.
type described struct {
	Name, Title, Description string
	Annotations              mcptool.ToolAnnotations
}

func describedBy[In any](t *testing.T, opts ...mcptool.ToolOption) described {
	t.Helper()
	tool := mustNew(t, func(context.Context, In) (None, error) { return None{}, nil }, opts...)
	return described{tool.Info().Name, tool.Info().Title, tool.Info().Description, tool.Annotations()}
}

func TestToolTag(t *testing.T) {
	t.Parallel()
	type everything struct {
		_ struct{} `mcp:"name=n,title=T,description=D,readOnly,destructive=false,idempotent=true,openWorld=false"`
	}
	type spaced struct {
		_ struct{} `mcp:"name=n, title = A title , readOnly"`
	}
	type escaped struct {
		_ struct{} `mcp:"name=n,title=Lisbon\\, Portugal,description=a\\\\b=c"`
	}
	type documented struct {
		_ struct{} `mcp:"name=n" doc:"Prose, commas = and all"`
	}
	type twice struct {
		_ struct{} `mcp:"name=n,description=same" doc:"same"`
	}
	type apart struct {
		_ struct{} `mcp:"name=n,title=T"`
		_ struct{} `doc:"D"`
		X int      `json:"x" doc:"not of the tool"`
	}
	yes, no := true, false
	for _, test := range []struct {
		got    described
		want   described
		reason string
	}{
		{describedBy[everything](t), described{"n", "T", "D", mcptool.ToolAnnotations{ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no}}, "every key"},
		{describedBy[*everything](t), described{"n", "T", "D", mcptool.ToolAnnotations{ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no}}, "behind a pointer"},
		{describedBy[spaced](t), described{"n", "A title", "", mcptool.ToolAnnotations{ReadOnlyHint: &yes, DestructiveHint: &no}}, "spaces around keys and values go"},
		{describedBy[escaped](t), described{"n", "Lisbon, Portugal", `a\b=c`, mcptool.ToolAnnotations{}}, "escapes"},
		{describedBy[documented](t), described{Name: "n", Description: "Prose, commas = and all"}, "doc is the description"},
		{describedBy[twice](t), described{Name: "n", Description: "same"}, "the same said twice"},
		{describedBy[apart](t), described{"n", "T", "D", mcptool.ToolAnnotations{}}, "two blank fields"},
		{describedBy[documented](t, mcptool.Name("n"), mcptool.Title("T")), described{Name: "n", Title: "T", Description: "Prose, commas = and all"}, "options beside a tag"},
		{describedBy[map[string]any](t, mcptool.Name("n")), described{Name: "n"}, "a map has no tags"},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func refusedBy[In any](t *testing.T, opts ...mcptool.ToolOption) *mcptool.RegisterError {
	t.Helper()
	tool, err := mcptool.New(func(context.Context, In) (None, error) { return None{}, nil }, opts...)
	return registerError(t, tool, err)
}

func TestToolTagMistakes(t *testing.T) {
	t.Parallel()
	type nearMiss struct {
		_ struct{} `mcp:"name=n,readonly,tilte=T"`
	}
	type stranger struct {
		_ struct{} `mcp:"name=n,zzz=1"`
	}
	type noKey struct {
		_ struct{} `mcp:"name=n,,title=T,=x,"`
	}
	type empty struct {
		_ struct{} `mcp:""`
	}
	type noText struct {
		_ struct{} `mcp:"name=n,title,description"`
	}
	type emptyText struct {
		_ struct{} `mcp:"name=n,title=,description= ,task=,askFirst="`
	}
	type commas struct {
		_ struct{} `mcp:"name=n,scopes=a:read,b:write,c,rateLimit=100/m,burst=10,title=Hello, world,description=One, two, three"`
	}
	type blanks struct {
		_ struct{} `mcp:"name=n,readOnly destructive=false"`
	}
	type semicolons struct {
		_ struct{} `mcp:"name=n,readOnly;title=x,timeout=3s;idempotent"`
	}
	type badFlag struct {
		_ struct{} `mcp:"name=n,readOnly=yes,openWorld="`
	}
	type repeated struct {
		_ struct{} `mcp:"name=n,title=T,title=T,readOnly,readOnly"`
	}
	type backslash struct {
		_ struct{} `mcp:"name=n,title=a\\b"`
	}
	type lastBackslash struct {
		_ struct{} `mcp:"name=n,title=a\\"`
	}
	type contradiction struct {
		_ struct{} `mcp:"name=n,readOnly,destructive"`
	}
	type twoTexts struct {
		_ struct{} `mcp:"name=n,description=one" doc:"two"`
	}
	type onField struct {
		_ struct{} `mcp:"name=n"`
		X int      `json:"x" mcp:"title=T"`
	}
	type fine struct {
		_ struct{} `mcp:"name=n,title=T,readOnly"`
	}
	for _, test := range []struct {
		reason string
		got    *mcptool.RegisterError
		want   []string
	}{
		{"misspelled keys are corrected", refusedBy[nearMiss](t), []string{`unknown key "readonly"; write readOnly`, `unknown key "tilte"; write title`}},
		{"an unknown key gets the list of keys", refusedBy[stranger](t), []string{`unknown key "zzz"; the keys are name title description readOnly destructive idempotent openWorld askFirst task durable group scopes timeout rateLimit concurrent`}},
		{"empty keys are reported once", refusedBy[noKey](t), []string{`"" has no key`, `"=x" has no key`}},
		{"empty tag", refusedBy[empty](t), []string{`"" has no key`, "the func is a literal"}},
		{"texts without a value", refusedBy[noText](t), []string{"title has no value; write title=…", "description has no value"}},
		{"empty values", refusedBy[emptyText](t), []string{
			`the mcp tag sets task to ""; write task=optional, task=required or task=forbidden`, "(title): the mcp tag sets an empty text; write one, or leave it out", "(description): the mcp tag sets", "the question is empty",
		}},
		{"empty values of options", refusedBy[struct{}](t, mcptool.Name("n"), mcptool.Title(""), mcptool.Description("\n")), []string{"(title): the option Title sets an empty text", "(description): the option Description sets"}},
		{"unescaped commas", refusedBy[commas](t), []string{
			`unknown key "b:write"; write the scopes with blanks between them: scopes=a:read b:write c`, `unknown key "c"; write the scopes with blanks`,
			`unknown key "burst"; write rateLimit=100/m burst=10`, `unknown key "world"; a comma in a text is \\,: title=Hello\\, world`,
			`unknown key "two"; a comma in a text is \\,: description=One\\, two\\, three`, `unknown key "three"; a comma`,
		}},
		{"blanks instead of commas", refusedBy[blanks](t), []string{`"readOnly destructive=false" has more than one key; separate the keys with a comma: readOnly,destructive=false`}},
		{"semicolons instead of commas", refusedBy[semicolons](t), []string{
			`"readOnly;title=x" has more than one key; separate the keys with a comma: readOnly,title=x`, `"timeout=3s;idempotent" has more than one key; separate the keys with a comma: timeout=3s,idempotent`,
		}},
		{"invalid flags", refusedBy[badFlag](t), []string{`readOnly is "yes"; write readOnly, readOnly=true or readOnly=false`, `openWorld is ""`}},
		{"duplicate keys", refusedBy[repeated](t), []string{"title is given twice", "readOnly is given twice"}},
		{"unknown escapes", refusedBy[backslash](t), []string{"a backslash is not followed by a comma or another backslash"}},
		{"trailing backslash", refusedBy[lastBackslash](t), []string{"a backslash is not followed by"}},
		{"contradicting hints", refusedBy[contradiction](t), []string{"the tool is read-only by the mcp tag and destructive by the mcp tag"}},
		{"two descriptions", refusedBy[twoTexts](t), []string{`the mcp tag sets "one", and the doc tag sets "two"; set it once`}},
		{"the tag on a field with a name", refusedBy[onField](t), []string{"the mcp tag of a tool is only allowed on a blank field"}},
		{
			"options that contradict the tag", refusedBy[fine](t, mcptool.Name("m"), mcptool.ReadOnly(false), mcptool.Destructive(true)),
			[]string{`the mcp tag sets "n", and the option Name sets "m"`, "the mcp tag sets true, and the option ReadOnly sets false", "the tool is read-only by the mcp tag and destructive by the option Destructive"},
		},
	} {
		t.Run(test.reason, func(t *testing.T) { wantMistakes(t, test.got, test.want...) })
	}
}

func TestToolTagPlace(t *testing.T) {
	t.Parallel()
	type slip struct {
		_ struct{} `mcp:"name=n,tilte=T"`
	}
	got := refusedBy[slip](t).Mistakes[0]
	want := mcptool.Mistake{
		Tool: "n", Type: "mcptool_test.slip", Field: "_", Tag: `mcp:"name=n,tilte=T"`,
		Reason: `unknown key "tilte"`, Fix: "write title",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes with their location (-want +got):\n%s", diff)
	}
}

func TestToolTagOnResult(t *testing.T) {
	t.Parallel()
	type out struct {
		_ struct{} `mcp:"title=T"`
	}
	tool, err := mcptool.New(func(context.Context, None) (*out, error) { return &out{}, nil }, mcptool.Name("n"))
	wantMistakes(t, registerError(t, tool, err), "the mcp tag is on the result type; move it to the argument struct")
}

// TestTagMistakesRepeat checks that the tags of a type have the same mistakes for every tool of the type, each at the
// location of its own call, and those of its kind for a prompt.
func TestTagMistakesRepeat(t *testing.T) {
	t.Parallel()
	type in struct {
		_ struct{} `mcp:"name=n,readOnly,readOnly,zzz=1,timeout=x,title=a\\b"`
	}
	fn := func(context.Context, in) (string, error) { return "", nil }
	_, first := mcptool.New(fn)
	_, second := mcptool.New(fn)
	_, prompt := mcptool.NewPrompt(fn)
	place := regexp.MustCompile(`[\w/.-]+_test\.go:\d+`)
	places := []string{place.FindString(first.Error()), place.FindString(second.Error()), place.FindString(prompt.Error())}
	if slices.Contains(places, "") || len(slices.Compact(places)) != 3 {
		t.Errorf("got the locations %q, want those of three calls", places)
	}
	without := func(err error) string { return place.ReplaceAllString(err.Error(), "") }
	if without(first) != without(second) {
		t.Errorf("the second tool has other mistakes:\n%v\n%v", first, second)
	}
	for _, want := range []string{`unknown key "zzz"`, `timeout is "x"`, "a backslash is not followed"} {
		if !strings.Contains(second.Error(), want) || !strings.Contains(prompt.Error(), want) {
			t.Errorf("no mistake contains %s:\n%v\n%v", want, second, prompt)
		}
	}
	const twice, misplaced = "readOnly is given twice", "readOnly applies to tools, and this is a prompt"
	if !strings.Contains(second.Error(), twice) || strings.Contains(second.Error(), misplaced) {
		t.Errorf("a tool: %v", second)
	}
	if strings.Contains(prompt.Error(), twice) || !strings.Contains(prompt.Error(), misplaced) {
		t.Errorf("a prompt: %v", prompt)
	}
}
