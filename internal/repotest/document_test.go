package repotest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme, the guides in docs and the index of the examples are the documents for users. All of them are checked in the
// same way.
const readme = "README.md"

// block is a fenced block of a document.
type block struct {
	file   string
	line   int
	marker string // the text of the HTML comment on the line above, if any
	lang   string
	text   string
}

// problem returns a message prefixed with the position of the block.
func (b block) problem(format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", b.file, b.line, fmt.Sprintf(format, args...))
}

// examplesIndex lists the examples.
const examplesIndex = "examples/README.md"

// userDocuments returns the paths of README.md, of the guides, and of the index of the examples.
func userDocuments(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob("docs/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides: %v", err)
	}
	return append([]string{readme, examplesIndex}, guides...)
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

// TestDocuments checks each block of the documents by its language: Go and configuration are excerpts of the file named
// by the comment above the block, JSON is valid, and commands exist. TestDocumentConsole checks console blocks.
func TestDocuments(t *testing.T) {
	for _, file := range userDocuments(t) {
		for _, b := range blocksOf(file, readText(t, file)) {
			if problem := checkBlock(b); problem != "" {
				t.Error(problem)
			}
		}
	}
}

// markers are the comments above blocks that are not file paths, and the tests that read them.
var markers = map[string]string{
	"the run command":       "TestReadmeRun",
	"what it prints":        "TestReadmeRun",
	"the test command":      "TestReadmeTests, and .ci/run",
	"in your module":        "TestDocumentModules",
	"server in your module": "TestDocumentModules",
	"server":                "TestDocumentConsole",
	"numbers differ":        "TestDocumentConsole",
	"what a change breaks":  "TestBreakingChange",

	"what bench dev prints":   "TestDevGuide, in bench",
	"why a tool is not found": "TestDocument, in internal/toolrank/searchcase",
	"what copytasks prints":   "TestDocument, in integrations/copytasks",
	"what the servers answer": "TestServers, in internal/lab/migration",
	"the requests of a login": "TestDiagram, in integrations/oauthproxy",
}

// checkBlock returns the problem with the block, or "".
func checkBlock(b block) string {
	if strings.HasPrefix(b.marker, fileMarker) {
		return "" // TestDocumentModules builds a module with it
	}
	isFile := fileExists(b.marker)
	if b.marker != "" && b.lang != "go" && !isFile && markers[b.marker] == "" {
		return b.problem("no test reads blocks under <!-- %s -->", b.marker)
	}
	switch b.lang {
	case "go", "dockerfile", "ini", "nginx", "yaml":
		return checkExcerpt(b)
	case "json":
		if !json.Valid([]byte(b.text)) { // client configurations are pasted as they are
			return b.problem("this block is not JSON:\n%s", b.text)
		}
	case "sh":
		for _, line := range commandLines(b.text) {
			if err := checkCommand(line); err != nil && (!b.ofModule() || !errors.Is(err, errNoPackage)) {
				return b.problem("%s: %v", line, err)
			}
		}
	case "console":
	case "text":
		switch {
		case isFile:
			return checkExcerpt(b)
		case b.marker == "":
			return b.problem("a text block needs a comment above it that names the test that checks it")
		}
	default:
		return b.problem("unknown language %q", b.lang)
	}
	return ""
}

// checkExcerpt compares a block with the file named by the comment above it.
func checkExcerpt(b block) string {
	if b.marker == "" {
		return b.problem("this block needs a comment above it that names its file: <!-- examples/x/main.go -->")
	}
	source, err := os.ReadFile(b.marker)
	if err != nil {
		return b.problem("%v", err)
	}
	if missing := notInOrder(string(source), b.text); missing != "" {
		return b.problem("these lines are not in %s, or not in this order:\n%s", b.marker, missing)
	}
	return ""
}

// omission is a line of a Go block that represents any number of lines, optionally as a comment.
var omission = regexp.MustCompile(`(?m)^\s*(?://\s*)?…\n`)

// notInOrder returns the first part of an excerpt that does not follow the previous part in the source, or "". A line
// with an ellipsis ends a part.
func notInOrder(source, excerpt string) string {
	for _, part := range omission.Split(excerpt, -1) {
		_, rest, found := strings.Cut(source, part)
		if !found {
			return part
		}
		source = rest
	}
	return ""
}

// TestDocumentChecks feeds faulty blocks to the checks, which must find the faults.
func TestDocumentChecks(t *testing.T) {
	for _, test := range []struct{ name, marker, lang, text, want string }{
		{"changed code", "examples/calculator/main.go", "go", "func main() {\n\tmcptool.Register(Sum)\n", "not in this order"},
		{"parts in another order", "examples/calculator/main.go", "go", "func main() {\n…\npackage main\n", "not in this order"},
		{"code without a file", "", "go", "func main() {}\n", "names its file"},
		{"a file that is gone", "examples/gone/main.go", "go", "func main() {}\n", "no such file"},
		{"JSON with a comma too many", "", "json", "{\"a\":1,}\n", "not JSON"},
		{"text that no test checks", "", "text", "anything\n", "names the test"},
		{"a misspelt marker", "in you module", "sh", "go mod tidy\n", "no test reads"},
		{"another language", "", "toml", "a = 1\n", "unknown language"},
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
	if got := checkBlock(block{marker: "in your module", lang: "sh", text: "go run ./server\n"}); got != "" {
		t.Errorf("a package of the reader: %s", got)
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
