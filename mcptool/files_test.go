package mcptool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

// tree returns a small tree of files.
func tree() fstest.MapFS {
	when := time.Date(2026, 7, 28, 10, 30, 0, 5, time.UTC)
	file := func(text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), ModTime: when, Mode: 0o644}
	}
	return fstest.MapFS{
		"guide/intro.md":   file("# Intro"),
		"guide/a b+ü.txt":  file("x"),
		"guide/back\\.txt": file("x"),
		"guide.txt":        file("between"),
		"data.bin":         file("\xff\x00"),
		"noext":            file("plain"),
		".hidden":          file("secret"),
		".git/config":      file("secret"),
		"logo.png":         file("\x89PNG\r\n\x1a\n"),
		"empty.md":         file(""),
		"liar.md":          file("\xff"),
	}
}

// listAll returns the links of all pages.
func listAll(tb testing.TB, r *mcptool.Resource) (links []mcptool.ResourceLink) {
	tb.Helper()
	for cursor := ""; ; {
		page, next, err := listPage(tb.Context(), r, cursor)
		if err != nil {
			tb.Fatal(err)
		}
		links = append(links, page...)
		if cursor = next; next == "" {
			return links
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	var registry mcptool.Registry
	r := mcptool.Files(tree(), "docs://", mcptool.Scopes("docs:read"), mcptool.Name("docs"))
	if err := registry.Add(r, mcptool.Files(tree(), "more://x/")); err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, link := range listAll(t, r) {
		uris = append(uris, link.URI)
		if got, ok := registry.LookupResource(link.URI); !ok || got != r {
			t.Errorf("%s is listed but cannot be read", link.URI)
		}
		if contents, err := r.Read(t.Context(), link.URI); err != nil || contents[0].URI != link.URI || link.MIMEType != "" && contents[0].MIMEType != link.MIMEType && link.Name != "liar.md" {
			t.Errorf("%s: %v %v, listed as %q", link.URI, contents, err, link.MIMEType)
		}
		if *link.Size > 9 || link.Annotations.LastModified.Second() != 0 {
			t.Errorf("size %d, modified %v", *link.Size, link.Annotations.LastModified)
		}
	}
	want := []string{
		"docs://data.bin", "docs://empty.md", "docs://guide/a%20b+%C3%BC.txt", "docs://guide/intro.md", "docs://guide.txt",
		"docs://liar.md", "docs://logo.png", "docs://noext",
	}
	if !slices.Equal(uris, want) {
		t.Errorf("listed %q,\nwant %q", uris, want)
	}
	for uri, want := range map[string]mcptool.ResourceContents{
		"docs://guide/intro.md": {MIMEType: "text/markdown", Text: "# Intro"},
		"docs://data.bin":       {MIMEType: "application/octet-stream", Blob: []byte{0xff, 0}},
		"docs://noext":          {MIMEType: "text/plain; charset=utf-8", Text: "plain"},
		"docs://logo.png":       {MIMEType: "image/png", Blob: []byte("\x89PNG\r\n\x1a\n")},
		"docs://empty.md":       {MIMEType: "text/markdown"},
		"docs://guide":          {MIMEType: "text/plain", Text: "a b+ü.txt\nintro.md\n"},
	} {
		want.URI = uri
		got, err := r.Read(t.Context(), uri)
		if diff := cmp.Diff([]mcptool.ResourceContents{want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", uri, err, diff)
		}
	}
}

func TestFilesNoWayOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("secret.txt", "secret")
	write("root/real/a.txt", "a")
	write("root/.env", "secret")
	write("root/.hidden/key", "secret")
	for name, target := range map[string]string{
		"root/inside.txt": "real/a.txt", "root/up.txt": "../secret.txt", "root/abs.txt": filepath.Join(dir, "secret.txt"), "root/dir": "real",
		"root/out": "..", "root/loop": "loop", "root/real/back.txt": "../inside.txt", "root/real/climb.txt": "../../secret.txt", "root/sneaky": "real/../../secret.txt",
		"root/env.txt": ".env", "root/real/key": "../.hidden/key", "root/shown": ".hidden",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	root, err := os.OpenRoot(filepath.Join(dir, "root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, fsys := range map[string]fs.FS{"os.DirFS": os.DirFS(filepath.Join(dir, "root")), "os.Root": root.FS()} {
		r := mcptool.Files(fsys, "f://")
		for _, uri := range []string{"f://inside.txt", "f://dir/a.txt", "f://real/back.txt"} {
			if got, err := r.Read(t.Context(), uri); err != nil || got[0].Text != "a" {
				t.Errorf("%s: %s: %v %v", name, uri, got, err)
			}
		}
		for _, uri := range []string{
			"f://up.txt", "f://abs.txt", "f://out/secret.txt", "f://loop", "f://real/climb.txt", "f://sneaky", "f://.env", "f://real/../.env",
			"f://../secret.txt", "f://%2e%2e/secret.txt", "f://..%2fsecret.txt", "f:///etc/passwd", "f://real//a.txt", "f://real%00", "f://real%5ca.txt", "f://", "f://.",
			"f://env.txt", "f://real/key", "f://shown", "f://shown/key", "f://C:/x", "f://real/a.txt/", "F://real/a.txt", "f://missing", "g://real/a.txt", "f://real/a.txt/x", "f://" + strings.Repeat("x", 300),
		} {
			got, err := r.Read(t.Context(), uri)
			if uri == "f://real/a.txt/" && err == nil && got[0].Text == "a" {
				continue // the same file
			}
			if !errors.Is(err, mcptool.ErrResourceNotFound) {
				t.Errorf("%s: %s: %v %v, want ErrResourceNotFound", name, uri, got, err)
			}
		}
		var uris []string
		for _, link := range listAll(t, r) {
			uris = append(uris, link.URI)
		}
		if want := []string{"f://inside.txt", "f://real/a.txt", "f://real/back.txt"}; !slices.Equal(uris, want) {
			t.Errorf("%s: listed %q, want %q", name, uris, want)
		}
	}
}

func TestFilesPages(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for i := range 1203 {
		files[fmt.Sprintf("%d/%02d/f%d", i%7, i%40, i)] = &fstest.MapFile{Data: []byte("x")}
	}
	r := mcptool.Files(files, "f://")
	seen := map[string]bool{}
	for _, link := range listAll(t, r) {
		if seen[link.URI] {
			t.Errorf("%s is listed twice", link.URI)
		}
		seen[link.URI] = true
	}
	if len(seen) != len(files) {
		t.Errorf("%d of %d files listed", len(seen), len(files))
	}
	for _, cursor := range []string{"\x00", "../..", "zzz", "3/"} {
		if _, _, err := listPage(t.Context(), r, cursor); err != nil {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
}

func TestFilesComplete(t *testing.T) {
	t.Parallel()
	r := mcptool.Files(tree(), "docs://")
	for typed, want := range map[string][]string{
		"":         {"data.bin", "empty.md", "guide", "guide.txt", "liar.md", "logo.png", "noext"},
		"guide":    {"guide", "guide.txt"},
		"guide/":   {"guide/a b+ü.txt", "guide/intro.md"},
		"guide/in": {"guide/intro.md"},
		".":        nil, ".git/": nil, "../": nil, "/": nil, "nope/": nil, "guide/../": nil,
	} {
		got, _, err := complete(t.Context(), internals.Settings(internals.Runner(r)).Completer, "path", typed, nil)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q %v, want %q", typed, got, err, want)
		}
	}
}

func TestFilesMistakes(t *testing.T) {
	t.Parallel()
	var r mcptool.Registry
	err := r.Add(mcptool.Files(nil, "docs"), mcptool.Files(tree(), "d://{x}/"), mcptool.Files(tree(), "e://", mcptool.MIMEType("text/plain")))
	got := registerError(t, nil, err)
	text := got.Error()
	for _, want := range []string{"the file system is nil", `the prefix "docs" does not end with a slash`, "the variable x of the URI has no field", "the option MIMEType is set"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %q", text, want)
		}
	}
	if len(slices.Collect(r.Resources())) != 0 {
		t.Error("a resource with mistakes is registered")
	}
}

// lockedFS is a file system whose directory "locked" cannot be read.
type lockedFS struct{ fstest.MapFS }

func (f lockedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "locked" {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.ReadDir(name)
}

// TestFilesLocked: a directory that cannot be read hides only its own contents.
func TestFilesLocked(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("x")}
	r := mcptool.Files(lockedFS{fstest.MapFS{"a": file, "locked/b": file, "z": file}}, "f://")
	var listed []string
	for _, link := range listAll(t, r) {
		listed = append(listed, link.URI)
	}
	if want := []string{"f://a", "f://z"}; !slices.Equal(listed, want) {
		t.Errorf("listed %v, want %v", listed, want)
	}
}

// TestFilesNames: any name that a URI can express is listed and can be read, also with a prefix without a host, and
// lists and contents have the same media type.
func TestFilesNames(t *testing.T) {
	t.Parallel()
	names := []string{"a b.md", "a?b#c%41.md", "my notes/x.md", "\u00fc.md", "a:b.md", "1.bin", "a&b=c;d.md", "~'()!.md"}
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	for _, prefix := range []string{"docs://", "docs://host/", "docs:/"} {
		r := mcptool.Files(files, prefix)
		links := listAll(t, r)
		if len(links) != len(names) {
			t.Errorf("%s: %d of %d files listed: %+v", prefix, len(links), len(names), links)
		}
		for _, link := range links {
			contents, err := r.Read(t.Context(), link.URI)
			if err != nil {
				t.Errorf("%s: %v", link.URI, err)
				continue
			}
			if got := contents[0].Text + string(contents[0].Blob); got != link.Name || link.MIMEType != "" && contents[0].MIMEType != link.MIMEType {
				t.Errorf("%s: got %q, %s, want %q, %s", link.URI, got, contents[0].MIMEType, link.Name, link.MIMEType)
			}
		}
	}
}

// TestFilesUnknown: the media type of an unknown extension depends on whether the file is text, not on its content.
func TestFilesUnknown(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{"<html>": "text/plain; charset=utf-8", "": "text/plain; charset=utf-8", "a\x00": "application/octet-stream", "\xff": "application/octet-stream"} {
		r := mcptool.Files(fstest.MapFS{"page": {Data: []byte(data)}}, "docs://")
		got, err := r.Read(t.Context(), "docs://page")
		if err != nil || len(got) != 1 || got[0].MIMEType != want || got[0].Text+string(got[0].Blob) != data {
			t.Errorf("%q: %v, %v, want %s", data, got, err, want)
		}
	}
}

// slowTree is a file system whose ReadDir takes a second and is counted.
type slowTree struct {
	fstest.MapFS
	reads atomic.Int32
}

func (f *slowTree) ReadDir(name string) ([]fs.DirEntry, error) {
	f.reads.Add(1)
	entries, err := f.MapFS.ReadDir(name)
	time.Sleep(time.Second)
	return entries, err
}

// TestDirectoryIsShared: requests that wait for a directory being read share the next listing. Later requests read it
// again.
func TestDirectoryIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tree := &slowTree{MapFS: fstest.MapFS{"d/a": {}, "d/b": {}, "d/c": {}}} // the cap of its list exceeds its length
		files := mcptool.Files(tree, "docs:///")
		for _, want := range []int32{1, 2} {
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if contents, err := files.Read(t.Context(), "docs:///d"); err != nil || contents[0].Text != "a\nb\nc\n" {
						t.Errorf("got %v, %v", contents, err)
					}
				})
			}
			all.Wait()
			if got := tree.reads.Load(); got != want {
				t.Errorf("the directory was read %d times, want %d", got, want)
			}
		}
	})
}
