package thirdparty_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// containsAll reports whether a text contains all the words.
func containsAll(text string, words ...string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// TestDocs writes the pages of servers of every framework and then checks that they are up to date. Tools that take
// long, or change the server's state, are skipped.
func TestDocs(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s server) { //nolint:thelper // it is the body of a subtest
		dir := t.TempDir()
		args := []string{"docs", "--out", dir}
		_, list, _ := runBench(t, append([]string{"list", "--json"}, s.benchArguments()...)...)
		for _, slow := range []string{"trigger-long-running-operation", "wait_for_note", "gzip-file-as-resource"} {
			if strings.Contains(list, fmt.Sprintf("%q: %q", "name", slow)) || strings.Contains(list, fmt.Sprintf("%q:%q", "name", slow)) { // --skip requires an existing tool
				args = append(args, "--skip", slow)
			}
		}
		if code, out, problems := runBench(t, append(args, s.benchArguments()...)...); code != 0 || !strings.HasPrefix(out, "wrote ") {
			t.Fatalf("exit code %d, %s%s", code, out, problems)
		}
		want := []string{s.tool}
		if s.tool == "" {
			want = []string{s.asking}
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
		if code, out, problems := runBench(t, append(append(args, "--check"), s.benchArguments()...)...); code != 0 || !strings.HasPrefix(out, "up to date") {
			t.Errorf("--check: exit code %d, %s%s", code, out, problems)
		}
	})
}

// TestLint lints the tools of servers of every framework.
func TestLint(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s server) { //nolint:thelper // it is the body of a subtest
		code, out, problems := runBench(t, append([]string{"lint", "--profile", "all", "--fail-on", "never", "--json"}, s.benchArguments()...)...)
		var report struct {
			Findings []struct{ Level, Rule, Found, Why, Fix string }
			Costs    []struct {
				Tool   string
				Bytes  int
				Tokens int `json:"estimatedTokens"`
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || problems != "" {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, out, problems)
		}
		found := false
		for _, c := range report.Costs {
			found = found || c.Tool == s.tool || c.Tool == s.asking
			if c.Bytes <= 0 || c.Tokens <= 0 {
				t.Errorf("%+v", c)
			}
		}
		if !found {
			t.Errorf("neither %q nor %q is among %v", s.tool, s.asking, report.Costs)
		}
		for _, f := range report.Findings {
			if f.Level == "none" || f.Rule == "" || f.Found == "" || f.Why == "" || f.Fix == "" {
				t.Errorf("a finding is incomplete: %+v", f)
			}
		}
	})
}
