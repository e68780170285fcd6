package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// groupedIn is the argument struct of a tool in two groups.
type groupedIn struct {
	_ struct{} `mcp:"name=n,group=pulls,group= issues ,readOnly"`
}

// groupsOf returns the groups of an item. It fails the test if its _meta has others.
func groupsOf(t *testing.T, info mcptool.Info) []string {
	t.Helper()
	raw, has := info.Meta["io.github.mcptool-go/groups"].(json.RawMessage)
	var listed []string
	if has {
		if err := json.Unmarshal(raw, &listed); err != nil {
			t.Errorf("groups in _meta: %v", err)
		}
	}
	if has != (len(info.Groups) > 0) || !slices.Equal(listed, info.Groups) {
		t.Errorf("_meta has the groups %s, want %q", raw, info.Groups)
	}
	return info.Groups
}

// TestGroup checks the groups of the tag and of the option, for each kind of item and for a service.
func TestGroup(t *testing.T) {
	t.Parallel()
	do := func(context.Context, None) (string, error) { return "", nil }
	tagged := func(context.Context, groupedIn) (None, error) { return None{}, nil }
	both := mcptool.Group("issues", "admin")
	prompt, err := mcptool.NewPrompt(do, mcptool.Name("p"), both)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := mcptool.NewResource(do, mcptool.URI("x:a"), both)
	if err != nil {
		t.Fatal(err)
	}
	service, err := mcptool.NewService(groupedService{}, mcptool.Group("all"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		info mcptool.Info
		want []string
	}{
		{"none by default", mustNew(t, do, mcptool.Name("n")).Info(), nil},
		{"in the tag", mustNew(t, tagged).Info(), []string{"issues", "pulls"}},
		{"in the tag and two options", mustNew(t, tagged, both, mcptool.Group("z")).Info(), []string{"admin", "issues", "pulls", "z"}},
		{"beside other _meta", mustNew(t, do, mcptool.Name("n"), both, mcptool.Meta(map[string]any{"com.example/a": 1})).Info(), []string{"admin", "issues"}},
		{"of a prompt", prompt.Info(), []string{"admin", "issues"}},
		{"of a resource", resource.Info(), []string{"admin", "issues"}},
		{"of the first method of a service", service[0].Info(), []string{"all"}},
		{"of a method with a tag", service[1].Info(), []string{"all", "issues", "pulls"}},
	} {
		if got := groupsOf(t, test.info); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

type groupedService struct{}

func (groupedService) Add(context.Context, None) (None, error)      { return None{}, nil }
func (groupedService) Get(context.Context, groupedIn) (None, error) { return None{}, nil }

// TestGroupIsCopied checks that a tool does not change with the slices that were passed to or returned from it.
func TestGroupIsCopied(t *testing.T) {
	t.Parallel()
	given := []string{"b", "a"}
	option := mcptool.Group(given...)
	given[0] = "x"
	tool := mustNew(t, func(context.Context, None) (None, error) { return None{}, nil }, mcptool.Name("n"), option)
	tool.Info().Groups[0] = "z"
	if got := tool.Info().Groups; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the groups are %q after modification", got)
	}
}

// TestGroupMistakes checks the errors for groups that are not valid.
func TestGroupMistakes(t *testing.T) {
	t.Parallel()
	type plain struct {
		_ struct{} `mcp:"name=n"`
	}
	type empty struct {
		_ struct{} `mcp:"name=n,group="`
	}
	type bare struct {
		_ struct{} `mcp:"name=n,group"`
	}
	type twice struct {
		_ struct{} `mcp:"name=n,group=a,group=a"`
	}
	type slip struct {
		_ struct{} `mcp:"name=n,groups=a"`
	}
	type spaced struct {
		_ struct{} `mcp:"name=n,group=a b"`
	}
	long := fmt.Sprintf("%065d", 0)
	for _, test := range []struct {
		name string
		got  *mcptool.RegisterError
		want []string
	}{
		{"an option without groups", refusedBy[plain](t, mcptool.Group()), []string{"the option Group sets no groups; list at least one, or leave it out"}},
		{"a key without a name", refusedBy[empty](t), []string{"the mcp tag: the name is empty; a name is 1 to 64 of A-Z a-z 0-9 _ - ."}},
		{"a key without a value", refusedBy[bare](t), []string{"group has no value; write group=…"}},
		{"a group twice in the tag", refusedBy[twice](t), []string{`"a" is listed twice; list it once`}},
		{"a group twice in an option", refusedBy[plain](t, mcptool.Group("a", "b", "a")), []string{`"a" is listed twice; list it once`}},
		{"a misspelt key", refusedBy[slip](t), []string{`unknown key "groups"; write group`}},
		{"two groups in one value", refusedBy[spaced](t), []string{`the mcp tag: the name "a b" contains ' '`}},
		{"other scripts", refusedBy[plain](t, mcptool.Group("Fälle")), []string{`the option Group: the name "Fälle" contains 'ä'`}},
		{"a long name", refusedBy[plain](t, mcptool.Group(long)), []string{"the name is 65 characters long; clients take up to 64"}},
		{"_meta with the key", refusedBy[plain](t, mcptool.Group("a"), mcptool.Meta(map[string]any{"io.github.mcptool-go/groups": "b"})), []string{"key io.github.mcptool-go/groups is for the groups of the item; use the option Group"}},
	} {
		t.Run(test.name, func(t *testing.T) { wantMistakes(t, test.got, test.want...) })
	}
}
