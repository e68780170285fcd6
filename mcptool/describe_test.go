package mcptool_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestHintsHaveThreeStates(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tool := mustNew(t, done, mcptool.ReadOnly(true), mcptool.Idempotent(true), mcptool.OpenWorld(false))
	want := mcptool.ToolAnnotations{ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no}
	if diff := cmp.Diff(want, tool.Annotations()); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(mcptool.ToolAnnotations{ReadOnlyHint: &no}, mustNew(t, done, mcptool.ReadOnly(false)).Annotations()); diff != "" {
		t.Errorf("hints of a tool that writes (-want +got):\n%s", diff)
	}
	*tool.Annotations().ReadOnlyHint = false
	if !*tool.Annotations().ReadOnlyHint {
		t.Error("the hints of a tool can be changed by the caller")
	}
}

func TestMetaCannotBeChanged(t *testing.T) {
	t.Parallel()
	meta := map[string]any{"a": 1}
	tool := mustNew(t, done, mcptool.Meta(meta))
	meta["b"] = 2
	tool.Info().Meta["c"] = 3
	if got := tool.Info().Meta; len(got) != 1 {
		t.Errorf("_meta of a tool can be changed by the caller: %v", got)
	}
}

func TestDescriptionMistakes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, test := range []struct {
		reason string
		opts   []mcptool.ToolOption
		want   []string
	}{
		{"two values", []mcptool.ToolOption{mcptool.Title("a"), mcptool.Title("b")}, []string{`the option Title sets "a", and the option Title sets "b"; set it once`}},
		{"a long value is cut", []mcptool.ToolOption{mcptool.Description(long), mcptool.Description("b")}, []string{`xxx…, and`}},
		{"icons twice", []mcptool.ToolOption{mcptool.Icons(mcptool.Icon{Src: pngURI}), mcptool.Icons()}, []string{"the option Icons sets [{Src:data:image"}},
		{"text that is not UTF-8", []mcptool.ToolOption{mcptool.Title("\xff"), mcptool.Description("\xff")}, []string{"(title):", "(description):"}},
		{"nil options", []mcptool.ToolOption{nil, mcptool.Title("a"), nil}, []string{"option 1 is nil; leave it out", "option 3 is nil"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.New(done, test.opts...)
			wantMistakes(t, registerError(t, tool, err), test.want...)
		})
	}
	if tool := mustNew(t, done, mcptool.Title("a"), mcptool.Title("a")); tool.Info().Title != "a" {
		t.Errorf("Title = %q", tool.Info().Title)
	}
}
