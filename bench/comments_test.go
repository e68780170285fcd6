package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bench comments writes a file, and --check reports whether it is missing, out of date or up to
// date.
func TestCommentsCommand(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source := "package app\n\nimport \"context\"\n\n// Add adds.\nfunc Add(context.Context, struct{ A, B int }) (int, error) { return 0, nil }\n"
	write("go.mod", "module example.com/app\n\ngo 1.26.0\n")
	write("app.go", source)
	path := filepath.Join(dir, "comments_gen.go")
	for _, test := range []struct {
		before       func()
		args         []string
		code         int
		out, problem string
		reason       string
	}{
		{nil, []string{"--check"}, exitNo, "", path + " is missing or stale; the same command without --check writes it", "there is no file"},
		{nil, nil, exitOK, "wrote " + path + " (1 comment)", "", "it is written"},
		{nil, []string{"--check"}, exitOK, "up to date: " + path + " (1 comment)", "", "nothing has changed"},
		{func() { write("app.go", strings.Replace(source, "adds", "sums", 1)) }, []string{"--check"}, exitNo, "Sums.", " is missing or stale", "the difference is shown"},
		{nil, []string{"--out", "a/b.go"}, exitUsage, "", "--out is the name of a Go file in the directory of the package", "it belongs to the package"},
		{nil, []string{"--out", "comments.txt"}, exitUsage, "", "--out is the name of a Go file", "it is compiled"},
		{func() { write("app.go", "package app\n") }, nil, exitUsage, "", dir + ": no comments of tools", "the error names the directory"},
	} {
		if test.before != nil {
			test.before()
		}
		code, out, problem := benched(t, append([]string{"comments", dir}, test.args...)...)
		if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(problem, test.problem) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; %s", test.args, code, out, problem, test.reason)
		}
	}
}
