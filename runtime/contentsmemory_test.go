package runtime_test

import (
	"context"
	"io"
	"io/fs"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// paused is a Reader of size bytes that blocks in the middle until goOn is closed.
type paused struct {
	size, read int
	goOn       <-chan struct{}
}

func (p *paused) Read(b []byte) (int, error) {
	if p.read >= p.size {
		return 0, io.EOF
	}
	if p.read > p.size/2 {
		<-p.goOn
	}
	n := min(len(b), p.size-p.read)
	p.read += n
	return n, nil
}

// readAs sends a caller's request to read x:///big.
func readAs(ctx context.Context, srv *runtime.Server, e runtime.Endpoint, caller string) *recorder {
	x := newRecorder()
	m := srv.Read([]byte(modern("1", "resources/read", `,"uri":"x:///big"`)))
	m.Access = (*engine.Access)(&runtime.Access{Principal: caller})
	go e.Answer(ctx, m, x)
	synctest.Wait()
	return x
}

// TestContentsCountAsMemory: the data of a resource's Reader counts towards the memory limit of the caller while it is
// read. Otherwise a request of 200 bytes could use the memory of a maximal result.
func TestContentsCountAsMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		srv := serve(t)
		srv.Limits = runtime.Limits{MaxMemoryBytes: 4 << 20, MaxResultBytes: 1 << 20} // a quarter per caller
		addResource(t, srv, "x:///big", func(context.Context, struct{}) (io.Reader, error) {
			return &paused{size: 500_000, goOn: goOn}, nil
		})
		endpoint := srv.Endpoint(t.Context())
		var held []*recorder
		for range 10 {
			held = append(held, readAs(t.Context(), srv, endpoint, "ann"))
		}
		other := readAs(t.Context(), srv, endpoint, "bob")
		close(goOn)
		served := 0
		for _, x := range held {
			if <-x.done; strings.Contains(x.last, `"contents"`) {
				served++
			} else if !strings.Contains(x.last, "too much is in flight from this caller") {
				t.Errorf("unexpected answer %.200s", x.last)
			}
		}
		if served < 1 || served > 2 {
			t.Errorf("%d concurrent requests of one caller were served, want 1 or 2", served)
		}
		if <-other.done; !strings.Contains(other.last, `"contents"`) {
			t.Errorf("another caller got %.200s", other.last)
		}
		for range 20 { // the memory is released
			if x := readAs(t.Context(), srv, endpoint, "ann"); !strings.Contains(x.last, `"contents"`) {
				t.Fatalf("a later request got %.200s", x.last)
			}
		}
	})
}

// slowTree is a file system with one file that blocks reads until goOn is closed.
type slowTree struct {
	fstest.MapFS
	goOn <-chan struct{}
}

func (t slowTree) Open(name string) (fs.File, error) {
	file, err := t.MapFS.Open(name)
	return slowFile{file, t.goOn}, err
}

type slowFile struct {
	fs.File
	goOn <-chan struct{}
}

func (f slowFile) Read(p []byte) (int, error) {
	<-f.goOn
	return f.File.Read(p)
}

// TestManyReadsOfOneFile: many requests for a file allocate at most the caller's share, since memory is reserved before
// it is allocated.
func TestManyReadsOfOneFile(t *testing.T) { //nolint:paralleltest // measures the allocations of the process
	const size, share, requests = 2 << 20, 8 << 20, 500
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		srv := serve(t)
		srv.Limits = runtime.Limits{MaxMemoryBytes: 4 * share}
		tree := slowTree{fstest.MapFS{"big": {Data: make([]byte, size)}}, goOn}
		if err := srv.Tools.Add(mcptool.Files(tree, "x:///")); err != nil {
			t.Fatal(err)
		}
		endpoint := srv.Endpoint(t.Context())
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		all := make([]*recorder, requests)
		for i := range all {
			all[i] = readAs(t.Context(), srv, endpoint, "ann")
		}
		goruntime.ReadMemStats(&after)
		const allowed = share + requests*(32<<10)
		if got := after.TotalAlloc - before.TotalAlloc; got > allowed {
			t.Errorf("%d bytes allocated for %d requests, want at most %d", got, requests, allowed)
		}
		close(goOn)
		served := 0
		for _, x := range all {
			if <-x.done; strings.Contains(x.last, `"contents"`) {
				served++
			}
		}
		if want := (share - 1) / size; served != want {
			t.Errorf("%d requests were served, want %d", served, want)
		}
	})
}

// TestLargeContentsAreNotRead: a Reader is read only up to the limit of results.
func TestLargeContentsAreNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader := &paused{size: 100 << 20, read: 0, goOn: closedChannel()}
		srv := serve(t)
		srv.Limits = runtime.Limits{MaxResultBytes: 100_000}
		addResource(t, srv, "x:///big", func(context.Context, struct{}) (io.Reader, error) { return reader, nil })
		x := readAs(t.Context(), srv, srv.Endpoint(t.Context()), "ann")
		if <-x.done; !strings.Contains(x.last, "the result has more than") || reader.read > 200_000 {
			t.Errorf("%d bytes were read, want at most 200000; answer %.300s", reader.read, x.last)
		}
	})
}

func closedChannel() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
