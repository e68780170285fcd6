package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead checks that the report of bench import is understood, also if its lines are wrapped.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, report               string
		translated, leftOut, notes int
	}{
		{"complete", "Pets 1: 19 operations in 3 services\nwritten: a.go\n\nNext:\n  cd pets\n", 19, 0, 0},
		{"one", "Pets 1: 1 operation in 1 service\nwritten: a.go\n", 1, 0, 0},
		{
			"notes", "A long title\n  1.0: 1223 operations in\n  46 services, 2 left out\nwritten: a.go\n\nleft out:\n  GET /a: why\n  GET /b: why\n\n" +
				"not as in the document:\n  GET /c, parameter a: a pattern\n    that is long\n  GET /d: another\n\nNext:\n  cd a\n", 1223, 2, 2,
		},
		{"failed", "bench: openapi.yaml: it is Swagger 2.0\n", 0, 0, 0},
	} {
		var m imported
		m.read(test.report)
		if m.translated != test.translated || m.leftOut != test.leftOut || m.notes != test.notes {
			t.Errorf("%s: got %d translated, %d left out, %d notes; want %d, %d, %d",
				test.name, m.translated, m.leftOut, m.notes, test.translated, test.leftOut, test.notes)
		}
	}
}

// TestUnpack checks that only the wanted files of a package are written, and none outside of the directory.
func TestUnpack(t *testing.T) {
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for _, name := range []string{"package/api/a.yaml", "package/api/sub/b.yaml", "package/other.yaml", "package/../api/c.yaml", "package/api/../../../d.yaml"} {
		err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 1, Mode: 0o600})
		if _, writeErr := w.Write([]byte("x")); errors.Join(err, writeErr) != nil {
			t.Fatal(err, writeErr)
		}
	}
	dir := t.TempDir()
	tarball := filepath.Join(dir, "package.tgz")
	if err := errors.Join(w.Close(), z.Close(), os.WriteFile(tarball, archive.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "to", "here")
	if err := unpack(tarball, "api/", to); err != nil {
		t.Fatal(err)
	}
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/"))
		}
		return err
	})
	if got := strings.Join(names, " "); err != nil || got != "package.tgz to/here/api/a.yaml to/here/api/sub/b.yaml" {
		t.Errorf("got files %s, %v", got, err)
	}
}
