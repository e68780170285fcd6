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
		"":                                    "is no scope",
		" ":                                   "is no scope",
		"a b":                                 "is no scope",
		"a\tb":                                "is no scope",
		"a\x00":                               "is no scope",
		"a\x7f":                               "is no scope",
		`a"b`:                                 "is no scope",
		`a\b`:                                 "is no scope",
		"ä":                                   "is no scope",
		"\xff":                                "is no scope",
		"offline_access":                      "asks for a refresh token and gives access to nothing",
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
