package reflectschema

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sharedDir returns the directory that holds the test suite, or skips the test.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MCPTOOL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	dir = filepath.Join(dir, "jsonschema-suite")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the JSON Schema test suite is not beside this checkout (%v); set MCPTOOL_SHARED to the directory that has jsonschema-suite in it", err)
	}
	return dir
}

// TestSuite runs the required part of the official test suite through the same
// door as any value: front end, authority, report. Tests whose schemas need a
// document from the network are refused, because nothing is ever loaded.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, suite := range []struct {
		dir                   string
		dialect               *jsonschema.Draft
		right, wrong, refused int
	}{
		{"draft2020-12", dialect2020, 1250, 0, 49},
		{"draft7", dialectDraft7, 904, 0, 23},
	} {
		t.Run(suite.dir, func(t *testing.T) {
			t.Parallel()
			var right, wrong, refused int
			for file, groups := range suiteFiles(t, filepath.Join(sharedDir(t), suite.dir)) {
				for _, group := range groups {
					s := newSchemaIn(group.Schema, suite.dialect)
					if _, err := compileAuthority(group.Schema, suite.dialect); err != nil {
						if load := (*jsonschema.LoadURLError)(nil); !errors.As(err, &load) || !errors.Is(load.Err, errOutside) {
							t.Errorf("%s: %s: refused for another reason than a remote document: %v", file, group.Description, err)
						}
						refused += len(group.Tests)
						continue
					}
					for _, test := range group.Tests {
						valid := test.Valid && !assertsFormat(test.Description)
						if err := s.Check(test.Data); (err == nil) != (s.judge(test.Data) == nil) {
							t.Errorf("%s: %s: %s: Check and the authority do not agree", file, group.Description, test.Description)
						}
						if err := s.judge(test.Data); (err == nil) != valid {
							wrong++
							t.Errorf("%s: %s: %s: valid should be %t, got %v", file, group.Description, test.Description, valid, err)
							continue
						} else if err != nil {
							checkText(t, err)
						}
						right++
					}
				}
			}
			if right != suite.right || wrong != suite.wrong || refused != suite.refused {
				t.Errorf("right, wrong, refused = %d, %d, %d; want %d, %d, %d", right, wrong, refused, suite.right, suite.wrong, suite.refused)
			}
		})
	}
}

// assertsFormat reports whether we differ from the expectation of a test on
// purpose: 2020-12 leaves it to the reader whether formats are asserted, and we
// assert those we know. The names of the tests are the same in all drafts, but
// only those of 2020-12 expect "valid".
func assertsFormat(description string) bool {
	return strings.HasSuffix(description, " string is only an annotation by default") && !strings.HasPrefix(description, "invalid idn-")
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// suiteFiles reads the required tests below dir.
func suiteFiles(t *testing.T, dir string) map[string][]suiteGroup {
	t.Helper()
	files := map[string][]suiteGroup{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "optional":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []suiteGroup
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

// checkText holds what every answer promises against err.
func checkText(t *testing.T, err error) {
	t.Helper()
	invalid := (*InvalidError)(nil)
	if !errors.As(err, &invalid) {
		t.Errorf("error is %T: %v", err, err)
		return
	}
	text := invalid.Error()
	switch n := len(invalid.Violations); {
	case n == 0 || n > maxViolations || invalid.Total < n:
		t.Errorf("%d violations of %d in %q", n, invalid.Total, text)
	case text == "" || len(text) > maxText:
		t.Errorf("text of %d bytes: %q", len(text), text)
	case text != invalid.Error():
		t.Errorf("text changes: %q", text)
	}
	for _, leak := range []string{"urn:", documentURL, "json.Number", "map[", "interface", "0x", "%!"} {
		if strings.Contains(text, leak) {
			t.Errorf("text contains %q: %s", leak, text)
		}
	}
}
