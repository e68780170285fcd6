package scope_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/scope"
)

func TestProblem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"admin":                               "",
		"notes:read":                          "",
		"https://api.example.com/mail.read?a": "",
		"!#$%&'()*+,-./[]^_`{|}~":             "",
		"":                                    "is not a valid scope",
		" ":                                   "is not a valid scope",
		"a b":                                 "is not a valid scope",
		"a\tb":                                "is not a valid scope",
		"a\x00":                               "is not a valid scope",
		"a\x7f":                               "is not a valid scope",
		`a"b`:                                 "is not a valid scope",
		`a\b`:                                 "is not a valid scope",
		"ä":                                   "is not a valid scope",
		"\xff":                                "is not a valid scope",
		"offline_access":                      "requests a refresh token and grants no access",
	} {
		reason, fix := scope.Problem(name)
		if reason != want {
			t.Errorf("%q: got %q, want %q", name, reason, want)
		}
		if (reason == "") != (fix == "") {
			t.Errorf("%q: the problem %q has the fix %q", name, reason, fix)
		}
	}
}
