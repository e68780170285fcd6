package main

import (
	"strings"
	"testing"
)

func TestHintsOfCommandLines(t *testing.T) {
	t.Parallel()
	s, url := newStage(t, safeTool)
	s.answers["look"] = func(int) string { return `"result":{"content":[]}` }
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"call", "get_weather"}, exitUsage, "as in: bench call get_weather -- go run"},
		{[]string{"run", "-n", "0", url}, exitUsage, "--calls is 1 or more"},
		{[]string{"run", "--calls=-1", url}, exitUsage, "--calls is 1 or more"},
		{[]string{"call", "look", url}, exitOK, "(empty result)\n"},
	} {
		if code, out, problems := benched(t, test.args...); code != test.code || !strings.Contains(out+problems, test.want) {
			t.Errorf("%q: exit code %d, want %d and %q\n%s%s", test.args, code, test.code, test.want, out, problems)
		}
	}
}
