package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEmbeds compares paths with patterns of //go:embed.
func TestEmbeds(t *testing.T) {
	for _, test := range []struct {
		name, pattern, file string
		want                bool
	}{
		{"the file", "a.txt", "a.txt", true},
		{"another file", "a.txt", "b.txt", false},
		{"a file of a directory", "static", "static/css/a.css", true},
		{"a directory with the same beginning", "static", "statics/a.css", false},
		{"a hidden file of a directory", "static", "static/.a.swp", false},
		{"a hidden directory", "static", "static/_old/a.css", false},
		{"a hidden file with all", "all:static", "static/.a.css", true},
		{"files", "static/*.html", "static/a.html", true},
		{"a hidden file that a pattern names", "static/*", "static/.a", true},
		{"files of directories", "static/*", "static/css/a.css", true},
		{"a file above the package", "*", "../a.txt", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := embeds(test.pattern, test.file); got != test.want {
				t.Errorf("%s embeds %s: %v", test.pattern, test.file, got)
			}
		})
	}
}

// TestEmbedDirs finds the directories that have to be watched.
func TestEmbedDirs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/b/c", "a/.git", "a/module", "x"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a/module/go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pattern string
		want    []string
	}{
		{"a.txt", nil},
		{"a", []string{"a", "a/b", "a/b/c"}},
		{"all:a", []string{"a", "a/.git", "a/b", "a/b/c"}},
		{"a/*.txt", []string{"a"}},
		{"*/b", []string{"a", "a/b", "a/b/c", "x"}},
		{"none/*", nil},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			var got []string
			for _, path := range embedDirs(dir, test.pattern) {
				name, err := filepath.Rel(dir, path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(name))
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
