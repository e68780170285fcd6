package skills_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcptool-go/mcptool/extension/skills"
	"github.com/mcptool-go/mcptool/mcptool"
)

// TestMistakes checks that all mistakes are reported together, each with its position and a fix.
func TestMistakes(t *testing.T) {
	t.Parallel()
	many := map[string]string{"many/SKILL.md": head("many")}
	for i := range skills.MaxFiles {
		many[fmt.Sprintf("many/%03d", i)] = "x"
	}
	large := map[string]string{"large/SKILL.md": head("large")}
	for i := range 3 {
		large[fmt.Sprintf("large/%d", i)] = strings.Repeat("x", 6<<20)
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		opts  []mcptool.ResourceOption
		want  []string
	}{
		{"nothing", map[string]string{"a.md": ""}, nil, []string{"the tree: no directory has a SKILL.md; pass the directory that contains the skill directories"}},
		{"several", map[string]string{"a/SKILL.md": head("b"), "c/SKILL.md": "# c", "d/SKILL.md": "---\nname: d\n---\n"}, nil, []string{
			`a/SKILL.md: the skill has the name "b", and its directory "a"; give both the same name`,
			"c/SKILL.md:1: it does not begin with frontmatter", "d/SKILL.md:1: the frontmatter has no description; write description:",
		}},
		{"SKL-04 the last element", map[string]string{"x/y/SKILL.md": head("x")}, nil, []string{`name "x", and its directory "y"`}},
		{"SKL-08 too many files", many, nil, []string{"many: the skill has 513 files, and hosts accept 512; split it"}},
		{"SKL-08 too many bytes", large, nil, []string{"large: the files of the skill have 18.0 MiB, more than the 16.0 MiB that hosts accept"}},
		{"a large file", map[string]string{"a/SKILL.md": head("a"), "a/big": strings.Repeat("x", 9<<20)}, nil, []string{"a/big: it has 9.0 MiB, more than the 8.0 MiB that can be sent"}},
		{"the case", map[string]string{"a/skill.md": head("a")}, nil, []string{"a/skill.md: this file does not make its directory a skill; rename it to SKILL.md"}},
		{"SKL-12 a host", map[string]string{"My Team/a/SKILL.md": head("a")}, nil, []string{"My Team: the name of the directory becomes the host in the URIs"}},
		{"file names", map[string]string{
			"a/SKILL.md": head("a"), "a/b\\c": "", "a/d\x01": "", "a/e\u202e": "", "a/c:d": "", "a/dot.": "", "a/" + strings.Repeat("n", 256): "", "a/ b": "", "a/em?ty/": "",
		}, nil, []string{
			"a/ b: the name ends or begins with a space", `a/b\c: the name has one of`, "a/c:d: the name has one of", `"a/d\x01": the name has an invisible character; rename it`,
			"a/dot.: the name ends", `"a/e\u202e": the name has an invisible character`, "has more than 255 bytes",
		}},
		{"an empty directory", map[string]string{"a/SKILL.md": head("a"), "a/em?ty/": ""}, nil, []string{"a/em?ty: the name has one of"}},
		{"options", map[string]string{"a/SKILL.md": head("a"), "a/b": ""}, []mcptool.ResourceOption{mcptool.Timeout(-1), mcptool.Concurrent(-1)}, []string{"the options: ", "the options: "}},
		{"options for one", map[string]string{"a/SKILL.md": head("a")}, []mcptool.ResourceOption{mcptool.Title("T")}, []string{"the options: Title, Icons and Meta describe a single resource"}},
		{"more options for one", map[string]string{"a/SKILL.md": head("a")}, []mcptool.ResourceOption{mcptool.Name("other")}, []string{"the options: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := skills.FromFS(tree(test.files), test.opts...)
			if err == nil {
				t.Fatal("accepted")
			}
			at := 0
			for _, want := range test.want {
				i := strings.Index(err.Error()[at:], want)
				if i < 0 {
					t.Fatalf("want %q from byte %d on in\n%v", want, at, err)
				}
				at += i + len(want)
			}
			if lines := strings.Count(err.Error(), "\n") + 1; lines != max(len(test.want), 1) && test.name != "SKL-08 too many bytes" {
				t.Errorf("%d mistakes, want %d:\n%v", lines, len(test.want), err)
			}
			defer func() {
				if recover() == nil {
					t.Error("MustFromFS does not panic")
				}
			}()
			skills.MustFromFS(tree(test.files), test.opts...)
		})
	}
}

// TestSources checks that mistakes name the source and that two sources cannot have the same skill.
func TestSources(t *testing.T) {
	t.Parallel()
	one := tree(map[string]string{"a/SKILL.md": head("a"), "a/in/SKILL.md": head("in")})
	_, err := skills.FromSources(skills.Source{FS: one}, skills.Source{FS: one})
	if err == nil || !strings.Contains(err.Error(), "skill://a/SKILL.md: two sources have this skill") || !strings.Contains(err.Error(), "skill://a/in/SKILL.md: two sources have this file; rename") {
		t.Error(err)
	}
	_, err = skills.FromSources(skills.Source{FS: one}, skills.Source{FS: tree(map[string]string{"b/SKILL.md": ""})}, skills.Source{})
	if err == nil || !strings.Contains(err.Error(), "source 2: b/SKILL.md:1: ") || !strings.Contains(err.Error(), "source 3: the tree: it is nil; pass an fs.FS") {
		t.Error(err)
	}
	e, err := skills.FromSources(skills.Source{FS: one}, skills.Source{FS: tree(map[string]string{"b/SKILL.md": head("b")})})
	if err != nil || len(e.Resources) != 3 {
		t.Error(err, e.Resources)
	}
	if e, err := skills.FromSources(); err != nil || e.Resources == nil {
		t.Errorf("without sources: %v", err)
	}
}

// TestFileSystem checks that symbolic links and names that are not UTF-8 are mistakes, and that a skill is served as it
// was checked, even if its file changes.
func TestFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Skip(err) // not every system allows every name
		}
	}
	write("a/SKILL.md", head("a"))
	write("b/SKILL.md", head("b"))
	for name, target := range map[string]string{"a/link": "/etc/passwd", "a/up": "..", "c": "b"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	_, err := skills.FromFS(os.DirFS(dir))
	if err == nil || strings.Count(err.Error(), "it is a symbolic link; replace it") != 2 || !strings.Contains(err.Error(), "a/link: ") || !strings.Contains(err.Error(), "a/up: ") {
		t.Error(err)
	}
	sub, err := fs.Sub(os.DirFS(dir), "b")
	if err != nil {
		t.Fatal(err)
	}
	e, err := skills.FromFS(sub)
	if err != nil {
		t.Fatal(err)
	}
	write("b/SKILL.md", "changed")
	contents, err := e.Resources[0].Read(t.Context(), "skill://b/SKILL.md")
	if err != nil || contents[0].Text != head("b") {
		t.Errorf("the served text is not the checked one: %v %v", contents, err)
	}
	write("b/SKILL.md", head("b"))
	write("b/\xff", "x")
	if _, err := skills.FromFS(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), `"b/\xff": the name is not UTF-8`) {
		t.Error(err)
	}
}

// failing is a file system with injected errors.
type failing struct {
	fstest.MapFS
	open, dir string
}

func (f failing) Open(name string) (fs.File, error) {
	if name == f.open {
		return nil, errors.New("no disk")
	}
	return f.MapFS.Open(name)
}

func (f failing) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.dir {
		return nil, errors.New("no directory")
	}
	return f.MapFS.ReadDir(name)
}

// TestFailingFileSystem checks that a file or directory that cannot be read is a mistake.
func TestFailingFileSystem(t *testing.T) {
	t.Parallel()
	files := tree(map[string]string{"a/SKILL.md": head("a"), "a/x": "x", "a/d/y": "y"})
	for _, test := range []struct {
		fsys fs.FS
		want string
	}{
		{failing{files, "a/x", ""}, "a/x: it cannot be opened: no disk"},
		{failing{files, "a/SKILL.md", ""}, "a/SKILL.md: it cannot be opened: no disk"},
		{failing{files, "", "a/d"}, "a/d: it cannot be read: no directory"},
		{failing{files, "", "."}, "the tree: it cannot be read: no directory"},
	} {
		if _, err := skills.FromFS(test.fsys); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
