package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func newTool(t *testing.T, dir string) *mcptool.Tool {
	t.Helper()
	files, err := openLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.root.Close() })
	tool, err := mcptool.New(files.AnalyzeCSV, mcptool.OutputType[Analysis]())
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// The file with the comments is up to date, and the program serves them.
func TestComments(t *testing.T) {
	mcptooltest.CheckComments(t)
	const want = "Describes the columns of a CSV file with a header line: "
	if got := newTool(t, "data").Info().Description; !strings.HasPrefix(got, want) {
		t.Errorf("the description is %q, want %q at its beginning", got, want)
	}
}

func call(t *testing.T, tool *mcptool.Tool, path string) (*mcptool.Result, error) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call(t.Context(), args)
}

func TestPlanets(t *testing.T) {
	t.Parallel()
	res, err := call(t, newTool(t, "data"), "planets.csv")
	if err != nil {
		t.Fatal(err)
	}
	var got Analysis
	if err := json.Unmarshal(res.Structured.(json.RawMessage), &got); err != nil {
		t.Fatal(err)
	}
	if got.Rows != 8 || got.Ragged != 0 || len(got.Columns) != 9 {
		t.Errorf("%d rows, %d ragged, %d columns", got.Rows, got.Ragged, len(got.Columns))
	}
	want := Column{
		Name: "diameter_km", Type: "number", Count: 8,
		Sum: new(400697.0), Average: new(50087.125), Min: new(4879.0), Max: new(142984.0),
	}
	if diff := cmp.Diff(want, got.Columns[2]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Column{Name: "kind", Type: "text", Count: 8}, got.Columns[1]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	info, err := os.Stat("data/planets.csv")
	if err != nil {
		t.Fatal(err)
	}
	link, ok := res.Content[0].(mcptool.ResourceLink)
	if !ok || link.Name != "planets.csv" || *link.Size != info.Size() || !strings.HasPrefix(link.URI, "file:///") || !strings.HasSuffix(link.URI, "/data/planets.csv") {
		t.Errorf("content is %+v, want a link to the file", res.Content)
	}
}

func TestAnalyze(t *testing.T) {
	t.Parallel()
	number := func(name string, count int, sum, lowest, highest float64) Column {
		return Column{Name: name, Type: "number", Count: count, Sum: &sum, Average: new(sum / float64(count)), Min: &lowest, Max: &highest}
	}
	text := func(name string, count int) Column { return Column{Name: name, Type: "text", Count: count} }
	empty := func(name string) Column { return Column{Name: name, Type: "empty"} }
	tests := []struct {
		name, in, reason string
		want             Analysis
	}{
		{"header only", "a,b\n", "a table without rows is a table", Analysis{Columns: []Column{empty("a"), empty("b")}}},
		{"no last newline", "a\n1", "editors forget it", Analysis{Rows: 1, Columns: []Column{number("a", 1, 1, 1, 1)}}},
		{"crlf", "a\r\n1\r\n2\r\n", "spreadsheets write it", Analysis{Rows: 2, Columns: []Column{number("a", 2, 3, 1, 2)}}},
		{"mark", "\ufeffa\n1\n", "and this in front; it is no part of the name", Analysis{Rows: 1, Columns: []Column{number("a", 1, 1, 1, 1)}}},
		{"negative", "a\n-1\n-2.5\n", "the first value starts minimum and maximum, not 0", Analysis{Rows: 2, Columns: []Column{number("a", 2, -3.5, -2.5, -1)}}},
		{"gaps", "a,b\n1,\n,\n3,x\n", "an empty field is no value", Analysis{Rows: 3, Columns: []Column{number("a", 2, 4, 1, 3), text("b", 1)}}},
		{"spaces", "a\n 1\n2 \n", "people align by hand", Analysis{Rows: 2, Columns: []Column{number("a", 2, 3, 1, 2)}}},
		{"one word", "a\n1\n2\nn/a\n", "a sum of some of the values would mislead", Analysis{Rows: 3, Columns: []Column{text("a", 3)}}},
		{"go's numbers", "a,b,c,d\nInf,0x10,1_000,NaN\n", "nobody means numbers by these", Analysis{Rows: 1, Columns: []Column{text("a", 1), text("b", 1), text("c", 1), text("d", 1)}}},
		{"quoted newline", "a,b\n\"two\nlines\",1\nx,2\n", "a row is not a line", Analysis{Rows: 2, Columns: []Column{text("a", 2), number("b", 2, 3, 1, 2)}}},
		{"ragged", "a,b\n1\n2,3,4\n5,6\n", "what is there counts, and is told", Analysis{Rows: 3, Ragged: 2, Columns: []Column{number("a", 3, 8, 1, 5), number("b", 2, 9, 3, 6)}}},
		{"nameless", "a,\n1,2\n", "a column is told by its place", Analysis{Rows: 1, Columns: []Column{number("a", 1, 1, 1, 1), number("column 2", 1, 2, 2, 2)}}},
		{"cents", "a\n" + strings.Repeat("0.1\n", 1000), "added naively this is 99.9999999999986", Analysis{Rows: 1000, Columns: []Column{number("a", 1000, 100, 0.1, 0.1)}}},
		{"large and small", "a\n1\n1e100\n1\n-1e100\n", "added naively this is 0", Analysis{Rows: 4, Columns: []Column{number("a", 4, 2, -1e100, 1e100)}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := analyze(t.Context(), strings.NewReader(test.in), int64(len(test.in)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

func TestFilesThatAreNoTables(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"empty", "", "empty"},
		{"only a mark", "\ufeff", "empty"},
		{"latin-1", "name\nM\xfcnchen\n", "line 2, column 1: the text is not UTF-8"},
		{"utf-16", "\xff\xfea\x00\n\x00", "UTF-16"},
		{"stray quote", "a\nx\"y\n", "line 2"},
		{"open quote", "a\n\"" + strings.Repeat("x\n", 2*maxRecord), "quote not closed"},
		{"too wide", strings.Repeat(",", maxColumns) + "\n", "columns"},
		{"sum out of range", "a\n1e308\n1e308\n", "too large"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := analyze(t.Context(), strings.NewReader(test.in), int64(len(test.in)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one about %q", err, test.want)
			}
		})
	}
}

func TestPathsThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	inside := t.TempDir()
	secret := filepath.Join(outside, "secret.csv")
	if err := os.WriteFile(secret, []byte("password\nhunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "own.csv"), []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" { // links need a privilege on Windows
		if err := os.Symlink(secret, filepath.Join(inside, "link.csv")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(inside, "dir")); err != nil {
			t.Fatal(err)
		}
	}
	tool := newTool(t, inside)
	for _, path := range []string{secret, "../" + filepath.Base(outside) + "/secret.csv", "link.csv", "dir/secret.csv", ".", "none.csv", "a\x00b", "own.csv/x"} {
		res, err := call(t, tool, path)
		if err == nil {
			t.Errorf("%q was read: %s", path, res.Structured)
			continue
		}
		if said := err.Error(); strings.Contains(said, "statat") || strings.Contains(said, "openat") || strings.Contains(said, inside) || !strings.Contains(said, strconv.Quote(path)) {
			t.Errorf("%q: the error %q names what the caller does not know, or not the path", path, said)
		}
	}
	if _, err := call(t, tool, "none.csv"); err == nil || !strings.Contains(err.Error(), "own.csv") {
		t.Errorf("%v, want the files there are", err)
	}
	if _, err := call(t, tool, "own.csv"); err != nil {
		t.Errorf("the file inside: %v", err)
	}
}

// TestMemory reads a table of 16 MB that is generated on the fly.
func TestMemory(t *testing.T) {
	const rowCount = 1 << 20
	src := &madeUp{rows: rowCount, rest: []byte("n,half,name\n")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := analyze(t.Context(), src, 0)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got.Rows != rowCount || *got.Columns[0].Sum != float64(rowCount)*(rowCount-1)/2 || math.Abs(*got.Columns[1].Average-0.5) > 0 {
		t.Errorf("%d rows, columns %+v", got.Rows, got.Columns)
	}
	if held := int64(after.HeapSys) - int64(before.HeapSys); held > 8<<20 {
		t.Errorf("the heap grew by %d MB", held>>20)
	}
}

// madeUp generates a table.
type madeUp struct {
	rows, next int
	rest       []byte
}

func (m *madeUp) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if m.next == m.rows {
			return 0, io.EOF
		}
		m.rest = fmt.Appendf(m.rest[:0], "%d,0.5,name\n", m.next)
		m.next++
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}
