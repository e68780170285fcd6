package mcptool_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Embedded structs as authors share them between tools.
type (
	Guarded struct {
		_ struct{} `mcp:"destructive,scopes=admin,askFirst=Really?"`
	}
	limited struct {
		_     struct{} `mcp:"timeout=5s,rateLimit=2/m,concurrent=3,task=optional,idempotent,openWorld=false,auditArguments"`
		Limit int      `json:"limit,omitempty"`
	}
	deep struct {
		*Middle
		Depth int `json:"depth,omitempty"`
	}
	Middle struct {
		Guarded
	}
	reader struct {
		_ struct{} `mcp:"readOnly,scopes=read"`
	}
	Slow struct {
		_ struct{} `mcp:"timeout=1h"`
	}
)

// TestInheritedTags: a tool has what the structs say that its arguments embed.
func TestInheritedTags(t *testing.T) {
	t.Parallel()
	type byValue struct {
		Guarded
		X int `json:"x,omitempty"`
	}
	type byPointer struct {
		*Middle
	}
	type underName struct {
		Slow    `json:"slow,omitzero"`
		Wrapper `json:"-"`
	}
	type generic[T any] struct {
		_ struct{} `mcp:"name=g"`
		Guarded
		T T `json:"t,omitempty"`
	}
	for _, test := range []struct {
		reason string
		tool   *mcptool.Tool
	}{
		{"by value", takes[byValue](t)},
		{"by pointer", takes[byPointer](t)},
		{"the argument is a pointer", takes[*byValue](t)},
		{"over two structs", takes[deep](t)},
		{"a generic struct", takes[generic[string]](t)},
		{"with an option that says the same", takes[byValue](t, mcptool.Scopes("admin"), mcptool.Destructive(true))},
		{"left out of the JSON", takes[underName](t)},
	} {
		if hint := test.tool.Annotations().DestructiveHint; hint == nil || !*hint || !slices.Equal(test.tool.Scopes(), []string{"admin"}) {
			t.Errorf("%s: destructive %v, scopes %q; want those of the embedded struct", test.reason, hint, test.tool.Scopes())
		}
		if _, err := test.tool.Call(t.Context(), json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s: the user was not asked first", test.reason)
		}
	}
	all := takes[struct{ limited }](t)
	hints := all.Annotations()
	rate, _ := all.RateLimit()
	if all.Timeout() != 5*time.Second || rate.Calls != 2 || all.Concurrent() != 3 || !all.AuditArguments() ||
		hints.IdempotentHint == nil || !*hints.IdempotentHint || hints.OpenWorldHint == nil || *hints.OpenWorldHint {
		t.Errorf("got timeout %v, rate %v, concurrent %d, hints %+v; want those of the embedded struct", all.Timeout(), rate, all.Concurrent(), hints)
	}
	if timeout := takes[underName](t).Timeout(); timeout != time.Hour {
		t.Errorf("got timeout %v; want that of the embedded struct, whatever its JSON name", timeout)
	}
}

// Wrapper embeds what protects.
type Wrapper struct{ Guarded }

// takes defines a tool with arguments of this type.
func takes[In any](t *testing.T, opts ...mcptool.Option) *mcptool.Tool {
	t.Helper()
	return mustNew(t, func(context.Context, In) (None, error) { return None{}, nil }, append(opts, mcptool.Name("g"))...)
}

// TestOverriddenTags: an outer struct wins.
func TestOverriddenTags(t *testing.T) {
	t.Parallel()
	type outer struct {
		_ struct{} `mcp:"title=Own,destructive=false,scopes=admin write,askFirst=Sure?,timeout=1m" doc:"Own"`
		Guarded
		Slow
		Other
	}
	tool := takes[outer](t)
	if hint := tool.Annotations().DestructiveHint; hint == nil || *hint || !slices.Equal(tool.Scopes(), []string{"admin", "write"}) || tool.Timeout() != time.Minute {
		t.Errorf("got destructive %v, scopes %q, timeout %v; want what the outer struct says", hint, tool.Scopes(), tool.Timeout())
	}
	if tool.Title() != "Own" || tool.Description() != "Own" {
		t.Errorf("got title %q, description %q; want those of the outer struct", tool.Title(), tool.Description())
	}
	type agreeing struct {
		Slow
		SlowToo
	}
	if timeout := takes[agreeing](t).Timeout(); timeout != time.Hour {
		t.Errorf("got timeout %v, want what both say", timeout)
	}
}

type (
	Other struct {
		_ struct{} `mcp:"title=Other" doc:"Other"`
	}
	SlowToo struct {
		_ struct{} `mcp:"timeout=60m"`
	}
	Quick struct {
		_ struct{} `mcp:"timeout=1s"`
	}
	// around decides for itself what its embedded struct is about.
	around struct {
		_ struct{} `mcp:"timeout=2s"`
		Quick
	}
	misspelt struct {
		_ struct{} `mcp:"scope=admin"`
	}
	asksAboutPath struct {
		_ struct{} `mcp:"askFirst=Delete {path}?"`
	}
)

// TestInheritedTagMistakes: what cannot be inherited is told.
func TestInheritedTagMistakes(t *testing.T) {
	t.Parallel()
	type named struct {
		_ struct{} `mcp:"name=base,title=Base,description=D"`
	}
	type described struct {
		_ struct{} `jsonschema_description:"D"`
	}
	name := mcptool.Name("n")
	for _, test := range []struct {
		reason string
		got    *mcptool.RegisterError
		want   []string
	}{
		{"what belongs to one tool", refusedBy[struct{ named }](t), []string{
			"the mcp tag of mcptool_test.named sets a name for every tool", "sets a title", "sets a description", "the func is a literal",
		}},
		{"a description of an embedded struct", refusedBy[struct{ described }](t, name), []string{"the jsonschema_description tag of mcptool_test.described sets a description"}},
		{"two that disagree", refusedBy[struct {
			Slow
			Quick
		}](t, name), []string{`the mcp tag of mcptool_test.Slow sets timeout=1h0m0s, and the mcp tag of mcptool_test.Quick sets timeout=1s, and both are embedded; write timeout in the mcp tag of`}},
		{"a deeper one is not overridden by what stands beside it", refusedBy[struct {
			Slow
			around
		}](t, name), []string{"the mcp tag of mcptool_test.around sets timeout=2s"}},
		{"scopes that disagree", refusedBy[struct {
			Guarded
			reader
		}](t, name), []string{
			"mcptool_test.reader sets scopes=[read], and both are embedded", "read-only by the mcp tag of mcptool_test.reader and destructive by the mcp tag of mcptool_test.Guarded",
		}},
		{"a scope that gets lost", refusedBy[struct {
			_ struct{} `mcp:"scopes=read"`
			Guarded
		}](t, name), []string{`mcptool_test.Guarded requires the scope "admin", and`}},
		{"a scope that gets lost below", refusedBy[struct{ losing }](t, name), []string{`mcptool_test.Guarded requires the scope "admin", and mcptool_test.losing, which embeds it, does not; list all`}},
		{"hints that contradict", refusedBy[struct {
			_ struct{} `mcp:"readOnly"`
			Guarded
		}](t, name), []string{"read-only by the mcp tag and destructive by the mcp tag of mcptool_test.Guarded"}},
		{"an option that says something else", refusedBy[struct{ Guarded }](t, name, mcptool.Scopes("read"), mcptool.Destructive(false)), []string{
			"the mcp tag of mcptool_test.Guarded sets [admin], and the option Scopes sets [read]", "the option Destructive sets false",
		}},
		{"a slip", refusedBy[struct{ misspelt }](t, name), []string{"mcptool_test.misspelt._: `mcp:\"scope=admin\"`: unknown key \"scope\"; write scopes"}},
		{"a question about an argument that this tool lacks", refusedBy[struct{ asksAboutPath }](t, name), []string{`the mcp tag of mcptool_test.asksAboutPath: there is no argument "path"`}},
	} {
		t.Run(test.reason, func(t *testing.T) { wantMistakes(t, test.got, test.want...) })
	}
}

type losing struct {
	_ struct{} `mcp:"scopes=write"`
	Guarded
}

// TestToolTagsElsewhere: an mcp tag of a struct that is no tool's argument struct is told wherever it is.
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
	part := "the mcp tag describes a tool by its argument struct, and mcptool_test.tagged is only a part of one"
	for _, test := range []struct {
		reason string
		got    *mcptool.RegisterError
		want   string
	}{
		{"nested", refusedBy[struct{ A tagged }](t, mcptool.Name("n")), part},
		{"elements", refusedBy[struct{ A []*tagged }](t, mcptool.Name("n")), part},
		{"values of a map", refusedBy[struct{ A map[string][2]tagged }](t, mcptool.Name("n")), part},
		{"the argument is a map", refusedBy[map[string]tagged](t, mcptool.Name("n")), part},
		{"embedded in what is nested", refusedBy[struct{ A embedding }](t, mcptool.Name("n")), "mcptool_test.embedding.tagged._ (A): `mcp:\"scopes=admin\"`: the mcp tag describes a tool by its argument struct, and mcptool_test.embedding is only a part"},
		{"the result embeds it", answeredBy[embedding](t), "mcptool_test.embedding.tagged._: `mcp:\"scopes=admin\"`: the mcp tag is on the result type; move it to the argument struct"},
		{"in the result", answeredBy[map[string]tagged](t), "the mcp tag describes a tool by its argument struct, and mcptool_test.tagged is a part of a result"},
		{"by OutputType", registerError(t, nil, errorOf(mcptool.New(func(context.Context, None) (*mcptool.Result, error) { return nil, nil }, mcptool.Name("n"), mcptool.OutputType[tagged]()))), "the mcp tag is on the result type"},
	} {
		t.Run(test.reason, func(t *testing.T) { wantMistakes(t, test.got, test.want) })
	}
	if scopes := takes[recursive](t).Scopes(); !slices.Equal(scopes, []string{"admin"}) {
		t.Errorf("a struct that holds itself has scopes %q, want admin", scopes)
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
		}](t).Description(),
		"jsonschema_description": takes[struct {
			_ struct{} `jsonschema_description:"D"`
		}](t).Description(),
		"jsonschema": takes[struct {
			_ struct{} `jsonschema:"title=T,description=D"`
		}](t).Description(),
		"jsonschema, prose": takes[struct {
			_ struct{} `jsonschema:"D"`
		}](t).Description(),
	} {
		if got != "D" {
			t.Errorf("%s: the description is %q, want D", key, got)
		}
	}
}
