package watch

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/gocommand"
)

// sources are the files that a build reads and that the author can edit. Paths are absolute.
type sources struct {
	dirs     map[string]bool     // to watch; the directories of the files, and those where a missing package would appear
	packages map[string][]string // directories of packages, and the patterns of their embedded files
	files    map[string]bool     // other files, such as go.mod
}

// goPackage has the required members of a package that go list prints.
type goPackage struct {
	Dir, ImportPath string
	Standard        bool
	EmbedPatterns   []string
	Module          *goModule
}

// goModule is the module of a package.
type goModule struct {
	Path, Dir, GoMod string
	Main             bool // also for all modules of go.work
	Replace          *struct{ Version string }
}

// isLocal reports whether the author can edit the module: it is not in the module cache.
func (m *goModule) isLocal() bool {
	return m == nil || m.Main || m.Replace != nil && m.Replace.Version == ""
}

// listSources returns the sources of a program. If the go command cannot list them, such as for a go.mod with a mistake,
// they are the files of the package and the files that can be wrong.
func listSources(ctx context.Context, p Program) *sources {
	s := &sources{dirs: map[string]bool{}, packages: map[string][]string{}, files: map[string]bool{}}
	if p.File != "" {
		s.addFile(absolute(p.Dir, p.File))
		return s
	}
	args := slices.Concat([]string{"list", "-e", "-deps", "-json=Dir,ImportPath,Standard,EmbedPatterns,Module"}, p.Flags, []string{"--"}, p.Package)
	out, err := gocommand.Run(ctx, p.Dir, nil, args...)
	modules := map[string]string{} // directories of the local modules
	var missing []string
	for d := json.NewDecoder(strings.NewReader(out)); err == nil; {
		var pkg goPackage
		if d.Decode(&pkg) != nil { // the end
			break
		}
		switch {
		case pkg.Standard:
		case pkg.Dir == "" || !exists(pkg.Dir):
			missing = append(missing, pkg.ImportPath)
		case pkg.Module.isLocal():
			s.addPackage(pkg.Dir, pkg.EmbedPatterns)
			if m := pkg.Module; m != nil && m.Dir != "" {
				modules[m.Path] = m.Dir
				s.addModule(m.GoMod)
			}
		}
	}
	for _, path := range missing {
		for module, dir := range modules {
			rest, ok := strings.CutPrefix(path, module+"/")
			switch dir = filepath.Join(dir, filepath.FromSlash(rest)); {
			case !ok:
			case exists(dir): // without Go files
				s.addPackage(dir, nil)
			default:
				s.dirs[existing(dir)] = true
			}
		}
	}
	if len(s.packages) == 0 {
		s.addUnlisted(p)
	}
	if work, err := gocommand.Run(ctx, p.Dir, nil, "env", "GOWORK"); err == nil && filepath.IsAbs(work) { // else there is none
		s.addModule(strings.TrimSpace(work))
	}
	return s
}

// addUnlisted adds what can be wrong with a program that cannot be listed: its files, and go.mod and go.work in its
// directory and above.
func (s *sources) addUnlisted(p Program) {
	dir := absolute(p.Dir, ".")
	for _, name := range p.Package {
		switch path := absolute(p.Dir, name); {
		case strings.HasSuffix(name, ".go"):
			s.addFile(path)
		case filepath.IsLocal(name) || filepath.IsAbs(name) || strings.HasPrefix(name, "."):
			s.addPackage(existing(path), nil)
		}
	}
	s.addModule(filepath.Join(dir, "go.mod"))
	for {
		for _, name := range []string{"go.mod", "go.work"} {
			if file := filepath.Join(dir, name); exists(file) {
				s.addModule(file)
			}
		}
		if dir == filepath.Dir(dir) {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// addPackage adds the files of a directory, and those that it embeds.
func (s *sources) addPackage(dir string, patterns []string) {
	s.packages[dir] = patterns
	s.dirs[dir] = true
	for _, pattern := range patterns {
		for _, sub := range embedDirs(dir, pattern) {
			s.dirs[sub] = true
		}
	}
}

// addModule adds go.mod or go.work, and the file of its checksums.
func (s *sources) addModule(file string) {
	if file != "" {
		s.addFile(file)
		s.addFile(strings.TrimSuffix(file, ".mod") + ".sum") // go.sum, go.work.sum
	}
}

func (s *sources) addFile(file string) {
	s.files[file] = true
	s.dirs[filepath.Dir(file)] = true
}

// contains reports whether a file belongs to the sources.
func (s *sources) contains(file string) bool {
	if s.files[file] {
		return true
	}
	dir, name := filepath.Split(file)
	if _, ok := s.packages[filepath.Clean(dir)]; ok && isSource(name) {
		return true
	}
	for pkg, patterns := range s.packages {
		for _, pattern := range patterns {
			if below, err := filepath.Rel(pkg, file); err == nil && embeds(pattern, filepath.ToSlash(below)) {
				return true
			}
		}
	}
	return false
}

// digests returns the digests of all files. Those of known files are not computed.
func (s *sources) digests(known map[string]digest) map[string]digest {
	all := map[string]digest{}
	for dir := range s.dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // it has been removed
		}
		for _, entry := range entries {
			file := filepath.Join(dir, entry.Name())
			if entry.IsDir() || !s.contains(file) {
				continue
			}
			sum, ok := known[file]
			if !ok {
				sum, ok = digestOf(file)
			}
			if ok {
				all[file] = sum
			}
		}
	}
	return all
}

// sourceExtensions are the extensions of the files that the go command compiles, see go help packages.
var sourceExtensions = map[string]bool{
	".go": true, ".c": true, ".cc": true, ".cpp": true, ".cxx": true, ".m": true, ".h": true, ".hh": true, ".hpp": true, ".hxx": true,
	".f": true, ".F": true, ".for": true, ".f90": true, ".s": true, ".S": true, ".sx": true, ".swig": true, ".swigcxx": true, ".syso": true,
}

// isSource reports whether the go command may compile a file of a package.
func isSource(name string) bool {
	return sourceExtensions[filepath.Ext(name)] && !isHidden(name) && !strings.HasSuffix(name, "_test.go")
}

// isHidden reports whether the go command ignores a file or directory.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// embeds reports whether a pattern of //go:embed matches a file, given by its path below the package: itself, or a
// directory that has it.
func embeds(pattern, file string) bool {
	pattern, all := strings.CutPrefix(pattern, "all:")
	if file == ".." || strings.HasPrefix(file, "../") {
		return false
	}
	elements := strings.Split(file, "/")
	for n := len(elements); n > 0; n-- {
		if ok, _ := path.Match(pattern, path.Join(elements[:n]...)); ok && (all || !slices.ContainsFunc(elements[n:], isHidden)) {
			return true
		}
	}
	return false
}

// embedDirs returns the directories with files that a pattern of //go:embed matches or could match.
func embedDirs(dir, pattern string) (found []string) {
	pattern, all := strings.CutPrefix(pattern, "all:")
	files, elements := os.DirFS(dir), strings.Split(pattern, "/")
	for n := 1; n <= len(elements); n++ {
		matches, _ := fs.Glob(files, path.Join(elements[:n]...)) // the go command reports a pattern that is not valid
		for _, match := range matches {
			_ = fs.WalkDir(files, match, func(name string, entry fs.DirEntry, err error) error { // without what cannot be read
				isDir := err == nil && entry.IsDir()
				if isDir && name != match && (n < len(elements) || !all && isHidden(entry.Name()) || exists(filepath.Join(dir, name, "go.mod"))) {
					return fs.SkipDir
				}
				if isDir {
					found = append(found, filepath.Join(dir, name))
				}
				return nil
			})
		}
	}
	return found
}

// A digest identifies the contents of a file.
type digest [sha256.Size]byte

// digestOf returns the digest of a regular file; false if there is none.
func digestOf(path string) (d digest, ok bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return d, false
	}
	data, err := os.ReadFile(path)
	return sha256.Sum256(data), err == nil
}

// absolute returns the absolute path of a name in a directory; "" is the current directory.
func absolute(dir, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// existing returns the closest directory that exists: path, or one above it.
func existing(path string) string {
	for !exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return path
}
