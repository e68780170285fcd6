package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFileKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if err := writeFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	info, infoErr := os.Lstat(link)
	if err != nil || infoErr != nil || string(data) != "new" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the file has %q, and the link is %v; %v, %v", data, info.Mode(), err, infoErr)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v; it was 0600", info.Mode(), err)
	}
}

// TestWriteFileDanglingLink checks that a link without a file is not replaced.
func TestWriteFileDanglingLink(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("missing", link); err != nil {
		t.Skip(err)
	}
	if err := writeFile(link, []byte("new")); err == nil || !strings.Contains(err.Error(), "is a link to missing, which leads to no file") {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}
