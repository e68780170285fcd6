package main

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// Flags answer the questions of a server, without a terminal and on one.
func TestAnswers(t *testing.T) {
	t.Parallel()
	url := cafe(t)
	for _, test := range []struct {
		name   string
		args   string
		typed  string
		person bool
		code   int
		out    string // substring
		err    string // whole
	}{
		{"a form", "pay --answer digit=7 --answer kind=v --answer name=Ada", "", false, 0, "{v 7 Ada}", "The server asks: Which card?\n"},
		{"a form by a title, with its defaults", "pay --answer digit=7", "", false, 0, "{m 7 }", "The server asks: Which card?\n"},
		{"a choice by its title", "pay --answer digit=7 --answer kind=visa", "", false, 0, "{v 7 }", "The server asks: Which card?\n"},
		{"a text that looks like a number", "pay --answer digit=7 --answer name=42", "", false, 0, "{m 7 42}", "The server asks: Which card?\n"},
		{"a required field without a default", "pay --answer kind=v", "", false, 2, "", "The server asks: Which card?\nbench: the server asks for digit (integer), which has no default; give it with --answer digit=VALUE\n"},
		{"a required field without a default, with --yes", "pay --yes", "", true, 2, "", "\nThe server asks: Which card?\nbench: the server asks for digit (integer), which has no default; give it with --answer digit=VALUE\n"},
		{"a value out of range is not shown", "pay --answer digit=4711", "", false, 2, "", "The server asks: Which card?\nbench: --answer digit: must be at most 9\n"},
		{"a value of another type is not shown", "pay --answer digit=s3cret", "", true, 2, "", "\nThe server asks: Which card?\nbench: --answer digit: must be an integer\n"},
		{"a value that is not a choice is not shown", "pay --answer digit=7 --answer kind=s3cret", "", false, 2, "", "The server asks: Which card?\nbench: --answer kind: the value is not one for kind (v|m)\n"},
		{"a value that is missing", "pay --answer digit=", "", false, 2, "", "The server asks: Which card?\nbench: --answer digit: the value is not one for digit (integer)\n"},
		{"another field", "pay --answer dgit=7", "", false, 1, "", "bench: the server asks \"Which card?\"; nobody is at a terminal to answer, so it is declined; --answer NAME=VALUE fills in kind, digit, name, and --yes accepts the defaults\nbench: --answer dgit is not used: the server has not asked for it\nbench: pay returned an error\n"},
		{"an answer without a value", "pay --answer s3cret/4711", "", false, 2, "", "bench: --answer is of the form NAME=VALUE, and each NAME is there once\n"},
		{"an answer twice", "pay --answer digit=4711 --answer digit=4712", "", false, 2, "", "bench: --answer is of the form NAME=VALUE, and each NAME is there once\n"},
		{"the other fields are asked for on a terminal", "pay --answer digit=7", "1\nAda\n", true, 0, "{v 7 Ada}", "\nThe server asks: Which card?\nWhich card\n  1) Visa (v)\n  2) Master (m)\nkind (a number; default Master): name (string; may be left out): "},
		{"a confirmation", "clean --yes", "", false, 0, "cleaned", "The server asks: Clean it?\n  It takes a while.\n"},
		{"a confirmation on a terminal", "clean -y", "", true, 0, "cleaned", "\nThe server asks: Clean it?\n  It takes a while.\n"},
		{"a confirmation with no", "clean --yes --answer confirm=no", "", false, 1, "", "The server asks: Clean it?\n  It takes a while.\nbench: clean returned an error\n"},
		{"a confirmation, declined", "clean", "", false, 1, "declined", "bench: the server asks \"Clean it? It takes a while.\"; nobody is at a terminal to answer, so it is declined; --yes accepts it\nbench: clean returned an error\n"},
		{"a URL", "visit --yes", "", false, 0, "paid", "The server asks: Pay there\nOpen this in a browser, if you trust it:\n  https://pay.example/1\n"},
		{"a URL, declined", "visit --answer kind=v", "", false, 1, "declined", "bench: the server asks \"Pay there\"; nobody is at a terminal to answer, so it is declined; --yes accepts it\nbench: --answer kind is not used: the server has not asked for it\nbench: visit returned an error\n"},
		{"nothing is asked", "order size=s count=1 hot=true with=[] --yes", "", false, 0, "said", ""},
	} {
		for _, era := range []string{"modern", "legacy"} {
			t.Run(test.name+" "+era, func(t *testing.T) {
				t.Parallel()
				args := append([]string{"call", url, "--era", era, "--timeout", "2m"}, strings.Fields(test.args)...)
				code, out, stderr := bench(t, test.typed, test.person, args...)
				if code != test.code || !strings.Contains(out, test.out) || stderr != test.err {
					t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %q\nwant    %q", code, test.code, out, stderr, test.err)
				}
			})
		}
	}
}

// Prompts and resources ask questions as well.
func TestAnswersOfPromptsAndResources(t *testing.T) {
	t.Parallel()
	url := serveFake(t, fakeserver.New())
	inBothEras(t, func(t *testing.T, era string) {
		t.Helper()
		code, out, problems := benched(t, "prompt", "ask", url, "--era", era, "--answer", "name=Ada")
		if code != 0 || out != "user:\n  Hello Ada\n" {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
		code, out, problems = benched(t, "read", "note://7", url, "--era", era, "--answer", "name=Ada")
		if code != 0 || out != "# Seven\n" || problems != "bench: --answer name is not used: the server has not asked for it\n" {
			t.Errorf("exit code %d\n%s%s", code, out, problems)
		}
	})
}
