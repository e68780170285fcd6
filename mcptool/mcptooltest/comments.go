package mcptooltest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generateLine matches the line of a Go file that makes go generate run bench comments.
var generateLine = regexp.MustCompile(`(?m)^//go:generate (.*\bbench comments\b.*)$`)

// CheckComments fails if a file with doc comments (package
// [github.com/mcptool-go/mcptool/reflectschema/doccomment]) is missing or out of date. For each
// line //go:generate … bench comments … in the Go files of the package under test, it runs that
// command with the flag --check. It also fails if there is no such line.
//
//	func TestComments(t *testing.T) { mcptooltest.CheckComments(t) }
//
// The go command repeats the test, instead of using its cached result, after a change of any Go
// file in the module.
func CheckComments(tb testing.TB) {
	tb.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		tb.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // a file of the package under test
		if err != nil {
			tb.Fatal(err)
		}
		for _, line := range generateLine.FindAllSubmatch(text, -1) {
			checked++
			args := append(strings.Fields(string(line[1])), "--check")
			if out, err := exec.CommandContext(tb.Context(), args[0], args[1:]...).CombinedOutput(); err != nil { //nolint:gosec // the author's own command
				tb.Errorf("run go generate: %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
	}
	if checked == 0 {
		tb.Errorf("no Go file here has the line //go:generate go tool bench comments")
	}
	watchModule()
}

// watchModule reads the directories of the module under test: the go command records which ones a
// test reads, and does not use a cached result after a change of a file in one.
func watchModule() {
	root, err := filepath.Abs(".")
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			break
		}
		above := filepath.Dir(root)
		if above == root {
			return
		}
		root = above
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir // at worst a cached result is used
		}
		return nil
	})
}
