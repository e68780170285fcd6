// Package golden compares test results with those in a file, and rewrites the file when the tests run with -update. A
// file has the results of a whole table, so that a change of behavior is a single diff:
//
//	<<< name of the case
//	result
//	>>> name of the case
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files with what the tests got")

// File is a golden file during one test. It is safe for concurrent use by the
// subtests of that test.
type File struct {
	path string
	want map[string]string

	mu  sync.Mutex
	got []result
}

type result struct{ name, text string }

// Open reads a golden file. When tb and its subtests have finished, results in the file that were not checked are
// errors; with -update the file is rewritten instead, in the order of the checks.
func Open(tb testing.TB, path string) *File {
	tb.Helper()
	f := &File{path: path, want: map[string]string{}}
	data, err := os.ReadFile(path) //nolint:gosec // the test chooses the path
	if err != nil && !*update {
		tb.Fatalf("golden: %v; run the tests with -update to make it", err)
	}
	f.parse(tb, string(data))
	tb.Cleanup(func() { f.close(tb) })
	return f
}

// Check compares a result with the one of that name in the file. It prints one that is new or differs in full, up to
// 32 KB.
func (f *File) Check(tb testing.TB, name, got string) {
	tb.Helper()
	f.mu.Lock()
	f.got = append(f.got, result{name, got})
	f.mu.Unlock()
	if *update {
		return
	}
	switch want, known := f.want[name]; {
	case !known:
		tb.Errorf("%s is not in %s; it would be:\n%s", name, f.path, difference(nil, strings.Split(got, "\n")))
	case want != got:
		tb.Errorf("%s differs from %s (-want +got):\n%s", name, f.path, difference(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

func (f *File) parse(tb testing.TB, data string) {
	tb.Helper()
	for rest := data; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		name, isStart := strings.CutPrefix(line, "<<< ")
		if !isStart {
			rest = after // text between the results is for readers
			continue
		}
		text, tail, found := strings.Cut(after, "\n>>> "+name+"\n")
		if !found {
			tb.Fatalf("golden: %s: %q does not end", f.path, name)
		}
		f.want[name], rest = text, tail
	}
}

func (f *File) close(tb testing.TB) {
	tb.Helper()
	if !*update {
		for name := range f.want {
			if !tb.Failed() && !slices.ContainsFunc(f.got, func(r result) bool { return r.name == name }) {
				tb.Errorf("golden: %s: no test uses %q; run the tests with -update to drop it", f.path, name)
			}
		}
		return
	}
	var b strings.Builder
	for _, r := range f.got {
		b.WriteString("<<< " + r.name + "\n" + r.text + "\n>>> " + r.name + "\n")
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(f.path, []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
}
