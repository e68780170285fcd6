package mcptool_test

import (
	"context"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestScopes(t *testing.T) {
	t.Parallel()
	type plain struct {
		_ struct{} `mcp:"name=n"`
	}
	type tagged struct {
		_ struct{} `mcp:"name=n,scopes= notes:write  notes:read ,readOnly"`
	}
	scopesOf := func(tool *mcptool.Tool) []string { return tool.Info().Scopes }
	do := func(context.Context, plain) (None, error) { return None{}, nil }
	doTagged := func(context.Context, tagged) (None, error) { return None{}, nil }
	for _, test := range []struct {
		reason string
		got    []string
		want   []string
	}{
		{"none by default", scopesOf(mustNew(t, do)), nil},
		{"by option", scopesOf(mustNew(t, do, mcptool.Scopes("b", "a"))), []string{"a", "b"}},
		{"in the tag, separated by spaces", scopesOf(mustNew(t, doTagged)), []string{"notes:read", "notes:write"}},
		{"of the tag and of two options", scopesOf(mustNew(t, doTagged, mcptool.Scopes("team:a", "notes:read"), mcptool.Scopes("admin"))), []string{"admin", "notes:read", "notes:write", "team:a"}},
		{"the same in tag and option, in another order", scopesOf(mustNew(t, doTagged, mcptool.Scopes("notes:read", "notes:write"))), []string{"notes:read", "notes:write"}},
		{"a URL", scopesOf(mustNew(t, do, mcptool.Scopes("https://api.example.com/mail.read"))), []string{"https://api.example.com/mail.read"}},
	} {
		if !slices.Equal(test.got, test.want) || (test.got == nil) != (test.want == nil) {
			t.Errorf("%s: got %q, want %q", test.reason, test.got, test.want)
		}
	}
}

// TestScopesAreCopied: a tool does not change when slices passed to or returned from it are modified.
func TestScopesAreCopied(t *testing.T) {
	t.Parallel()
	given := []string{"b", "a"}
	tool := mustNew(t, func(context.Context, None) (None, error) { return None{}, nil }, mcptool.Name("n"), mcptool.Scopes(given...))
	given[0], given[1] = "x", "y"
	tool.Info().Scopes[0] = "z"
	if got := tool.Info().Scopes; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("scopes = %q after modification", got)
	}
}

func TestScopeMistakes(t *testing.T) {
	t.Parallel()
	type plain struct {
		_ struct{} `mcp:"name=n"`
	}
	type empty struct {
		_ struct{} `mcp:"name=n,scopes="`
	}
	type bare struct {
		_ struct{} `mcp:"name=n,scopes"`
	}
	type slip struct {
		_ struct{} `mcp:"name=n,scope=a"`
	}
	type tagged struct {
		_ struct{} `mcp:"name=n,scopes=a b"`
	}
	for _, test := range []struct {
		reason string
		got    *mcptool.RegisterError
		want   []string
	}{
		{"an option without scopes", refusedBy[plain](t, mcptool.Scopes()), []string{"the option Scopes sets no scopes; list at least one, or leave it out"}},
		{"a key without scopes", refusedBy[empty](t), []string{"the mcp tag sets no scopes"}},
		{"a key without a value", refusedBy[bare](t), []string{"scopes has no value; write scopes=…"}},
		{"misspelled key", refusedBy[slip](t), []string{`unknown key "scope"; write scopes`}},
		{"two scopes in one string", refusedBy[plain](t, mcptool.Scopes("a b")), []string{`"a b" is not a valid scope`}},
		{"empty scope", refusedBy[plain](t, mcptool.Scopes("")), []string{`"" is not a valid scope`}},
		{"characters that a header cannot quote", refusedBy[plain](t, mcptool.Scopes(`a"b`, `a\b`, "ä")), []string{`"a\"b" is not a valid scope`, `"a\\b" is not a valid scope`, `"ä" is not a valid scope`}},
		{"invalid scope beside the tag", refusedBy[tagged](t, mcptool.Scopes("c d")), []string{`"c d" is not a valid scope`}},
		{"duplicate scope", refusedBy[plain](t, mcptool.Scopes("a", "b", "a")), []string{`"a" is listed twice; list it once`}},
		{"T-AUTH-11 refresh token scope", refusedBy[plain](t, mcptool.Scopes("offline_access")), []string{`"offline_access" requests a refresh token`}},
	} {
		t.Run(test.reason, func(t *testing.T) { wantMistakes(t, test.got, test.want...) })
	}
}
