package watch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/bench/internal/watch"
)

// TestParse reads the commands that an author may write.
func TestParse(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, mode := range map[string]os.FileMode{"cmd/server/main.go": 0o600, "bin/server": 0o700, "notes.txt": 0o600, "tool": 0o700} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		command string
		want    watch.Program
	}{
		{"go run .", watch.Program{Package: []string{"."}, Args: []string{}}},
		{"go run ./cmd/server -http {addr}", watch.Program{Package: []string{"./cmd/server"}, Args: []string{"-http", "{addr}"}}},
		{"go run -race -tags=a,b -gcflags -N -gcflags=x=-l ./cmd/server", watch.Program{
			Package: []string{"./cmd/server"}, Flags: []string{"-race=true", "-tags=a,b", "-gcflags=-N", "-gcflags=x=-l"}, Args: []string{},
		}},
		{"go -C cmd run ./server x", watch.Program{Package: []string{"./server"}, Dir: "cmd", Args: []string{"x"}}},
		{"go run -C cmd --exec nice ./server", watch.Program{Package: []string{"./server"}, Dir: "cmd", Exec: []string{"nice"}, Args: []string{}}},
		{"go run a.go b.go c", watch.Program{Package: []string{"a.go", "b.go"}, Args: []string{"c"}}},
		{"go run example.com/x/cmd/server", watch.Program{Package: []string{"example.com/x/cmd/server"}, Args: []string{}}},
		{"cmd/server -v", watch.Program{Package: []string{"./cmd/server"}, Args: []string{"-v"}}},
		{". -v", watch.Program{Package: []string{"./."}, Args: []string{"-v"}}},
		{"main.go", watch.Program{Package: []string{"main.go"}, Args: []string{}}},
		{"example.com/x", watch.Program{Package: []string{"example.com/x"}, Args: []string{}}},
		{"bin/server -v", watch.Program{File: "bin/server", Args: []string{"-v"}}},
	} {
		t.Run(test.command, func(t *testing.T) {
			got, err := watch.Parse(strings.Fields(test.command))
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	for _, test := range []struct{ command, want string }{
		{"go", "write go run PACKAGE"},
		{"go test ./...", "go test runs no program"},
		{"go run", "go run has no package"},
		{"go run -http :80 .", "flags of the server come after the package"},
		{"go run ./...", "may be several packages"},
		{"go run example.com/x@latest", "bench ui -- go run example.com/x@latest"},
		{"go run -C none .", "-C none is not a directory"},
		{"sh server.sh", "bench ui -- sh"},
		{"./notes.txt", "neither a directory with Go files nor executable"},
		{"tool", "write ./tool"},
		{"none", "there is no none"},
		{"./none", "there is no ./none"},
	} {
		t.Run(test.command, func(t *testing.T) {
			got, err := watch.Parse(strings.Fields(test.command))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q; the program is %+v", err, test.want, got)
			}
		})
	}
}
