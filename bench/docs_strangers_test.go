package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/lint"
	"github.com/mcptool-go/mcptool/bench/strangers"
)

// containsAll reports whether all words are in a text.
func containsAll(text string, words ...string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// TestDocsStrangers makes the pages of servers of every framework, and finds them up to date when
// it asks again. What takes long, or changes what the server knows, is left out.
func TestDocsStrangers(t *testing.T) {
	t.Parallel()
	strangers.Each(t, func(t *testing.T, s strangers.Server) { //nolint:thelper // it is the body of a subtest
		dir := t.TempDir()
		args := []string{"docs", "--out", dir}
		_, list, _ := benched(t, append([]string{"list", "--json"}, aimedAt(s.Target)...)...)
		for _, slow := range []string{"trigger-long-running-operation", "wait_for_note", "gzip-file-as-resource"} {
			if strings.Contains(list, fmt.Sprintf("%q: %q", "name", slow)) || strings.Contains(list, fmt.Sprintf("%q:%q", "name", slow)) { // a tool that is not there cannot be skipped
				args = append(args, "--skip", slow)
			}
		}
		if code, out, problems := benched(t, append(args, aimedAt(s.Target)...)...); code != exitOK || !strings.HasPrefix(out, "wrote ") {
			t.Fatalf("exit code %d, %s%s", code, out, problems)
		}
		want := []string{s.Tool}
		if s.Tool == "" {
			want = []string{s.Asks}
		}
		for _, name := range []string{"tools.md", "tools.html"} {
			page, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if !containsAll(string(page), want...) {
				t.Errorf("%s does not have %q:\n%s", name, want, page)
			}
		}
		if code, out, problems := benched(t, append(append(args, "--check"), aimedAt(s.Target)...)...); code != exitOK || !strings.HasPrefix(out, "up to date") {
			t.Errorf("--check: exit code %d, %s%s", code, out, problems)
		}
	})
}

// TestLintStrangers looks at the tools of servers of every framework.
func TestLintStrangers(t *testing.T) {
	t.Parallel()
	strangers.Each(t, func(t *testing.T, s strangers.Server) { //nolint:thelper // it is the body of a subtest
		code, out, problems := benched(t, append([]string{"lint", "--profile", "all", "--fail-on", "never", "--json"}, aimedAt(s.Target)...)...)
		var report struct {
			Findings []struct{ Level, Rule, Found, Why, Fix string }
			Costs    []lint.Cost
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitOK || problems != "" {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, out, problems)
		}
		found := false
		for _, c := range report.Costs {
			found = found || c.Tool == s.Tool || c.Tool == s.Asks
			if c.Bytes <= 0 || c.Tokens <= 0 {
				t.Errorf("%+v", c)
			}
		}
		if !found {
			t.Errorf("neither %q nor %q is among %v", s.Tool, s.Asks, report.Costs)
		}
		for _, f := range report.Findings {
			if f.Level == "none" || f.Rule == "" || f.Found == "" || f.Why == "" || f.Fix == "" {
				t.Errorf("a finding says too little: %+v", f)
			}
		}
	})
}
