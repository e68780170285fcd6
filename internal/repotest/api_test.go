package repotest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
)

// TestAPI compares the exported API of each package with api/, so that changes of the API show up in review, and checks
// the names of constants. Run the test with -update to rewrite the files.
func TestAPI(t *testing.T) {
	var dirs []string
	walkGo(t, func(path string) {
		if dir := filepath.ToSlash(filepath.Dir(path)); isPublic(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	})
	var files []string
	for _, dir := range dirs {
		lines, err := exportedNames(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if words := strings.Fields(line); words[0] == "const" && words[2] != "=" && !strings.HasPrefix(words[1], words[2]) {
				t.Errorf("%s: %s: its name has to begin with the name of its type", dir, line)
			}
		}
		name := strings.ReplaceAll(dir, "/", "_") + ".txt"
		files = append(files, name)
		golden.Open(t, filepath.Join("api", name)).Check(t, module+"/"+dir, strings.Join(lines, "\n"))
	}
	kept, err := filepath.Glob("api/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if !slices.Contains(files, filepath.Base(path)) {
			t.Errorf("%s lists no package that there is", path)
		}
	}
}

// isPublic reports whether the package in a directory is meant to be imported by users, unlike commands and examples.
func isPublic(dir string) bool {
	parts := strings.Split(dir, "/")
	return dir != "integrations/copytasks" && !slices.Contains(parts, "internal") && !slices.Contains(parts, "cmd") && !slices.Contains([]string{"bench", "examples"}, parts[0])
}
