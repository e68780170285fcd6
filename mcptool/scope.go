package mcptool

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/scope"
)

// Scopes sets the scopes that a caller needs to use the tool, such as "notes:write" or "admin". The caller's access
// token must grant all of them. A server whose transport verifies callers hides the tool from other callers and refuses
// their calls. A server that trusts its peer, as over stdio, allows every call, as does [Tool.Call] without a server.
// In the tag, scopes are separated by spaces. By default every caller of the server can use the tool.
//
// A scope is a name that an authorization server defines, without spaces, quotes, backslashes and non-ASCII characters
// (RFC 6749, section 3.3).
func Scopes(scopes ...string) Option {
	return option(func(d *definition) { set(d, &d.scopes, "the option Scopes", sortScopes(scopes)) })
}

// sortScopes returns a sorted copy, so that the order does not matter when two sources set the same scopes. It is never
// nil: explicitly empty differs from unset, and is a mistake.
func sortScopes(scopes []string) []string {
	sorted := append([]string{}, scopes...)
	slices.Sort(sorted)
	return sorted
}

// Scopes returns a copy of the scopes that a caller needs, sorted; nil if there are none.
func (t *Tool) Scopes() []string { return slices.Clone(t.scopes) }

// checkScopes notes scopes that no token can grant.
func checkScopes(fs *findings, s *setting[[]string]) {
	if s.isSet() && len(s.value) == 0 {
		fs.add("scopes", s.source+" sets no scopes", "list at least one, or leave it out")
	}
	for i, name := range s.value {
		if reason, fix := scope.Problem(name); reason != "" {
			fs.add("scopes", fmt.Sprintf("%q %s", name, reason), fix)
		} else if i > 0 && s.value[i-1] == name {
			fs.add("scopes", fmt.Sprintf("%q is listed twice", name), "list it once")
		}
	}
}
