package mcptool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// slowTree is a file system that counts how often a directory is read, which takes a second.
type slowTree struct {
	fstest.MapFS
	mu    sync.Mutex // guards the map
	reads atomic.Int32
}

func (f *slowTree) ReadDir(name string) ([]fs.DirEntry, error) {
	f.reads.Add(1)
	f.mu.Lock()
	entries, err := f.MapFS.ReadDir(name)
	f.mu.Unlock()
	time.Sleep(time.Second)
	return entries, err
}

func (f *slowTree) Stat(name string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.MapFS.Stat(name)
}

// set adds a file to the directory d, which changes now.
func (f *slowTree) set(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.MapFS[name] = &fstest.MapFile{}
	f.MapFS["d"] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: time.Now()}
}

func everyName(string) bool { return true }

// TestDirectories: a directory is read once for all who ask at the same time, and again only when it has changed or may
// have.
func TestDirectories(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tree := &slowTree{MapFS: fstest.MapFS{}}
		tree.set("d/a")
		dirs := newDirectories(tree, everyName)
		list := func(want ...string) {
			t.Helper()
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if names, err := dirs.list(t.Context(), "d"); err != nil || !slices.Equal(names, want) {
						t.Errorf("got %q, %v, want %q", names, err, want)
					}
				})
			}
			all.Wait()
		}
		reads := func(when string, want int32) {
			t.Helper()
			if got := tree.reads.Swap(0); got != want {
				t.Errorf("%s the directory is read %d times, want %d", when, got, want)
			}
		}
		list("a")
		reads("at first", 1)
		list("a")
		reads("shortly after it has changed", 1)
		time.Sleep(time.Hour)
		list("a")
		reads("an hour later", 1)
		list("a")
		list("a")
		reads("unchanged", 0)
		tree.set("d/b")
		list("a", "b")
		reads("changed", 1)

		time.Sleep(time.Hour)
		early := make(chan []string, 1)
		go func() {
			names, _ := dirs.list(t.Context(), "d")
			early <- names
		}()
		time.Sleep(time.Second / 2) // while it is read
		tree.set("d/c")
		list("a", "b", "c")
		if names := <-early; !slices.Equal(names, []string{"a", "b"}) {
			t.Errorf("the first one gets %q", names)
		}
		reads("changed while it was read", 2)

		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = dirs.list(t.Context(), "d") }()
		synctest.Wait()
		cancel()
		if _, err := dirs.list(ctx, "d"); !errors.Is(err, context.Canceled) {
			t.Errorf("waiting ends with %v", err)
		}
		time.Sleep(time.Minute) // until the other one has returned
	})
}

// TestDirectoriesAreBounded: lists are kept within a limit, and a larger one only while it is in use.
func TestDirectoriesAreBounded(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	longAgo := time.Now().Add(-time.Hour)
	for i := range 40 {
		tree[fmt.Sprintf("d%d/file", i)] = &fstest.MapFile{}
		tree[fmt.Sprintf("d%d", i)] = &fstest.MapFile{Mode: fs.ModeDir, ModTime: longAgo}
	}
	dirs := newDirectories(tree, everyName)
	for i := range 40 {
		path := fmt.Sprintf("d%d", i)
		if _, err := dirs.list(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		dirs.keep(&directory{path: path, bytes: maxDirectoryBytes / 10}) // as if it were large
		if dirs.bytes > maxDirectoryBytes {
			t.Fatalf("%d bytes are kept", dirs.bytes)
		}
	}
	large := &directory{path: "large", read: time.Now(), changed: longAgo, bytes: maxDirectoryBytes + 1}
	dirs.keep(large)
	if found := dirs.find("large", longAgo); found != large || dirs.kept["large"] != nil {
		t.Errorf("a large list in use is found as %v, and kept: %t", found, dirs.kept["large"] != nil)
	}
}
