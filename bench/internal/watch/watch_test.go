package watch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/gocommand"
	"github.com/mcptool-go/mcptool/bench/internal/watch"
)

// A run is a run of [watch.Run] on files in a directory.
type run struct {
	dir, out string
	begun    atomic.Int32
	waiting  atomic.Bool // a change was noticed, and not built
	builds   chan watch.Build
	onBegin  atomic.Pointer[func()] // called at the beginning of a build, once
	changed  atomic.Pointer[[]string]
}

// newRun writes files, and builds the program there until the test ends.
func newRun(t *testing.T, files map[string]string, p watch.Program) *run {
	t.Helper()
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	r := &run{dir: t.TempDir(), out: t.TempDir(), builds: make(chan watch.Build, 100)}
	for name, text := range files {
		r.write(t, name, text)
	}
	p.Dir = filepath.Join(r.dir, p.Dir)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- watch.Run(ctx, p, watch.Options{
			Dir:       r.out,
			Changed:   func() { r.waiting.Store(true) },
			Unchanged: func() { r.waiting.Store(false) },
			Begin: func(changed []string) {
				r.begun.Add(1)
				r.changed.Store(&changed)
				if do := r.onBegin.Swap(nil); do != nil {
					(*do)()
				}
			},
			Done: func(_ context.Context, b watch.Build) { r.waiting.Store(false); r.builds <- b },
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(r.out, "work")); err == nil {
			t.Error("temporary files of the go command are left")
		}
	})
	return r
}

// write writes a file.
func (r *run) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// next waits for a build.
func (r *run) next(t *testing.T, reason string) watch.Build {
	t.Helper()
	select {
	case b := <-r.builds:
		return b
	case <-time.After(time.Minute):
		t.Fatalf("%s: there was no build", reason)
		return watch.Build{}
	}
}

// prints waits for a build, and checks what its program prints, or a part of the error.
func (r *run) prints(t *testing.T, reason, want string) {
	t.Helper()
	b := r.next(t, reason)
	if failure, ok := errors.AsType[*gocommand.Error](b.Err); ok {
		if text := failure.Text(100); !strings.Contains(text, want) {
			t.Fatalf("%s: the build has failed, want %q:\n%s", reason, want, text)
		}
		return
	}
	if b.Err != nil {
		t.Fatalf("%s: %v", reason, b.Err)
	}
	out, err := exec.Command(b.Command[0], b.Command[1:]...).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Fatalf("%s: it prints %q, want %q; %v", reason, got, want, err)
	}
}

// quiet fails the test if a build starts.
func (r *run) quiet(t *testing.T, reason string) {
	t.Helper()
	select {
	case b := <-r.builds:
		t.Fatalf("%s: there was a build, of %q: %+v", reason, *r.changed.Load(), b)
	case <-time.After(300 * time.Millisecond):
		if r.waiting.Load() {
			t.Fatalf("%s: calls wait for a build", reason)
		}
	}
}

// undo changes a file and writes it as it was, before a build begins. On a machine that is too slow for this it tries again.
func (r *run) undo(t *testing.T, name, text string) {
	t.Helper()
	for range 20 {
		begun := r.begun.Load()
		r.write(t, name, "package other")
		for !r.waiting.Load() {
			time.Sleep(time.Millisecond)
		}
		r.write(t, name, text)
		for r.waiting.Load() {
			time.Sleep(time.Millisecond)
		}
		if r.begun.Load() == begun {
			r.quiet(t, "a change that is undone at once")
			return
		}
		r.next(t, "a change that is undone too late")
	}
	t.Error("a change that was undone was always built")
}

// program returns a main package that prints an expression.
func program(imports, expression string) string {
	return "package main\n\nimport (\n" + imports + "\n)\n\nfunc main() { println(" + expression + ") }\n"
}

const goMod = "module example.com/server\n\ngo 1.26.0\n"

// TestRun changes files of every kind, and runs the programs.
func TestRun(t *testing.T) {
	embedding := strings.Replace(program("\"embed\"\n\"example.com/lib\"", `"main", lib.Text, count()`), "func main", "//go:embed static\nvar files embed.FS\n\n"+
		"func count() (size int) {\n\tentries, _ := files.ReadDir(\"static/deep\")\n\ttext, _ := files.ReadFile(\"static/a.txt\")\n\treturn len(text) + 100*len(entries)\n}\n\nfunc main", 1)
	r := newRun(t, map[string]string{
		"server/go.mod":         goMod + "\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n",
		"server/cmd/x/main.go":  program("\"example.com/lib\"", `"one", lib.Text`),
		"lib/go.mod":            "module example.com/lib\n\ngo 1.26.0\n",
		"lib/lib.go":            "package lib\n\nconst Text = \"lib\"\n",
		"lib/other/other.go":    "package other\n",
		"server/cmd/x/notes.md": "none",
	}, watch.Program{Package: []string{"./cmd/x"}, Dir: "server", Args: []string{"arg"}})
	r.prints(t, "the first build", "one lib")

	r.write(t, "server/cmd/x/main.go", program("\"example.com/lib\"", `"two", lib.Text`))
	r.prints(t, "a file is saved", "two lib")
	if got := *r.changed.Load(); len(got) != 1 || got[0] != filepath.Join("cmd", "x", "main.go") {
		t.Errorf("the changed files are %q", got)
	}
	r.quiet(t, "after that")

	r.write(t, "server/cmd/x/main.go", program("\"example.com/lib\"", `"two", lib.Text`))
	r.write(t, "server/cmd/x/notes.md", "another file")
	r.write(t, "server/cmd/x/main_test.go", "package main\n")
	r.write(t, "server/cmd/x/.#main.go", "of an editor")
	r.write(t, "lib/other/other.go", "package other // not imported\n")
	r.quiet(t, "the same contents, and files that the build does not read")
	r.undo(t, "server/cmd/x/main.go", program("\"example.com/lib\"", `"two", lib.Text`))

	r.write(t, "server/cmd/x/new", program("\"example.com/lib\"", `"three", lib.Text`))
	if err := os.Rename(filepath.Join(r.dir, "server/cmd/x/new"), filepath.Join(r.dir, "server/cmd/x/main.go")); err != nil {
		t.Fatal(err)
	}
	r.prints(t, "an editor replaces the file", "three lib")

	r.write(t, "server/cmd/x/main.go", program("\"example.com/lib\"", `"four", lib.Texts`))
	r.prints(t, "a mistake", "undefined: lib.Texts")
	r.write(t, "lib/texts.go", "package lib\n\nconst Texts = \"texts\"\n")
	r.prints(t, "a new file of a replaced module mends it", "four texts")
	r.write(t, "lib/lib.go", "package lib\n\nconst Text = \"lib\"\n\nfunc init() { println(\"begun\") }\n")
	r.prints(t, "a file of a replaced module", "begun\nfour texts")

	r.write(t, "server/cmd/x/main.go", embedding)
	r.prints(t, "a pattern without files", "no matching files found")
	r.write(t, "server/cmd/x/static/a.txt", "12345")
	r.prints(t, "an embedded file in a new directory", "begun\nmain lib 5")
	r.write(t, "server/cmd/x/static/a.txt", "1234567")
	r.prints(t, "an embedded file", "begun\nmain lib 7")
	r.write(t, "server/cmd/x/static/deep/b.txt", "")
	r.prints(t, "a new directory in an embedded one", "begun\nmain lib 107")
	if err := os.RemoveAll(filepath.Join(r.dir, "server/cmd/x/static/deep")); err != nil {
		t.Fatal(err)
	}
	r.prints(t, "an embedded directory is removed", "begun\nmain lib 7")

	r.write(t, "server/cmd/x/main.go", program("\"example.com/server/internal/new\"", `new.Text`))
	r.prints(t, "an import of a package that does not exist", "no required module provides package example.com/server/internal/new")
	r.write(t, "server/internal/new/new.go", "package new\n\nconst Text = \"new\"\n")
	r.prints(t, "the package is made", "new")
	r.write(t, "server/internal/new/new.go", "package new\n\nconst Text = \"newer\"\n")
	r.prints(t, "the package changes", "newer")
}

// TestRunBrokenModule starts without a module, and mends it.
func TestRunBrokenModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for several seconds")
	}
	r := newRun(t, map[string]string{"main.go": program("", `"one"`)}, watch.Program{Package: []string{"."}})
	r.prints(t, "there is no go.mod", "go.mod file not found")
	r.write(t, "go.mod", "module")
	r.prints(t, "go.mod is wrong", "go.mod:1")
	r.write(t, "go.mod", goMod)
	r.prints(t, "go.mod is right", "one")
	r.write(t, "main.go", program("", `"two"`))
	r.prints(t, "a file is saved", "two")
	r.write(t, "main.go", "package")
	r.prints(t, "a file has no package", "main.go:1")
	r.write(t, "main.go", strings.Replace(program("", `"three"`), "package main", "package server", 1))
	if b := r.next(t, "not a main package"); b.Err == nil || !strings.Contains(b.Err.Error(), ". is not a main package") {
		t.Errorf("not a main package: %v", b.Err)
	}
	r.write(t, "main.go", program("", `"three"`))
	r.prints(t, "it is one", "three")
}

// TestRunManySaves saves a file a hundred times a second.
func TestRunManySaves(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for several seconds")
	}
	r := newRun(t, map[string]string{"go.mod": goMod, "main.go": program("", "0")}, watch.Program{Package: []string{"main.go"}})
	r.prints(t, "the first build", "0")
	begun, last := time.Now(), 250
	for i := range last {
		r.write(t, "main.go", program("", fmt.Sprint(i+1)))
		time.Sleep(10 * time.Millisecond)
	}
	most := 2 + int(time.Since(begun)/time.Second)
	for n := 0; ; n++ {
		b := r.next(t, "the last contents")
		if n > most {
			t.Fatalf("%d builds in %v", n, time.Since(begun))
		}
		if b.Err != nil {
			continue // of a file that was being written
		}
		if out, err := exec.Command(b.Command[0]).CombinedOutput(); err == nil && strings.TrimSpace(string(out)) == fmt.Sprint(last) {
			break
		}
	}
	r.quiet(t, "after the last contents")
}

// TestRunInterrupted saves a file while its build runs.
func TestRunInterrupted(t *testing.T) {
	r := newRun(t, map[string]string{"go.mod": goMod, "main.go": program("", `"one"`)}, watch.Program{Package: []string{"."}})
	r.prints(t, "the first build", "one")
	again := func() { r.write(t, "main.go", program("", `"three"`)) }
	r.onBegin.Store(&again)
	r.write(t, "main.go", program("", `"two"`))
	r.prints(t, "saved twice", "three")
	if n := r.begun.Load(); n != 3 {
		t.Errorf("%d builds have begun, want 3", n)
	}
	again = func() {
		r.waiting.Store(false)
		r.write(t, "main.go", program("", `"three"`))
		for end := time.Now().Add(10 * time.Second); !r.waiting.Load(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Error("undone while the build runs: the change is not noticed")
				return
			}
		}
	}
	r.onBegin.Store(&again)
	r.write(t, "main.go", program("", `"four"`))
	r.prints(t, "undone while the build runs: whoever waits for it gets an answer", "three")
	r.quiet(t, "after that")
}

// TestRunWrittenAgain saves a file unchanged while its build runs, which may have read it when it was empty.
func TestRunWrittenAgain(t *testing.T) {
	r := newRun(t, map[string]string{"go.mod": goMod, "main.go": program("", `"one"`)}, watch.Program{Package: []string{"."}})
	r.prints(t, "the first build", "one")
	again := func() { r.write(t, "main.go", program("", `"two"`)) }
	r.onBegin.Store(&again)
	r.write(t, "main.go", program("", `"two"`))
	r.prints(t, "saved twice", "two")
	if n := r.begun.Load(); n != 3 {
		t.Errorf("%d builds have begun, want 3", n)
	}
	r.quiet(t, "after that")
}

// TestRunWhileListing makes directories while the sources are listed after a build.
func TestRunWhileListing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for several seconds")
	}
	main := func(n int) string {
		return fmt.Sprintf("package main\n\nimport (\n\"embed\"\n\"io/fs\"\n)\n\n//go:embed static\nvar files embed.FS\n\n"+
			"func main() {\n\tnames, _ := fs.Glob(files, \"static/*/*\")\n\tprintln(%d, len(names))\n}\n", n)
	}
	r := newRun(t, map[string]string{"go.mod": goMod, "main.go": main(0), "static/a.txt": ""}, watch.Program{Package: []string{"."}})
	r.prints(t, "the first build", "0 0")
	for n := range 10 {
		r.write(t, "main.go", main(n+1))
		r.prints(t, "a file is saved", fmt.Sprint(n+1, " ", n))
		time.Sleep(time.Duration(n) * 20 * time.Millisecond)
		r.write(t, fmt.Sprintf("static/%d/a.txt", n), "")
		r.prints(t, "a new embedded directory", fmt.Sprint(n+1, " ", n+1))
	}
}

// TestRunFile runs a program that something else builds.
func TestRunFile(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	r := newRun(t, map[string]string{"server": "#!/bin/sh\necho $1 one\n"}, watch.Program{File: "server", Args: []string{"arg"}})
	server := filepath.Join(r.dir, "server")
	if err := os.Chmod(server, 0o700); err != nil {
		t.Fatal(err)
	}
	r.prints(t, "the first version", "arg one")
	r.write(t, "server", "#!/bin/sh\necho $1 two\n")
	r.prints(t, "another version", "arg two")
}
