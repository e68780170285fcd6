package house_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
)

// TestReadmeLength keeps the README short enough for a visitor: what goes into detail has its place in a guide, and each
// guide is linked from the README.
func TestReadmeLength(t *testing.T) {
	const most = 250
	text := readText(t, readme)
	if lines := strings.Count(text, "\n"); lines > most {
		t.Errorf("README.md has %d lines, want at most %d", lines, most)
	}
	for _, guide := range userDocuments(t)[1:] {
		if !strings.Contains(text, "]("+guide+")") {
			t.Errorf("README.md does not link to %s", guide)
		}
	}
}

// linesOf returns how many lines of a text are not blank.
func linesOf(text string) int {
	lines := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return lines
}

// blockFrom returns the first block of a document that has a marker.
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

// TestReadmeSmallest keeps the first program of the README at 20 lines that are not blank, and the safe server of its guide
// at 10 more. Both are whole files.
func TestReadmeSmallest(t *testing.T) {
	small := blockFrom(t, readme, "examples/calculator/main.go")
	safe := blockFrom(t, "docs/safety.md", "examples/safe/main.go")
	for _, b := range []block{small, safe} {
		if readText(t, b.marker) != b.text {
			t.Error(b.problem("this is not the whole of %s", b.marker))
		}
	}
	if lines := linesOf(small.text); lines > 20 {
		t.Error(small.problem("the first server has %d lines that are not blank, want at most 20", lines))
	}
	if lines := linesOf(safe.text) - linesOf(small.text); lines > 10 {
		t.Error(safe.problem("the safe server has %d lines more than the first, want at most 10", lines))
	}
}

// TestReadmeRun runs the command of the README that shows a real tool call, and compares what it prints.
func TestReadmeRun(t *testing.T) {
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

// TestReadmeTests checks the command of the README that runs the tests: it has those of every module of go.work, and is
// what make test runs. (The gate runs the command itself, as it is written there.)
func TestReadmeTests(t *testing.T) {
	command := strings.TrimSpace(blockFrom(t, readme, "the test command").text)
	for _, module := range regexp.MustCompile(`(?m)^\t(\.\S*)$`).FindAllStringSubmatch(readText(t, "go.work"), -1) {
		if !strings.Contains(command+" ", " "+module[1]+"/... ") {
			t.Errorf("%s does not test %s", command, module[1])
		}
	}
	packages, ok := strings.CutPrefix(command, "go test ")
	if !ok || !strings.Contains(readText(t, "Makefile"), "\nALL := "+packages+"\n") {
		t.Errorf("make test runs other tests than %s", command)
	}
}

// TestBreakingChange compares what docs/testing.md shows of a change with what AssertCompatible reports of it.
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
