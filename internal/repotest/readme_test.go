package repotest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
)

// blockFrom returns the first block of a document with a marker.
func blockFrom(t *testing.T, document, marker string) block {
	t.Helper()
	for _, b := range blocksOf(document, readText(t, document)) {
		if b.marker == marker {
			return b
		}
	}
	t.Fatalf("%s has no block under <!-- %s -->", document, marker)
	return block{}
}

// TestReadmeRun runs the README's command that shows a real tool call and compares its output.
func TestReadmeRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the example and bench with go run")
	}
	command := strings.TrimSpace(blockFrom(t, readme, "the run command").text)
	want := blockFrom(t, readme, "what it prints").text
	cmd := exec.CommandContext(t.Context(), shell(t), "-c", command)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, stderr.String())
	}
	if string(out) != want {
		t.Errorf("%s printed\n%s\nREADME.md promises\n%s", command, out, want)
	}
}

// TestIndexes checks that the index of the examples lists every example, and the index of the guides every guide.
func TestIndexes(t *testing.T) {
	mains, err := filepath.Glob("examples/*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	index := readText(t, examplesIndex)
	for _, main := range mains {
		if name := filepath.Base(filepath.Dir(main)); !strings.Contains(index, "\n["+name+"]("+name+"): ") {
			t.Errorf("%s does not list the example %s", examplesIndex, name)
		}
	}
	const guidesIndex = "docs/README.md"
	index = readText(t, guidesIndex)
	for _, guide := range userDocuments(t) {
		if name, ok := strings.CutPrefix(guide, "docs/"); ok && guide != guidesIndex && !strings.Contains(index, "]("+name+")") {
			t.Errorf("%s does not list %s", guidesIndex, guide)
		}
	}
}

// TestBreakingChange compares the change shown in docs/testing.md with the report of AssertCompatible.
func TestBreakingChange(t *testing.T) {
	raw, err := os.ReadFile("examples/weather/testdata/tools.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(raw), `"maxLength": 80`, `"maxLength": 40`, 1)
	changed = regexp.MustCompile(`"celsius",\s*"fahrenheit"`).ReplaceAllString(changed, `"celsius"`)
	was, err := compat.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	is, err := compat.Parse([]byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	shown := blockFrom(t, "docs/testing.md", "what a change breaks")
	if got := compat.Report(compat.Compare(was, is), compat.MayBreak); got != shown.text {
		t.Error(shown.problem("the report is\n%s\nand the document shows\n%s", got, shown.text))
	}
}
