package searchcase_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/toolrank"
	"github.com/mcptool-go/mcptool/internal/toolrank/searchcase"
)

func TestRead(t *testing.T) {
	t.Parallel()
	one := searchcase.Case{Query: "merge it", Tools: []string{"merge"}, Position: "f:1"}
	for _, c := range []struct {
		name, text string
		want       []searchcase.Case
	}{
		{"one", "merge it\tmerge", []searchcase.Case{one}},
		{"line end", "merge it\tmerge\n", []searchcase.Case{one}},
		{"CR LF", "merge it\tmerge\r\nclose it\tclose\r\n", []searchcase.Case{one, {"close it", []string{"close"}, "f:2"}}},
		{"byte order mark", "\ufeffmerge it\tmerge\n", []searchcase.Case{one}},
		{"byte order mark before a comment", "\ufeff# x\nmerge it\tmerge\n", []searchcase.Case{{"merge it", []string{"merge"}, "f:2"}}},
		{"comments and empty lines", "# no\ttool\n\n \t \nmerge it\tmerge\n\n", []searchcase.Case{{"merge it", []string{"merge"}, "f:4"}}},
		{"several tools", " merge it \ta, b ,c\n", []searchcase.Case{{"merge it", []string{"a", "b", "c"}, "f:1"}}},
		{"another script", "合并\t合并请求\n", []searchcase.Case{{"合并", []string{"合并请求"}, "f:1"}}},
		{"the longest query", strings.Repeat("ab ", 333) + "\tx", []searchcase.Case{{strings.TrimSpace(strings.Repeat("ab ", 333)), []string{"x"}, "f:1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := searchcase.Read("f", strings.NewReader(c.text))
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("Read(%q) failed: %v (-want +got):\n%s", c.text, err, diff)
			}
		})
	}
}

func TestReadMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "f: no cases; a line is a query, a tab, and the names of the accepted tools"},
		{"only comments", "# a\tb\n\n", "f: no cases; a line is a query, a tab, and the names of the accepted tools"},
		{"no tab", "ok\tx\nmerge it merge\n", `f:2: no tab in "merge it merge"; write a query, a tab, and the names of the accepted tools`},
		{"two tabs", "merge it\ta\tb", "f:1: more than one tab; separate names of tools with commas"},
		{"no query", "\tmerge", "f:1: the query is empty"},
		{"no words", "? a !\tmerge", `f:1: the query "? a !" has no words; single letters and signs are not words`},
		{"no tools", "merge it\t", "f:1: the name of an accepted tool is empty"},
		{"empty name", "merge it\ta,,b", "f:1: the name of an accepted tool is empty"},
		{"name twice", "merge it\ta,b,a", `f:1: "a" is listed twice`},
		{"many names", "merge it\t" + strings.Repeat("a,", 1<<19-10), "f:1: 524279 accepted tools; a case has at most 100"},
		{"query twice", "merge it\ta\n#\nmerge it\tb", "f:3: the query is also in line 1; list all accepted tools there"},
		{"invalid UTF-8", "merge \xff\ta", "f:1: invalid UTF-8"},
		{"UTF-16", "\xff\xfem\x00", "f:1: invalid UTF-8"},
		{"old line ends", "merge it\ta\rclose it\tb", "f:1: more than one tab; separate names of tools with commas"},
		{"long query", strings.Repeat("a", 1001) + "\tx", "f:1: the query has 1001 bytes; a search uses at most 1000"},
		{"two mistakes", "x\ny\n", "f:1: no tab in \"x\"; write a query, a tab, and the names of the accepted tools\nf:2: no tab in \"y\"; write a query, a tab, and the names of the accepted tools"},
		{"control characters", "\x1b[2J\x00", `f:1: no tab in "\x1b[2J\x00"; write a query, a tab, and the names of the accepted tools`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, err := searchcase.Read("f", strings.NewReader(c.text)); err == nil || err.Error() != c.want {
				t.Errorf("Read(%q) = %v, error %v, want %s", c.text, got, err, c.want)
			}
		})
	}
}

// endless is a reader of lines without an end, which counts the bytes that were read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "ab\tx\n"[(e.read+i)%5]
	}
	e.read += len(p)
	return len(p), nil
}

func TestReadLimits(t *testing.T) {
	t.Parallel()
	e := &endless{}
	if _, err := searchcase.Read("f", e); err == nil || err.Error() != "f: more than 1048576 bytes; a file of cases has at most that" || e.read > 4*searchcase.MaxBytes {
		t.Errorf("of an endless file %d bytes were read, error %v", e.read, err)
	}
	var text strings.Builder
	for i := range searchcase.MaxCases + 1 {
		fmt.Fprintf(&text, "q%d\tx\n", i)
	}
	if _, err := searchcase.Read("f", strings.NewReader(text.String())); err == nil || err.Error() != "f: 10001 cases; a file has at most 10000" {
		t.Errorf("a file with too many cases: error %v", err)
	}
	_, err := searchcase.Read("f", strings.NewReader(strings.Repeat("x\n", 50)))
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.HasSuffix(err.Error(), "\nand 40 more mistakes") {
		t.Errorf("a file with 50 mistakes: error %v, want the first ten and the number of others", err)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := searchcase.ReadFile(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: error %v", err)
	}
	if _, err := searchcase.ReadFile(dir); err == nil || strings.Count(err.Error(), dir) != 1 {
		t.Errorf("a directory: error %v, want one with its path", err)
	}
	file := filepath.Join(dir, "cases.tsv")
	if err := os.WriteFile(file, []byte("merge it\tmerge\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cases, err := searchcase.ReadFile(file); err != nil || len(cases) != 1 || cases[0].Position != file+":1" {
		t.Errorf("ReadFile = %+v, error %v", cases, err)
	}
}

// TestReadQueries reads the queries of the ranking, whose format is the same.
func TestReadQueries(t *testing.T) {
	t.Parallel()
	if cases, err := searchcase.ReadFile("../testdata/queries.tsv"); err != nil || len(cases) != 152 {
		t.Errorf("%d cases, error %v", len(cases), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("merge it\tmerge,close\r\n# x\n\nmerge\tb\n")
	f.Add("\ufeff合并\ta")
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := searchcase.Read("f", strings.NewReader(text))
		if (err == nil) != (len(cases) > 0) {
			t.Fatalf("Read(%q) = %v, error %v", text, cases, err)
		}
		var tools []toolrank.Tool
		for _, c := range cases {
			for _, name := range c.Tools {
				tools = append(tools, toolrank.Tool{Name: name})
			}
		}
		if len(cases) == 0 {
			return
		}
		report, err := searchcase.Check(tools, cases, 1)
		if err != nil {
			t.Fatalf("cases that were read are not valid: %v", err)
		}
		for i := range report.Failed {
			checkPlain(t, report.Failed[i].Text())
		}
	})
}
