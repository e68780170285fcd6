// Package jsonsuite reads the official JSON Schema test suite, which is stored outside the repository. Only tests
// import it.
package jsonsuite

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/internal/specdata"
)

// Dir returns the directory of the test suite, or skips the test.
func Dir(t *testing.T) string {
	t.Helper()
	return specdata.Require(t, "jsonschema-suite")
}

// A Group is a schema of the suite with valid and invalid values.
type Group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// Files reads the required tests below a folder of the suite, such as draft2020-12, by file.
func Files(t *testing.T, dir string) map[string][]Group {
	t.Helper()
	files := map[string][]Group{}
	err := filepath.WalkDir(filepath.Join(Dir(t), dir), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "optional":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path) //nolint:gosec // used only by tests
		if err != nil {
			return err
		}
		var groups []Group
		if err := json.Unmarshal(data, &groups); err != nil {
			return err
		}
		files[filepath.Base(path)] = groups
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
