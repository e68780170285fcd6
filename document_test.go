package house_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme and the guides in docs are the documents that users read. All of them are checked in the same way.
const readme = "README.md"

// block is one fenced block of a document.
type block struct {
	file   string
	line   int
	marker string // the text of the HTML comment on the line above, if any
	lang   string
	text   string
}

// problem returns a message that begins with the position of the block.
func (b block) problem(format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", b.file, b.line, fmt.Sprintf(format, args...))
}

// userDocuments returns the paths of README.md and of the guides.
func userDocuments(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob("docs/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides: %v", err)
	}
	return append([]string{readme}, guides...)
}

var marker = regexp.MustCompile(`^<!-- (.*) -->$`)

// blocksOf returns the fenced blocks of a document.
func blocksOf(file, text string) []block {
	var (
		blocks []block
		open   *block
		above  string
	)
	for i, line := range strings.Split(text, "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case open == nil && fence:
			open = &block{file: file, line: i + 1, marker: above, lang: lang}
		case open != nil && fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
		above = ""
		if m := marker.FindStringSubmatch(line); m != nil {
			above = m[1]
		}
	}
	return blocks
}

// TestDocuments checks each block of the documents by its language: Go is cut word for word from the file that the comment
// above the block names, JSON can be parsed, commands exist. What console blocks show is checked by TestDocumentConsole.
func TestDocuments(t *testing.T) {
	for _, file := range userDocuments(t) {
		blocks := blocksOf(file, readText(t, file))
		for _, b := range blocks {
			if problem := checkBlock(b); problem != "" {
				t.Error(problem)
			}
		}
		for _, problem := range checkHelpers(t, blocks) {
			t.Error(problem)
		}
	}
}

// markers are the comments above blocks that are not the path of a file, and the tests that read them.
var markers = map[string]string{
	"the run command":      "TestReadmeRun",
	"what it prints":       "TestReadmeRun",
	"the test command":     "TestReadmeTests, and .ci/run",
	"in your module":       "TestDocumentModules",
	"server":               "TestDocumentConsole",
	"numbers differ":       "TestDocumentConsole",
	"what a change breaks": "TestBreakingChange",

	"what copytasks prints": "TestDocument, in integrations/copytasks",
}

// checkBlock returns what is wrong with a block, or "".
func checkBlock(b block) string {
	if b.marker != "" && b.lang != "go" && markers[b.marker] == "" {
		return b.problem("no test reads blocks under <!-- %s -->", b.marker)
	}
	switch b.lang {
	case "go":
		return checkGo(b)
	case "json":
		if !json.Valid([]byte(b.text)) { // client configurations are pasted as they are
			return b.problem("this block is not JSON:\n%s", b.text)
		}
	case "sh":
		for _, line := range commandLines(b.text) {
			if err := checkCommand(line); err != nil {
				return b.problem("%s: %v", line, err)
			}
		}
	case "console":
	case "text":
		if b.marker == "" {
			return b.problem("a text block needs a comment above it, and a test that checks the text: no test knows this one")
		}
	default:
		return b.problem("no test checks blocks of the language %q", b.lang)
	}
	return ""
}

// checkGo compares a Go block with the file that it is cut from, so that what a reader copies is what the tests of that
// file ran.
func checkGo(b block) string {
	if b.marker == "" {
		return b.problem("a Go block needs a comment above it that names its file: <!-- examples/x/main.go -->")
	}
	source, err := os.ReadFile(b.marker)
	if err != nil {
		return b.problem("%v", err)
	}
	if !strings.Contains(string(source), b.text) {
		return b.problem("this block is not in %s, word for word:\n%s", b.marker, b.text)
	}
	return ""
}

// TestDocumentChecks plants the faults that the checks of blocks are there to find.
func TestDocumentChecks(t *testing.T) {
	for _, test := range []struct{ name, marker, lang, text, want string }{
		{"changed code", "examples/calculator/main.go", "go", "func main() {\n\tmcptool.Register(Sum)\n", "word for word"},
		{"code without a file", "", "go", "func main() {}\n", "names its file"},
		{"a file that is gone", "examples/gone/main.go", "go", "func main() {}\n", "no such file"},
		{"JSON with a comma too many", "", "json", "{\"a\":1,}\n", "not JSON"},
		{"text that no test knows", "", "text", "anything\n", "no test"},
		{"a misspelt marker", "in you module", "sh", "go mod tidy\n", "no test reads"},
		{"another language", "", "yaml", "a: 1\n", "no test"},
		{"an example that is gone", "", "sh", "go run ./examples/gone\n", "no Go package"},
		{"a flag of an example that is gone", "", "sh", "go run ./examples/http -port 80\n", "no flag"},
		{"a command of bench that is gone", "", "sh", "bench graph -- go run ./examples/weather\n", "bench has no command"},
		{"a flag of bench that is gone", "", "sh", "bench list --pretty -- go run ./examples/weather\n", "no flag"},
		{"a server behind bench that is gone", "", "sh", "bench list -- go run ./examples/gone\n", "no Go package"},
		{"an unknown program", "", "sh", "frobnicate\n", "unknown program"},
		{"a test that is gone", "", "sh", "go test -run TestGone ./examples/weather\n", "no test matches"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := block{file: "x.md", line: 1, marker: test.marker, lang: test.lang, text: test.text}
			if got := checkBlock(b); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want it to contain %q", got, test.want)
			}
		})
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wordRow is a row of the glossary: the word, and the file that defines it.
var wordRow = regexp.MustCompile(`(?m)^\| ([a-z ]+) \| [^|]+ \| [^|]+ \| \[[^]]+\]\(([^)]+)\) \|$`)

// TestWords checks the glossary of CONTRIBUTING.md: it has at most twenty words, none twice, and the file of each
// contains the word, perhaps as a Go name.
func TestWords(t *testing.T) {
	_, glossary, _ := strings.Cut(readText(t, "CONTRIBUTING.md"), "\n## Words\n")
	rows := wordRow.FindAllStringSubmatch(glossary, -1)
	if len(rows) == 0 || len(rows) > 20 || len(rows) != strings.Count(glossary, "\n| ")-2 {
		t.Errorf("%d rows are words, of %d; want all, and at most 20", len(rows), strings.Count(glossary, "\n| ")-2)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row[1]] {
			t.Errorf("%s is there twice", row[1])
		}
		seen[row[1]] = true
		source := strings.ToLower(readText(t, row[2]))
		if !strings.Contains(source, row[1]) && !strings.Contains(source, strings.ReplaceAll(row[1], " ", "")) {
			t.Errorf("%s does not have the word %q", row[2], row[1])
		}
	}
}
