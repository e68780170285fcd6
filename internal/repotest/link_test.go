package repotest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link is a link, and testName what the text of one to a test looks like.
var (
	link     = regexp.MustCompile(`\[([^\]\n]+)\]\(([^)\s]+)\)`)
	testName = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)([A-Z]\w*)?$`)
)

// TestLinks follows every relative link of the Markdown files of the repository: the file is there, and has the heading
// that an anchor names; if the text of the link is the name of a test, the file has that test.
func TestLinks(t *testing.T) {
	tests, anchors := 0, 0
	for _, document := range markdownFiles(t) {
		text := readText(t, document)
		for _, problem := range checkLinks(document, text) {
			t.Error(problem)
		}
		for _, match := range link.FindAllStringSubmatch(withoutCode(text), -1) {
			if testName.MatchString(match[1]) {
				tests++
			}
			if strings.Contains(match[2], "#") {
				anchors++
			}
		}
	}
	if tests == 0 || anchors == 0 {
		t.Errorf("there are %d links to tests, and %d with anchors", tests, anchors)
	}
}

// checkLinks returns what is wrong with the relative links of a document.
func checkLinks(document, text string) []string {
	var problems []string
	for _, match := range link.FindAllStringSubmatch(withoutCode(text), -1) {
		name, target := match[1], match[2]
		if strings.Contains(target, "://") {
			continue
		}
		path, anchor, _ := strings.Cut(target, "#")
		if path == "" {
			path = document
		} else {
			path = filepath.Join(filepath.Dir(document), path)
		}
		linked := text
		if path != document {
			info, err := os.Stat(path)
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s links to %s: %v", document, target, err))
				continue
			}
			if info.IsDir() {
				continue
			}
			source, err := os.ReadFile(path)
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			linked = string(source)
		}
		if anchor != "" && !anchorsOf(linked)[anchor] {
			problems = append(problems, fmt.Sprintf("%s links to %s, but %s has no such heading", document, target, path))
		}
		if testName.MatchString(name) && (!strings.HasSuffix(path, "_test.go") || !strings.Contains(linked, "\nfunc "+name+"(")) {
			problems = append(problems, fmt.Sprintf("%s: there is no %s in %s", document, name, path))
		}
	}
	return problems
}

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	heading    = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}\-_ ]`)
)

// withoutCode returns Markdown without what is code in it.
func withoutCode(text string) string {
	return inlineCode.ReplaceAllString(fenced.ReplaceAllString(text, ""), "code")
}

// anchorsOf returns the anchors that GitHub gives the headings of a document.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		title := link.ReplaceAllString(match[1], "$1")
		slug := strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		unique := slug
		for n := 1; anchors[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", slug, n)
		}
		anchors[unique] = true
	}
	return anchors
}

// TestLinkChecks plants the faults that the check of links is there to find.
func TestLinkChecks(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a file", "[x](docs/gone.md)", "no such file"},
		{"an anchor of another document", "[x](SECURITY.md#gone)", "no such heading"},
		{"an anchor of its own", "# Here\n\n[x](#gone)", "no such heading"},
		{"the second of two headings", "# Here\n\n# Here\n\n[x](#here-2)", "no such heading"},
		{"a heading in code", "```sh\n# here\n```\n[x](#here)", "no such heading"},
		{"a test", "[TestGone](internal/repotest/link_test.go)", "no TestGone"},
		{"all is there", "# `a.B` and c: 2\n\n## Here\n## Here\n\n[x](#ab-and-c-2) [x](#here-1) [x](SECURITY.md#defaults) [TestLinks](internal/repotest/link_test.go) `[x](gone.md)`", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(checkLinks(readme, test.text), "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want it to contain %q", got, test.want)
			}
		})
	}
}

// markdownFiles returns the paths of the Markdown files that people read, in all modules of the repository.
func markdownFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() && (filepath.ToSlash(path) == "bench/docpage/testdata" || filepath.ToSlash(path) == "internal/interop/shelf"):
			return filepath.SkipDir // pages that bench has made, and a file that a server offers
		case !d.IsDir() && strings.HasSuffix(path, ".md"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
