//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteFileToPipe checks that a pipe, like /dev/null or any device, is written to and not
// replaced.
func TestWriteFileToPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // read-write, so that opening does not block
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := writeFile(pipe, []byte("page")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(f, got); err != nil || string(got) != "page" {
		t.Errorf("the pipe got %q, %v", got, err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("there is %v now, %v", info.Mode(), err)
	}
}
