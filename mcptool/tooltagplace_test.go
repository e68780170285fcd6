package mcptool_test

import (
	"context"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// takes returns a tool with arguments of type In.
func takes[In any](t *testing.T, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return mustNew(t, func(context.Context, In) (None, error) { return None{}, nil }, append(opts, mcptool.Name("g"))...)
}

// Tagged has an mcp tag.
type Tagged struct {
	_ struct{} `mcp:"scopes=admin"`
	X int      `json:"x"`
}

// TestToolTagsElsewhere: an mcp tag of a struct other than the argument struct is a mistake.
func TestToolTagsElsewhere(t *testing.T) {
	t.Parallel()
	type tagged struct {
		_ struct{} `mcp:"scopes=admin"`
		X int      `json:"x"`
	}
	type embedding struct{ tagged }
	type recursive struct {
		_    struct{}    `mcp:"scopes=admin"`
		Kids []recursive `json:"kids"`
	}
	type outer struct {
		_ struct{} `mcp:"scopes=read"`
		tagged
	}
	type cutList struct {
		Items []int `json:"items" mcp:"truncate"`
	}
	type titled struct {
		Text string `json:"text" mcp:"title=T"`
	}
	member := "the mcp tag of a tool is only allowed on a blank field; write it on a field _ struct{} of the argument struct"
	truncate := "no tag truncates a list; remove it, and use package extension/results for results that are too large"
	part := "the mcp tag belongs on the argument struct of a tool, and mcptool_test.tagged is only a part of one"
	for _, test := range []struct {
		reason string
		got    *mcptool.RegisterError
		want   string
	}{
		{"embedded", refusedBy[embedding](t, mcptool.Name("n")), "mcptool_test.tagged._: `mcp:\"scopes=admin\"`: " + part},
		{"embedded by pointer", refusedBy[*struct{ *Tagged }](t, mcptool.Name("n")), "mcptool_test.Tagged is only a part of one"},
		{"embedded at two levels", refusedBy[struct{ embedding }](t, mcptool.Name("n")), "mcptool_test.embedding.tagged._: `mcp:\"scopes=admin\"`: "},
		{"embedded under a JSON name", refusedBy[struct {
			Tagged `json:"t"`
		}](t, mcptool.Name("n")), "mcptool_test.Tagged is only a part of one"},
		{"embedded beside another tag", refusedBy[outer](t, mcptool.Name("n")), part},
		{"nested", refusedBy[struct{ A tagged }](t, mcptool.Name("n")), part},
		{"elements", refusedBy[struct{ A []*tagged }](t, mcptool.Name("n")), part},
		{"values of a map", refusedBy[struct{ A map[string][2]tagged }](t, mcptool.Name("n")), part},
		{"the argument is a map", refusedBy[map[string]tagged](t, mcptool.Name("n")), part},
		{"embedded in what is nested", refusedBy[struct{ A embedding }](t, mcptool.Name("n")), "mcptool_test.embedding.tagged._ (A): `mcp:\"scopes=admin\"`: the mcp tag belongs on the argument struct of a tool, and mcptool_test.embedding is only a part"},
		{"the result embeds it", answeredBy[embedding](t), "mcptool_test.embedding.tagged._: `mcp:\"scopes=admin\"`: the mcp tag is on the result type; move it to the argument struct"},
		{"in the result", answeredBy[map[string]tagged](t), "the mcp tag belongs on the argument struct of a tool, and mcptool_test.tagged is a part of a result"},
		{"by OutputType", registerError(t, nil, errorOf(mcptool.New(func(context.Context, None) (*mcptool.Result, error) { return nil, nil }, mcptool.Name("n"), mcptool.OutputType[tagged]()))), "the mcp tag is on the result type"},
		{"a field of the arguments", refusedBy[titled](t, mcptool.Name("n")), "mcptool_test.titled.Text (text): `mcp:\"title=T\"`: " + member},
		{"a field of the result", answeredBy[titled](t), "mcptool_test.titled.Text (text): `mcp:\"title=T\"`: " + member},
		{"truncate in the result", answeredBy[map[string]cutList](t), "mcptool_test.cutList.Items ({}.items): `mcp:\"truncate\"`: " + truncate},
		{"truncate in the arguments", refusedBy[cutList](t, mcptool.Name("n")), "mcptool_test.cutList.Items (items): `mcp:\"truncate\"`: " + truncate},
		{"truncate by OutputType", registerError(t, nil, errorOf(mcptool.New(func(context.Context, None) (*mcptool.Result, error) { return nil, nil }, mcptool.Name("n"), mcptool.OutputType[cutList]()))), truncate},
	} {
		t.Run(test.reason, func(t *testing.T) { wantMistakes(t, test.got, test.want) })
	}
	if scopes := takes[recursive](t).Info().Scopes; !slices.Equal(scopes, []string{"admin"}) {
		t.Errorf("recursive struct: scopes = %q, want admin", scopes)
	}
}

func answeredBy[Out any](t *testing.T) *mcptool.RegisterError {
	t.Helper()
	tool, err := mcptool.New(func(context.Context, None) (out Out, err error) { return out, nil }, mcptool.Name("n"))
	return registerError(t, tool, err)
}

// TestDescriptionByEveryTag: each tag that describes a struct describes the tool.
func TestDescriptionByEveryTag(t *testing.T) {
	t.Parallel()
	for key, got := range map[string]string{
		"doc": takes[struct {
			_ struct{} `doc:"D"`
		}](t).Info().Description,
		"jsonschema_description": takes[struct {
			_ struct{} `jsonschema_description:"D"`
		}](t).Info().Description,
		"jsonschema": takes[struct {
			_ struct{} `jsonschema:"title=T,description=D"`
		}](t).Info().Description,
		"jsonschema, prose": takes[struct {
			_ struct{} `jsonschema:"D"`
		}](t).Info().Description,
	} {
		if got != "D" {
			t.Errorf("%s: the description is %q, want D", key, got)
		}
	}
}
