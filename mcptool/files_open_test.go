package mcptool_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcptool-go/mcptool/mcptool"
)

// brokenFS is a file system whose Open panics.
type brokenFS struct{ fstest.MapFS }

func (brokenFS) Open(string) (fs.File, error) { panic("no disk") }

func (b brokenFS) Stat(name string) (fs.FileInfo, error) { return b.MapFS.Stat(name) }

// TestOpenPanics: a panic of the file system is an error of the read.
func TestOpenPanics(t *testing.T) {
	t.Parallel()
	files := mcptool.Files(brokenFS{fstest.MapFS{"panic": {}}}, "docs://")
	_, err := files.Read(t.Context(), "docs://panic")
	if p, ok := errors.AsType[*mcptool.PanicError](err); !ok || p.Value != "no disk" || !strings.Contains(string(p.Stack), "brokenFS") {
		t.Errorf("reading: %v", err)
	}
}
