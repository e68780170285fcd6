package skills

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/mcptool"
)

// manifest is the name of the file that makes a directory a skill.
const manifest = "SKILL.md"

// maxEntries is the maximum number of files and directories in a tree.
const maxEntries = 100_000

// tree reads the skills of a [Source].
type tree struct {
	source   Source
	mistakes *mistakes
	in       string // prefix of the location of a mistake

	directories []string          // all directories, in the order of the walk
	entries     map[string]entry  // files, by path
	bytes       map[string][]byte // contents of the files that were read
	files       map[string]*file  // files of skills
}

// entry is a file of the tree.
type entry struct {
	mode fs.FileMode
	size int64
	err  error
}

// mistake notes a mistake in the tree.
func (t *tree) mistake(where, reason, fix string) { t.mistakes.add(t.in+where, reason, fix) }

// read returns the skills.
func (t *tree) read() (all []*skill) {
	if t.source.FS == nil {
		t.mistake("the tree", "it is nil", "pass an fs.FS, such as an embed.FS")
		return nil
	}
	t.entries, t.bytes, t.files = map[string]entry{}, map[string][]byte{}, map[string]*file{}
	before := len(t.mistakes.all)
	if !t.walk() {
		return nil
	}
	for _, dir := range t.directories {
		if _, ok := t.entries[path.Join(dir, manifest)]; ok {
			if s := t.skill(dir); s != nil {
				all = append(all, s)
			}
		}
	}
	t.findMisspelt()
	if len(all) == 0 && len(t.mistakes.all) == before {
		t.mistake("the tree", "no directory has a "+manifest, "pass the directory that contains the skill directories; with an embed.FS use fs.Sub")
	}
	return all
}

// findMisspelt notes files whose name differs from the manifest's only in case.
func (t *tree) findMisspelt() {
	for name := range t.entries {
		dir, base := path.Split(name)
		if _, ok := t.entries[dir+manifest]; !ok && base != manifest && strings.EqualFold(base, manifest) {
			t.mistake(show(name), "this file does not make its directory a skill", "rename it to "+manifest)
		}
	}
}

// errTooMany ends a walk.
var errTooMany = errors.New("too many entries")

// walk lists the tree, and reports whether it succeeded.
func (t *tree) walk() bool {
	count := 0
	err := fs.WalkDir(t.source.FS, ".", func(name string, d fs.DirEntry, err error) error {
		count++
		switch {
		case err != nil:
			t.mistake(show(name), "it cannot be read: "+err.Error(), "make it readable")
			if name == "." {
				return err
			}
			return fs.SkipDir
		case count > maxEntries:
			return errTooMany
		case name != "." && strings.HasPrefix(path.Base(name), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			t.directories = append(t.directories, name)
		default:
			e := entry{mode: d.Type()}
			if info, err := d.Info(); err != nil {
				e.err = err
			} else {
				e.size = info.Size()
			}
			t.entries[name] = e
		}
		return nil
	})
	if errors.Is(err, errTooMany) {
		t.mistake("the tree", fmt.Sprintf("it has more than %d files and directories", maxEntries), "pass the directory that contains the skill directories")
	}
	return err == nil
}

// below returns the files in a directory and below it, sorted.
func (t *tree) below(dir string) (names []string) {
	for name := range t.entries {
		if within(name, dir) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// within reports whether name is the directory or below it.
func within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// skill reads the skill in a directory; nil if it has mistakes.
func (t *tree) skill(dir string) *skill {
	before := len(t.mistakes.all)
	names := t.below(dir)
	if !t.check(dir, names) {
		return nil
	}
	head := t.head(dir)
	if head == nil {
		return nil
	}
	s := &skill{path: dir, head: *head}
	if dir == "." {
		s.path = head.name
	}
	for _, d := range t.directories {
		if !within(d, dir) {
			continue
		}
		s.directories = append(s.directories, s.served(d, dir))
		if reason := nameProblem(d); d != "." && reason != "" {
			t.mistake(show(d), reason, "rename it")
		}
	}
	for _, name := range names {
		f := t.file(name, s, dir)
		if f == nil {
			continue
		}
		s.files = append(s.files, f)
		if name == path.Join(dir, manifest) {
			s.manifest = f
		}
	}
	if len(t.mistakes.all) > before || s.manifest == nil {
		return nil
	}
	s.encode()
	return s
}

// check checks the files of a skill before they are read.
func (t *tree) check(dir string, names []string) bool {
	before := len(t.mistakes.all)
	var bytes int64
	for _, name := range names {
		e := t.entries[name]
		bytes += e.size
		switch {
		case e.err != nil:
			t.mistake(show(name), "it cannot be read: "+e.err.Error(), "make it readable")
		case e.mode&fs.ModeSymlink != 0:
			t.mistake(show(name), "it is a symbolic link", "replace it with a copy of the file")
		case !e.mode.IsRegular():
			t.mistake(show(name), "it is neither a file nor a directory", "remove it")
		case e.size > MaxFileBytes:
			t.mistake(show(name), fmt.Sprintf("it has %s, more than the %s that can be sent", bytesize.Text(e.size), bytesize.Text(MaxFileBytes)), "split it, or let a tool return it")
		}
		if reason := nameProblem(name); reason != "" {
			t.mistake(show(name), reason, "rename it")
		}
	}
	if len(names) > MaxFiles {
		t.mistake(show(dir), fmt.Sprintf("the skill has %d files, and hosts accept %d", len(names), MaxFiles), "split it into several skills")
	}
	if bytes > MaxBytes {
		t.mistake(show(dir), fmt.Sprintf("the files of the skill have %s, more than the %s that hosts accept", bytesize.Text(bytes), bytesize.Text(MaxBytes)), "split it into several skills")
	}
	return len(t.mistakes.all) == before
}

// head reads the frontmatter of the skill in a directory; nil if it has mistakes.
func (t *tree) head(dir string) *frontmatter {
	before, name := len(t.mistakes.all), path.Join(dir, manifest)
	data, err := t.data(name)
	if err != nil {
		t.mistake(show(name), err.Error(), "make it readable")
		return nil
	}
	head, problems := readFrontmatter(data)
	for _, p := range problems {
		where := show(name)
		if p.line > 0 {
			where = fmt.Sprintf("%s:%d", where, p.line)
		}
		t.mistake(where, p.reason, p.fix)
	}
	if len(problems) > 0 {
		return nil
	}
	if own := path.Base(dir); dir != "." && head.name != own {
		t.mistake(show(name), fmt.Sprintf("the skill has the name %q, and its directory %q", head.name, own), "give both the same name")
	}
	if first, _, _ := strings.Cut(dir, "/"); dir != "." && !isRegName(first) {
		t.mistake(show(first), "the name of the directory becomes the host in the URIs of its skills", "use lower-case letters, digits, hyphens and dots")
	}
	if len(t.mistakes.all) > before {
		return nil
	}
	return &head
}

// data returns the bytes of a file.
func (t *tree) data(name string) ([]byte, error) {
	if data, ok := t.bytes[name]; ok {
		return data, nil
	}
	opened, err := t.source.FS.Open(name)
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened: %w", err)
	}
	defer func() { _ = opened.Close() }() // only read, so no data is lost
	data, err := io.ReadAll(io.LimitReader(opened, MaxFileBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case len(data) > MaxFileBytes:
		return nil, fmt.Errorf("it has more than %s", bytesize.Text(MaxFileBytes))
	}
	t.bytes[name] = data
	return data, nil
}

// file returns a file of a skill, which may also be in another skill; nil if it has mistakes.
func (t *tree) file(name string, of *skill, dir string) *file {
	if f := t.files[name]; f != nil {
		return f
	}
	data, err := t.data(name)
	if err != nil {
		t.mistake(show(name), err.Error(), "make it readable")
		return nil
	}
	label, text := path.Base(name), ""
	if head := t.headOf(name, of, dir); head != nil {
		label, text = head.name, head.description
	}
	f, err := newFile(of.served(name, dir), data, label, text, t.source.Options)
	if wrong, ok := errors.AsType[*mcptool.RegisterError](err); ok {
		for _, m := range wrong.Mistakes {
			t.mistake("the options", m.Reason, m.Fix)
		}
		return nil
	}
	t.files[name] = f
	return f
}

// headOf returns the frontmatter of the skill whose manifest the file is; nil if it is another file, or if it has
// mistakes, which are noted when its own skill is read.
func (t *tree) headOf(name string, of *skill, dir string) *frontmatter {
	switch {
	case path.Base(name) != manifest:
		return nil
	case path.Dir(name) == dir:
		return &of.head
	}
	data, err := t.data(name)
	if err != nil {
		return nil
	}
	if head, problems := readFrontmatter(data); len(problems) == 0 {
		return &head
	}
	return nil
}
