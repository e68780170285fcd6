package repotest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/golden"
	"github.com/mcptool-go/mcptool/internal/publicapi"
)

// TestAPI holds what each package exports against api/, so that a change of the API is seen in review. Run the test with
// -update to write the files anew.
func TestAPI(t *testing.T) {
	var dirs []string
	walkGo(t, func(path string) {
		if dir := filepath.ToSlash(filepath.Dir(path)); isPublic(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	})
	var files []string
	for _, dir := range dirs {
		lines, err := publicapi.List(dir)
		if err != nil {
			t.Fatal(err)
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

// isPublic reports whether users import the package in a directory. The commands and the examples are no packages to import.
func isPublic(dir string) bool {
	parts := strings.Split(dir, "/")
	return dir != "integrations/copytasks" && !slices.Contains(parts, "internal") && !slices.Contains([]string{"bench", "examples"}, parts[0])
}
