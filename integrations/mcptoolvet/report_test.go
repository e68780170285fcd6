package mcptoolvet_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
)

// TestReports compares reports and fixed sources with golden files: one mistake of each kind, at its position.
func TestReports(t *testing.T) {
	t.Parallel()
	found := diagnostics(t, nil, "./testdata/kinds")
	slices.SortFunc(found, func(a, b diagnostic) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col), strings.Compare(a.text, b.text))
	})
	var reports strings.Builder
	var edits []analysis.TextEdit
	for _, d := range found {
		fmt.Fprintf(&reports, "%s:%d:%d: %s\n", d.file, d.line, d.col, d.text)
		for _, f := range d.fixes {
			fmt.Fprintf(&reports, "\tfix: %s\n", f.Message)
			edits = append(edits, f.TextEdits...)
		}
	}
	g := golden.Open(t, "testdata/kinds.golden")
	g.Check(t, "reports", reports.String())
	g.Check(t, "fixed lines", fixed(t, "testdata/kinds/main.go", edits, found))
}

// fixed returns the lines that the edits change, after them.
func fixed(t *testing.T, file string, edits []analysis.TextEdit, found []diagnostic) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Split(string(source), "\n")
	base := found[0].base
	slices.SortFunc(edits, func(a, b analysis.TextEdit) int { return cmp.Compare(b.Pos, a.Pos) })
	for _, e := range edits {
		source = slices.Concat(source[:int(e.Pos)-base], e.NewText, source[int(e.End)-base:])
	}
	var changed strings.Builder
	for i, line := range strings.Split(string(source), "\n") {
		if line != old[i] {
			fmt.Fprintf(&changed, "%d: %s\n", i+1, strings.TrimSpace(line))
		}
	}
	return changed.String()
}

// TestNoReports holds that the analyzer is silent where the source does not show a mistake.
func TestNoReports(t *testing.T) {
	t.Parallel()
	for _, d := range diagnostics(t, nil, "./testdata/uses", "./testdata/registered", "./testdata/wrapped") {
		t.Errorf("%s:%d: %s", d.file, d.line, d.text)
	}
}
