package mcptoolvet_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/mcptool-go/mcptool/integrations/mcptoolvet"
	"github.com/mcptool-go/mcptool/mcptool"
)

// TestAgree requires the analyzer and registration to find the same mistakes in the same fields, with the same texts.
func TestAgree(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("testdata/mistakes") // which does not exist: the source is in an overlay
	if err != nil {
		t.Fatal(err)
	}
	source := mistakesSource(t)
	registered := runMistakes(t, filepath.Join(dir, "main.go"), source)
	found := make([]map[string]bool, len(registered))
	starts := caseLines(source)
	for _, d := range diagnostics(t, map[string][]byte{filepath.Join(dir, "main.go"): []byte(source)}, dir) {
		at, _ := slices.BinarySearch(starts, d.line)
		if found[at-1] == nil {
			found[at-1] = map[string]bool{}
		}
		found[at-1][d.text] = true
	}
	total := 0
	for i, mistakes := range registered {
		total += len(mistakes)
		for _, m := range mistakes {
			if !strings.HasPrefix(m.Type, "func(") {
				m.Tool = ""
			}
			if !found[i][m.String()] {
				t.Errorf("case %d: only registration: %s", i+1, m)
			}
			delete(found[i], m.String())
		}
		for text := range found[i] {
			t.Errorf("case %d: only the analyzer: %s", i+1, text)
		}
	}
	if total < 300 {
		t.Errorf("%d mistakes, want at least 300", total)
	}
	t.Logf("%d calls, %d mistakes", len(registered), total)
}

// caseLines returns the lines at which the cases begin.
func caseLines(source string) (lines []int) {
	for i, line := range strings.Split(source, "\n") {
		if strings.HasPrefix(line, "// Case ") {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// runMistakes runs a program in a file that does not exist, and returns the mistakes that it prints for each case.
func runMistakes(t *testing.T, file, source string) (mistakes [][]mcptool.Mistake) {
	t.Helper()
	dir := t.TempDir()
	written := filepath.Join(dir, "main.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: written}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{written: []byte(source), filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-overlay="+filepath.Join(dir, "overlay.json"), filepath.Dir(file))
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v\n%s", err, failed.Stderr)
	}
	if err := json.Unmarshal(out, &mistakes); err != nil {
		t.Fatal(err)
	}
	return mistakes
}

// A diagnostic is a report of the analyzer.
type diagnostic struct {
	file      string
	line, col int
	base      int // position of the first byte of the file
	text      string
	fixes     []analysis.SuggestedFix
}

// diagnostics returns the reports of the analyzer for packages, with the contents of some files replaced.
func diagnostics(t *testing.T, overlay map[string][]byte, patterns ...string) (list []diagnostic) {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Overlay: overlay}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(loaded) > 0 {
		t.Fatal("the packages do not build")
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{mcptoolvet.Analyzer}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			t.Fatal(action.Err)
		}
		for _, d := range action.Diagnostics {
			p := action.Package.Fset.Position(d.Pos)
			list = append(list, diagnostic{filepath.Base(p.Filename), p.Line, p.Column, action.Package.Fset.File(d.Pos).Base(), d.Message, d.SuggestedFixes})
		}
	}
	return list
}
