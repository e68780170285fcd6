// Package gendir writes generated files into a directory that also has files of an author.
//
// A generated Go file has a header. A file without it belongs to the author, and is neither overwritten nor removed.
package gendir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
)

// A File is a file to write.
type File struct {
	Name string // relative to the directory, with slashes
	Data []byte
	Once bool // written only if there is no such file, because the author edits it
}

// A Plan lists the changes that bring the generated files of a directory up to date. New only reads the directory.
type Plan struct {
	Dir    string   // absolute, without symbolic links; it may be missing
	Again  bool     // the directory has generated files already
	Write  []File   // new and changed files
	Kept   []string // names of existing files that are written once
	Remove []string // names of generated files that the generator does not make anymore

	header string
}

// names are the allowed names of files. They are the same on all file systems, and no element begins with a dot.
var names = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$`)

// New returns the plan for a directory. A generated Go file has the header as a line among its first ones. The error
// lists all files that prevent writing.
func New(dir, header string, files []File) (*Plan, error) {
	real, err := Resolve(dir)
	if err != nil {
		return nil, err
	}
	p := &Plan{Dir: real, header: header}
	if err := p.findGenerated(files); err != nil {
		return nil, err
	}
	p.Again = len(p.Remove) > 0
	var problems []error
	seen := map[string]bool{}
	for _, f := range files {
		p.Remove = slices.DeleteFunc(p.Remove, func(name string) bool { return name == f.Name })
		if folded := strings.ToLower(f.Name); !names.MatchString(f.Name) || seen[folded] {
			problems = append(problems, fmt.Errorf("%q is not the name of a file, or there are two of it", f.Name))
		} else {
			seen[folded] = true
			problems = append(problems, p.add(f))
		}
	}
	return p, errors.Join(problems...)
}

// Resolve returns the absolute path of a directory without symbolic links. The end of the path may be missing.
func Resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := atomicfile.Resolve(abs)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(real) != real:
		parent, err := Resolve(filepath.Dir(real))
		return filepath.Join(parent, filepath.Base(real)), err
	case err != nil:
		return "", fmt.Errorf("%s: %w", dir, atomicfile.Cause(err))
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file, not a directory", dir)
	}
	return real, nil
}

// findGenerated sets Remove to the generated files in the directory and in those directories below it that the files
// are in.
func (p *Plan) findGenerated(files []File) error {
	dirs := map[string]bool{".": true}
	for _, f := range files {
		dirs[path.Dir(f.Name)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		found, _ := fs.Glob(os.DirFS(p.Dir), path.Join(dir, "*.go")) // none for a name that is not valid, see New
		for _, name := range found {
			if info, err := os.Lstat(p.path(name)); err != nil || !info.Mode().IsRegular() {
				continue
			}
			data, err := os.ReadFile(p.path(name))
			if err != nil {
				return err
			}
			if p.IsGenerated(data) {
				p.Remove = append(p.Remove, name)
			}
		}
	}
	return nil
}

// IsGenerated reports whether the contents of a file have the header.
func (p *Plan) IsGenerated(data []byte) bool {
	for line := range bytes.Lines(data[:min(len(data), 1024)]) {
		if string(bytes.TrimRight(line, "\r\n")) == p.header {
			return true
		}
	}
	return false
}

// path returns the path of a file by its name.
func (p *Plan) path(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// add adds a file to the plan, or returns an error if it must not be written.
func (p *Plan) add(f File) error {
	for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(p.path(dir)); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a directory; move it away", p.path(dir))
		}
	}
	file := p.path(f.Name)
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Write = append(p.Write, f)
		return nil
	case err != nil:
		return err
	case f.Once:
		p.Kept = append(p.Kept, f.Name)
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; move it away", file)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// A file that is not Go, such as JSON, has no header. It is generated if other files there are.
	if !p.IsGenerated(old) && (p.IsGenerated(f.Data) || !p.Again) {
		return fmt.Errorf("%s exists, and was not generated; rename it, or write into another directory", file)
	}
	if !bytes.Equal(old, f.Data) {
		p.Write = append(p.Write, f)
	}
	return nil
}

// Changes reports whether the plan changes anything.
func (p *Plan) Changes() bool { return len(p.Write)+len(p.Remove) > 0 }

// Apply changes the directory. Each file is written completely or not at all.
func (p *Plan) Apply() error {
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return err
	}
	for _, f := range p.Write {
		if err := os.MkdirAll(filepath.Dir(p.path(f.Name)), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(p.path(f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	for _, name := range p.Remove {
		if err := os.Remove(p.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Overlay writes the files to a directory, and with them the file for go build -overlay that puts the plan in effect for
// the package in root, which is the directory of the plan or a copy of it.
func (p *Plan) Overlay(to, root string) (file string, err error) {
	replace := map[string]string{}
	for i, f := range p.Write {
		data := filepath.Join(to, strconv.Itoa(i)+path.Ext(f.Name))
		if err := os.WriteFile(data, f.Data, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(f.Name))] = data
	}
	for _, name := range p.Remove {
		replace[filepath.Join(root, filepath.FromSlash(name))] = ""
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(to, "overlay.json")
	return file, os.WriteFile(file, text, 0o600)
}
