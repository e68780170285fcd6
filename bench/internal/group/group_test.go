package group_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/bench/internal/group"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, meta string
		want       []string
	}{
		{"no _meta", "", nil},
		{"null", "null", nil},
		{"other members", `{"a":["b"]}`, nil},
		{"two", `{"a":1,"io.github.mcptool-go/groups":["pulls","issues"]}`, []string{"pulls", "issues"}},
		{"repeated", `{"io.github.mcptool-go/groups":["a","b","a"]}`, []string{"a", "b"}},
		{"not strings", `{"io.github.mcptool-go/groups":["a",1,null,["b"],{"c":"d"},""]}`, []string{"a"}},
		{"a string", `{"io.github.mcptool-go/groups":"a"}`, nil},
		{"an object", `{"io.github.mcptool-go/groups":{"a":"b"}}`, nil},
		{"no object", `["io.github.mcptool-go/groups"]`, nil},
		{"cut", `{"io.github.mcptool-go/groups":["a"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, group.Of([]byte(c.meta))); diff != "" {
				t.Errorf("Of(%s) differs (-want +got):\n%s", c.meta, diff)
			}
		})
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	var sum group.Sum
	if got := sum.Sizes(); got != nil {
		t.Errorf("without entries Sizes = %+v, want nil", got)
	}
	sum.AddTool(nil, 100)
	sum.AddPrompt(nil)
	if got := sum.Sizes(); got != nil {
		t.Errorf("without groups Sizes = %+v, want nil", got)
	}
	sum.AddTool([]string{"pulls", "issues"}, 9)
	sum.AddTool([]string{"issues"}, 5)
	sum.AddPrompt([]string{"pulls"})
	sum.AddResource([]string{"docs"})
	want := []group.Size{
		{Name: "docs", Resources: 1},
		{Name: "issues", Tools: 2, Bytes: 14, Tokens: 4},
		{Name: "pulls", Tools: 1, Prompts: 1, Bytes: 9, Tokens: 3},
		{Tools: 1, Prompts: 1, Bytes: 100, Tokens: 25},
	}
	if diff := cmp.Diff(want, sum.Sizes()); diff != "" {
		t.Errorf("Sizes differs (-want +got):\n%s", diff)
	}
}
