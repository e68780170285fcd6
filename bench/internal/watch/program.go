package watch

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Program is a server that is started again whenever it changes: a Go package, or a file that something else builds.
type Program struct {
	Package []string // the package, or its .go files; nil if File is set
	Flags   []string // build flags
	Dir     string   // where the go command runs, and the program; "" is the current directory
	Exec    []string // a program, with arguments, that runs the program, as of go run -exec
	File    string   // an executable file that is not built
	Args    []string // of the program
}

// Parse reads a command: go run with its flags, a package and arguments; a package and arguments; or the path of a
// program and arguments. The error suggests what to write instead.
func Parse(words []string) (Program, error) {
	word := words[0]
	info, err := os.Stat(word)
	base := strings.TrimSuffix(filepath.Base(word), ".exe")
	isPath := strings.ContainsAny(word, `/\`) || word == "." || word == ".."
	switch {
	case base == "go":
		return parseGo(words[1:])
	case err == nil && info.IsDir():
		if !filepath.IsAbs(word) {
			word = "." + string(filepath.Separator) + filepath.Clean(word)
		}
		return Program{Package: []string{word}, Args: words[1:]}, nil
	case strings.HasSuffix(word, ".go"):
		return newProgram("", nil, nil, words)
	case err == nil && isPath && info.Mode()&0o111 != 0:
		return Program{File: word, Args: words[1:]}, nil
	case err == nil && isPath:
		return Program{}, fmt.Errorf("%s is neither a directory with Go files nor executable", word)
	case err == nil:
		return Program{}, fmt.Errorf("%[1]s is looked up in PATH; for the file %[1]s here, write .%[2]c%[1]s", word, filepath.Separator)
	}
	if _, err := exec.LookPath(word); err == nil && !isPath {
		return Program{}, fmt.Errorf("%[1]s is no Go package, so there is nothing to build when a file changes; bench ui -- %[1]s … shows any server, and bench dev takes go run PACKAGE, a package, or the path of a program", word)
	}
	if first, _, found := strings.Cut(word, "/"); found && strings.Contains(strings.TrimLeft(first, "."), ".") {
		return newProgram("", nil, nil, words) // an import path
	}
	return Program{}, fmt.Errorf("there is no %s; write go run PACKAGE, a package such as ./cmd/server, or the path of a program", word)
}

// The build flags of the go command, with a value and without. -C and -exec are not for the build.
var (
	flagsWithValue = strings.Fields("asmflags buildmode compiler covermode coverpkg gccgoflags gcflags installsuffix ldflags mod modfile overlay p pgo pkgdir tags toolexec")
	flagsWithout   = strings.Fields("a asan buildvcs cover json linkshared modcacherw msan race trimpath v work x")
)

// parseGo reads the words behind go.
func parseGo(words []string) (Program, error) {
	dir := ""
	if len(words) > 0 && words[0] == "-C" && len(words) > 1 {
		dir, words = words[1], words[2:]
	}
	if len(words) == 0 || words[0] != "run" {
		return Program{}, fmt.Errorf("go %s runs no program of yours; write go run PACKAGE", strings.Join(words[:min(1, len(words))], ""))
	}
	var flags, wrapper []string
	set := flag.NewFlagSet("go run", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for i, name := range append(flagsWithValue, flagsWithout...) {
		add := func(value string) error {
			flags = append(flags, "-"+name+"="+value) // in order: flags such as -gcflags may be repeated
			return nil
		}
		if i < len(flagsWithValue) {
			set.Func(name, "", add)
		} else {
			set.BoolFunc(name, "", add)
		}
	}
	set.Func("C", "", func(value string) error { dir = value; return nil })
	set.Func("exec", "", func(value string) error { wrapper = strings.Fields(value); return nil })
	if err := set.Parse(words[1:]); err != nil {
		return Program{}, fmt.Errorf("go run: %w; flags of the server come after the package", err)
	}
	return newProgram(dir, flags, wrapper, set.Args())
}

// newProgram returns the program of a package, or of .go files, at the beginning of words. The others are its arguments.
func newProgram(dir string, flags, wrapper, words []string) (Program, error) {
	n := slices.IndexFunc(words, func(word string) bool { return !strings.HasSuffix(word, ".go") })
	if n < 0 {
		n = len(words)
	}
	n = max(n, min(1, len(words))) // no files: a package
	switch {
	case n == 0:
		return Program{}, errors.New("go run has no package; write go run . or the path of a package")
	case strings.Contains(words[0], "@"):
		return Program{}, fmt.Errorf("%s has a version, so it does not change; bench ui -- go run %s shows it", words[0], words[0])
	case strings.Contains(words[0], "..."):
		return Program{}, fmt.Errorf("%s may be several packages; name one", words[0])
	}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return Program{}, fmt.Errorf("-C %s is not a directory", dir)
		}
	}
	return Program{Package: words[:n], Flags: flags, Dir: dir, Exec: wrapper, Args: words[n:]}, nil
}

// command returns the command that runs a built program.
func (p Program) command(file string) []string {
	return slices.Concat(p.Exec, []string{file}, p.Args)
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
