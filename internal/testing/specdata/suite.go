package specdata

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// SuiteDir returns the directory of the JSON Schema test suite, or skips the test.
func SuiteDir(t *testing.T) string {
	t.Helper()
	return Require(t, "jsonschema-suite")
}

// A SuiteGroup is a schema of the suite with valid and invalid values.
type SuiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// SuiteFiles reads the required tests below a folder of the suite, such as draft2020-12, by file.
func SuiteFiles(t *testing.T, dir string) map[string][]SuiteGroup {
	t.Helper()
	files := map[string][]SuiteGroup{}
	err := filepath.WalkDir(filepath.Join(SuiteDir(t), dir), func(path string, d fs.DirEntry, err error) error {
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
		var groups []SuiteGroup
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
