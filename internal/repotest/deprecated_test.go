package repotest_test

import (
	"regexp"
	"strings"
	"testing"
)

// deprecatedRow matches a row of the table of deprecated names in docs/versions.md.
var deprecatedRow = regexp.MustCompile("(?m)^\\| (`[a-z]+\\.\\w+`(?:, `[a-z]+\\.\\w+`)*) \\|")

// TestDeprecated checks that each name in the table of docs/versions.md has a Deprecated paragraph in its documentation.
func TestDeprecated(t *testing.T) {
	rows := deprecatedRow.FindAllStringSubmatch(readText(t, "docs/versions.md"), -1)
	if len(rows) < 3 {
		t.Fatalf("docs/versions.md has %d rows of deprecated names, want at least 3", len(rows))
	}
	for _, row := range rows {
		for _, name := range strings.Split(row[1], ", ") {
			dir, symbol, _ := strings.Cut(strings.Trim(name, "`"), ".")
			if !strings.Contains(docsOf(t, dir)[symbol], "\n\nDeprecated: ") {
				t.Errorf("docs/versions.md lists %s as deprecated, but its documentation has no Deprecated paragraph", name)
			}
		}
	}
}
