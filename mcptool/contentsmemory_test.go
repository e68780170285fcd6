package mcptool_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/mcptool"
)

// meter is a server that measures how many bytes are allocated before they are reserved.
type meter struct {
	callctx.Server

	most     int // the maximum size of contents, in bytes
	isFull   bool
	start    uint64
	reserved int
	excess   int // the maximum of allocated bytes minus reserved bytes
}

func (m *meter) MaxContents() int         { return m.most }
func (m *meter) EnterResponse() error     { return nil }
func (m *meter) Sizes() (least, most int) { return 0, m.most }
func (m *meter) Enter() (func(), error) {
	return func() {}, nil
}

func (m *meter) Reserve(n int) error {
	m.measure()
	if m.isFull {
		return errors.New("no memory is left")
	}
	m.reserved += n
	return nil
}

func (m *meter) measure() { m.excess = max(m.excess, m.allocated()-m.reserved) }

func (m *meter) allocated() int {
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return int(stats.TotalAlloc - m.start)
}

// run measures the allocations of f.
func (m *meter) run(ctx context.Context, f func(context.Context) error) error {
	m.start = 0
	m.start = uint64(m.allocated())
	err := f(&callctx.Context{Context: ctx, Call: callctx.Call{Server: m}}) //nolint:contextcheck // derived from ctx
	m.measure()
	return err
}

// zeros is a Reader of unknown size that allocates nothing.
type zeros struct{ left int }

func (r *zeros) Read(p []byte) (int, error) {
	n := min(len(p), r.left)
	if r.left -= n; n == 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	return n, nil
}

// oneDir is a file system in which every directory has the same entries.
type oneDir []fs.DirEntry

func (oneDir) Open(string) (fs.File, error)            { return nil, fs.ErrNotExist }
func (d oneDir) ReadDir(string) ([]fs.DirEntry, error) { return d, nil }

// entries returns n entries of a directory.
func entries(n int) (list []fs.DirEntry) {
	tree := fstest.MapFS{}
	for i := range n {
		tree[strconv.Itoa(i)] = &fstest.MapFile{}
	}
	list, _ = fs.ReadDir(tree, ".") // a MapFS has no errors
	return list
}

// TestContentsAreReservedFirst checks that memory for contents is reserved before it is allocated, so that a failed
// reservation allocates nothing.
func TestContentsAreReservedFirst(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	const size = 8 << 20
	const slack = 256 << 10 // for everything else
	text := []byte(strings.Repeat("x", size))
	tree := fstest.MapFS{"text.md": {Data: text}, "blob.png": {Data: text}, "unknown": {Data: make([]byte, size)}}
	dir := strings.Repeat("d", 3000)
	completer := internals.Settings(internals.Runner(mcptool.Files(oneDir(entries(1000)), "f:///"))).Completer
	files := mcptool.Files(tree, "f:///")
	reader := func(context.Context, None) (io.Reader, error) { return &zeros{size}, nil }
	data := func(context.Context, None) ([]byte, error) { return text, nil }
	isText := mcptool.MIMEType("text/plain")
	for _, c := range []struct {
		name   string
		read   func(ctx context.Context) error
		copies int // copies of a growing buffer, of which earlier ones are garbage
	}{
		{name: "text file", read: reading(files, "f:///text.md")},
		{name: "binary file", read: reading(files, "f:///blob.png")},
		{name: "file of an unknown type", read: reading(files, "f:///unknown")},
		{name: "Reader", read: reading(memoryResource(t, reader), memoryURI), copies: 1},
		{name: "Reader of text", read: reading(memoryResource(t, reader, isText), memoryURI), copies: 1},
		{name: "bytes as text", read: reading(memoryResource(t, data, isText), memoryURI)},
		{name: "completion", read: func(ctx context.Context) error {
			values, _, err := complete(ctx, completer, "path", dir+"/", nil)
			if err == nil && len(values) == 0 {
				err = errors.New("nothing is suggested")
			}
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // as above
			if err := c.read(t.Context()); err != nil { // the first call allocates tables, such as the media types
				t.Fatal(err)
			}
			free := meter{most: 2 * size}
			if err := free.run(t.Context(), c.read); err != nil {
				t.Fatal(err)
			}
			if allowed := c.copies*free.reserved + slack; free.excess > allowed {
				t.Errorf("%d bytes allocated before they were reserved, want at most %d", free.excess, allowed)
			}
			full := meter{most: 2 * size, isFull: true}
			if err := full.run(t.Context(), c.read); err == nil || full.excess > slack {
				t.Errorf("without memory: %v, and %d bytes allocated, want an error and at most %d bytes", err, full.excess, slack)
			}
		})
	}
}

const memoryURI = "x:///memory"

func memoryResource[Out any](tb testing.TB, fn func(context.Context, None) (Out, error), opts ...mcptool.ResourceOption) *mcptool.Resource {
	tb.Helper()
	r, err := mcptool.NewResource(fn, append(opts, mcptool.URI(memoryURI), mcptool.Name("memory"))...)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// reading returns a func that reads a resource.
func reading(r *mcptool.Resource, uri string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := r.Read(ctx, uri)
		return err
	}
}

// TestLargestLimit checks that contents can be read with the largest limit a server can set.
func TestLargestLimit(t *testing.T) {
	t.Parallel()
	ctx := &callctx.Context{Context: t.Context(), Call: callctx.Call{Server: &meter{most: math.MaxInt}}}
	files := mcptool.Files(fstest.MapFS{"a.txt": {Data: []byte("abc")}}, "f:///")
	if got, err := files.Read(ctx, "f:///a.txt"); err != nil || got[0].Text != "abc" {
		t.Errorf("got %v, %v", got, err)
	}
}
