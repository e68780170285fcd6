//go:build !race

// The race detector drops what pools hold at random, and so makes more allocations.

package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// loop is a [runtime.Source] that repeats one request with the ids 1000 to 9999, and a
// [runtime.Conn] that counts answers and JSON-RPC errors.
type loop struct {
	enginetest.Discard
	text     []byte
	id       int // index in text
	left     int
	answered sync.WaitGroup
	largest  atomic.Int64
	errors   atomic.Int64
}

func newLoop(text string) *loop { return &loop{text: []byte(text), id: strings.Index(text, "1000")} }

// run lets the session read n messages and waits for the answers.
func (l *loop) run(tb testing.TB, session runtime.Session, n int) {
	tb.Helper()
	l.left = n
	l.answered.Add(n)
	if err := session.ReceiveFrom(l); err != nil {
		tb.Error(err)
	}
	l.answered.Wait()
	if refused := l.errors.Swap(0); refused > 0 {
		tb.Errorf("%d of %d requests were answered with an error", refused, n)
	}
}

func (l *loop) Next() ([]byte, error) {
	if l.left--; l.left < 0 {
		return nil, io.EOF
	}
	id := l.text[l.id : l.id+4]
	for i := 3; i >= 0; i-- {
		if id[i]++; id[i] <= '9' {
			break
		}
		id[i] = '0'
	}
	id[0] = max(id[0], '1')
	return l.text, nil
}

func (l *loop) Ready() bool { return true }
func (l *loop) Detach()     { l.text = bytes.Clone(l.text) }

func (l *loop) Respond(msg []byte, _ runtime.End) error {
	l.largest.Store(max(l.largest.Load(), int64(len(msg))))
	if bytes.Contains(msg[:min(len(msg), 60)], []byte(`"error":`)) { // after the id
		l.errors.Add(1)
	}
	l.answered.Done()
	return nil
}

// start opens a session that reads from and writes to l.
func (l *loop) start(tb testing.TB, srv *runtime.Server) runtime.Session {
	tb.Helper()
	session := srv.Open(context.WithoutCancel(tb.Context()), l) // the test's context ends before the cleanup
	l.answered.Add(1)
	session.Receive([]byte(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)))
	tb.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return session
}

type quoteIn struct {
	Symbol string `json:"symbol"`
	Lots   int    `json:"lots"`
}

type quoteOut struct {
	Symbol string  `json:"symbol"`
	Price  float64 `json:"price"`
}

func quoteOf(_ context.Context, in quoteIn) (quoteOut, error) {
	return quoteOut{in.Symbol, 12.5 * float64(in.Lots)}, nil
}

// quoteParams are the params of a call of [quoteTool].
const quoteParams = `"name":"quote_of","arguments":{"symbol":"ACME","lots":3}`

// quoteTool returns a small typed tool.
func quoteTool(tb testing.TB) *mcptool.Tool {
	tb.Helper()
	tool, err := mcptool.New(quoteOf)
	if err != nil {
		tb.Fatal(err)
	}
	return tool
}

// TestCallAllocations checks the allocations of a call of a typed tool, from the bytes of
// the request to those of the response.
func TestCallAllocations(t *testing.T) {
	typed, params := quoteTool(t), quoteParams
	for _, test := range []struct {
		name, text string
		budget     float64
		bytes      uint64
		what       string
		middleware []mcptool.Middleware
	}{
		{"legacy", legacy("1000", "tools/call", params), 2, 184, "the call, the string of the argument", nil},
		{"modern", modern("1000", "tools/call", ","+params), 3, 296, "the same and its _meta", nil},
		{"middleware", legacy("1000", "tools/call", params), 7, 608, "its context, its copy of the arguments, the Result, the text and the slice of that", []mcptool.Middleware{passing}},
		{"wrong", legacy("1000", "tools/call", strings.Replace(params, "lots", "lot", 1)), 54, 2768, "the budget of the checks, the collector, the violations, their paths and texts, the error", nil},
		{"ping", legacy("1000", "ping", ""), 0, 0, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			const messages = 1000
			l := newLoop(test.text)
			srv := serve(t, typed)
			srv.Middleware = test.middleware
			session := l.start(t, srv)
			if got := leastAllocs(func() { l.run(t, session, messages) }) / messages; got > test.budget+0.5 { // allocations of ReceiveFrom are divided by messages
				t.Errorf("%.2f allocations, want %v: %s", got, test.budget, test.what)
			}
			if got := leastBytes(func() { l.run(t, session, messages) }) / messages; got > test.bytes+8 { // as above
				t.Errorf("%d bytes, want %d: %s", got, test.bytes, test.what)
			}
		})
	}
}

// TestAuditAllocations checks the allocations of a call with an audit record in JSON.
func TestAuditAllocations(t *testing.T) {
	const messages, budget = 1000, 705
	l := newLoop(legacy("1000", "tools/call", quoteParams))
	srv := serve(t, quoteTool(t))
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(io.Discard, nil))) //nolint:sloglint // the test measures the cost of records
	session := l.start(t, srv)
	if got := leastBytes(func() { l.run(t, session, messages) }) / messages; got > budget+16 { // allocations of ReceiveFrom are divided by messages
		t.Errorf("%d bytes, want %d: the call, its operation, its id, five fields of the record beyond five, the string of the argument", got, budget)
	}
}

// keepPools keeps what is in pools until it is undone: a garbage collection empties them, and each processor has its own.
func keepPools() (undo func()) {
	percent, processors := debug.SetGCPercent(-1), goruntime.GOMAXPROCS(1)
	return func() {
		debug.SetGCPercent(percent)
		goruntime.GOMAXPROCS(processors)
	}
}

// leastAllocs returns the least number of allocations of fn in 10 runs, because other goroutines may allocate.
func leastAllocs(fn func()) float64 {
	defer keepPools()()
	least := math.Inf(1)
	for range 10 {
		least = min(least, testing.AllocsPerRun(1, fn))
	}
	return least
}

// leastBytes returns the least number of bytes that fn allocates in 10 runs.
func leastBytes(fn func()) uint64 {
	defer keepPools()()
	least := uint64(math.MaxUint64)
	for range 10 {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		fn()
		goruntime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestLargeResultAllocations: from the third call on, a large result is built in one buffer of the right size. The first
// call allocates at most 2.2 times the size of the answer, which also bounds the peak.
func TestLargeResultAllocations(t *testing.T) {
	type row struct {
		Name string `json:"name"`
	}
	rows := make([]row, 150_000)
	for i := range rows {
		rows[i].Name = fmt.Sprintf(`row number "%d"`, i)
	}
	text := strings.Repeat("0123456789abcde\n", 300_000)
	large := func(made *mcptool.Tool, err error) *mcptool.Tool {
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, tool := range []*mcptool.Tool{
		large(mcptool.New(func(context.Context, struct{}) ([]row, error) { return rows, nil }, mcptool.Name("rows"))),
		large(mcptool.New(func(context.Context, struct{}) ([][]row, error) { return [][]row{rows[:10], rows[10:]}, nil }, mcptool.Name("lists"))),
		large(mcptool.New(func(context.Context, struct{}) (string, error) { return text, nil }, mcptool.Name("string"))),
		large(mcptool.New(func(context.Context, struct{}) (*mcptool.Result, error) {
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: text}}}, nil
		}, mcptool.Name("content"))),
	} {
		l := newLoop(legacy("1000", "tools/call", `"name":"`+tool.Info().Name+`"`))
		session := l.start(t, serve(t, tool))
		allocated := func(calls int) float64 {
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			l.run(t, session, calls)
			goruntime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) / float64(calls)
		}
		first := allocated(1)
		size := float64(l.largest.Load())
		if first > 2.2*size || size < 4<<20 {
			t.Errorf("%s: the first call allocates %.0f bytes for an answer of %.0f bytes", tool.Info().Name, first, size)
		}
		l.run(t, session, 4)
		if perCall := allocated(20); perCall > 1.2*size {
			t.Errorf("%s: a call allocates %.0f bytes for an answer of %.0f bytes", tool.Info().Name, perCall, size)
		}
	}
}

// TestTooLargeAllocations: a result that exceeds the limit only because of its text copy is rejected before the text is
// written.
func TestTooLargeAllocations(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 10<<20/16)
	large, err := mcptool.New(func(context.Context, struct{}) (string, error) { return text, nil }, mcptool.Name("large"))
	if err != nil {
		t.Fatal(err)
	}
	l := newLoop(legacy("1000", "tools/call", `"name":"large"`))
	session := l.start(t, serve(t, large))
	for range 3 {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		l.run(t, session, 1)
		goruntime.ReadMemStats(&after)
		if made, size := after.TotalAlloc-before.TotalAlloc, l.largest.Load(); size > 1000 || made > 12<<20 {
			t.Errorf("answer of %d bytes allocated %d bytes, want an error and at most 12 MiB", size, made)
		}
	}
}

// workingTasks is a store whose tasks stay working, so that many requests can cancel the same task.
type workingTasks struct{ *task.Memory }

func (workingTasks) Update(_ context.Context, r task.Record) (task.Record, error) { return r, nil }

// TestTaskAllocations checks the allocations of a request for a task in memory. Most are for the copy of the request,
// which runs in its own goroutine, and for the timeouts of the store.
func TestTaskAllocations(t *testing.T) {
	for _, test := range []struct {
		method string
		budget float64
		bytes  uint64
	}{
		{"tasks/get", 12, 1433},
		{"tasks/cancel", 24, 2553},
	} {
		t.Run(test.method, func(t *testing.T) {
			const messages = 1000
			l := newLoop(legacy("1000", test.method, `"taskId":"t"`))
			srv := serve(t, quoteTool(t))
			store := workingTasks{task.NewMemory(task.MemoryLimits{})}
			srv.Tasks = tasks.New(store)
			now := time.Now().UTC()
			r := task.Record{ID: "t", Tool: "quote_of", Revision: "2025-11-25", Status: task.StatusWorking, Created: now, Updated: now, TTL: time.Hour, PollInterval: time.Second, Version: 1}
			if err := store.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			session := l.start(t, srv)
			if got := leastAllocs(func() { l.run(t, session, messages) }) / messages; got > test.budget+0.5 { // as above
				t.Errorf("%.2f allocations, want %v", got, test.budget)
			}
			got := uint64(math.MaxUint64)
			for tries := 0; got > test.bytes+8 && tries < 10; tries++ {
				got = min(got, leastBytes(func() { l.run(t, session, messages) })/messages)
			}
			if got > test.bytes+8 {
				t.Errorf("%d bytes, want %d", got, test.bytes)
			}
		})
	}
}
