//go:build unix

package mcptool_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestPipeIsNotOpened: a named pipe in the tree is not found. Opening it would block a thread until a writer opens it.
func TestPipeIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	files := mcptool.Files(os.DirFS(dir), "docs://")
	done := make(chan error, 1)
	go func() {
		_, err := files.Read(t.Context(), "docs://pipe")
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, mcptool.ErrResourceNotFound) {
			t.Errorf("reading a pipe: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("reading a pipe blocked")
		if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil { // unblocks the reader
			defer func() { _ = f.Close() }()
			<-done
		}
	}
}
