package mcptool_test

import (
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// blockingFS is a file system in which opening "pipe" blocks until released is closed, as it does on a named pipe that
// replaced the file after it was described.
type blockingFS struct {
	fstest.MapFS
	released chan struct{}
	closed   atomic.Int32
}

func (b *blockingFS) Open(name string) (fs.File, error) {
	switch name {
	case "pipe":
		<-b.released
	case "panic":
		panic("no disk")
	}
	file, err := b.MapFS.Open(name)
	return countedFile{file, &b.closed}, err
}

func (b *blockingFS) Stat(name string) (fs.FileInfo, error) { return b.MapFS.Stat(name) }

// countedFile counts the files that are closed.
type countedFile struct {
	fs.File

	closed *atomic.Int32
}

func (c countedFile) Close() error {
	c.closed.Add(1)
	return c.File.Close()
}

// TestOpenBlocks: a file that cannot be opened fails its read after a while, and is closed if it is opened later. So many
// that all openings of the tree are taken fail the reads of other files, too, and nothing hangs.
func TestOpenBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const opened = 64
		fsys := &blockingFS{MapFS: fstest.MapFS{"pipe": {Data: []byte("x")}, "file": {Data: []byte("y")}}, released: make(chan struct{})}
		files := mcptool.Files(fsys, "docs://")
		start := time.Now()
		failed := make(chan error)
		for range opened {
			go func() {
				_, err := files.Read(t.Context(), "docs://pipe")
				failed <- err
			}()
		}
		for range opened {
			if err := <-failed; err == nil || !strings.Contains(err.Error(), "could not be opened within 10s") {
				t.Errorf("reading a pipe: %v", err)
			}
		}
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("reading a pipe took %s", took)
		}
		if _, err := files.Read(t.Context(), "docs://file"); err == nil {
			t.Error("a file was read although every opening blocks")
		}
		close(fsys.released)
		synctest.Wait()
		if n := fsys.closed.Load(); n != opened {
			t.Errorf("%d of %d files that were opened too late are closed", n, opened)
		}
		if contents, err := files.Read(t.Context(), "docs://file"); err != nil || contents[0].Text != "y" {
			t.Errorf("reading a file: %v, %v", contents, err)
		}
	})
}

// TestOpenPanics: a panic of the file system ends the read and not the process.
func TestOpenPanics(t *testing.T) {
	t.Parallel()
	files := mcptool.Files(&blockingFS{MapFS: fstest.MapFS{"panic": {}}}, "docs://")
	_, err := files.Read(t.Context(), "docs://panic")
	if p, ok := errors.AsType[*mcptool.PanicError](err); !ok || p.Value != "no disk" || !strings.Contains(string(p.Stack), "blockingFS") {
		t.Errorf("reading: %v", err)
	}
}
