package hostile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
	"github.com/mcptool-go/mcptool/task"
)

const (
	largeResult    = 15 * mega // of a task
	filesOfTree    = 100_000
	entriesOfRetry = 64_000

	// heldByShort is how much memory they may hold together. The share of a caller, 128 MiB, admits results until it is
	// used up, so the last one may exceed it; each result is copied once to be written, and one more may be in between.
	heldByShort = 2*(128*mega+largeResult) + largeResult
)

// shortRequests returns the number of concurrent requests. Without a bound, 100 use much more memory than the limit.
func shortRequests() int {
	if testscale.IsNightly() {
		return 500
	}
	return 100
}

// TestShortRequests checks that, however much a server reads or decodes for short requests, many concurrent ones whose
// client does not read the responses hold a bounded amount of memory.
func TestShortRequests(t *testing.T) {
	if underRace {
		t.Skip("the race detector takes memory for each access")
	}
	ids := make([]string, 16)
	for i := range ids {
		ids[i] = fmt.Sprintf("%q", taskID(i))
	}
	entries := strings.Repeat(`"%d":0,`, entriesOfRetry)
	for _, c := range []struct {
		name   string
		store  task.Store // nil means one that reads records from elsewhere
		legacy bool       // in a session of 2025-11-25
		method string
		params string
	}{
		{name: "tasks/get", method: "tasks/get", params: `"taskId":"ended-0"`},
		{name: "tasks/get of a session", legacy: true, method: "tasks/get", params: `"taskId":"ended-0"`},
		{name: "tasks/cancel", method: "tasks/cancel", params: `"taskId":"ended-0"`},
		{name: "tasks/update", method: "tasks/update", params: `"taskId":"ended-0","inputResponses":{}`},
		{name: "tasks/result", legacy: true, method: "tasks/result", params: `"taskId":"ended-0"`},
		{name: "tasks/list", legacy: true, method: "tasks/list", params: ``},
		{name: "subscriptions to tasks", method: "subscriptions/listen", params: `"notifications":{"taskIds":[` + strings.Join(ids, ",") + `]}`},
		{name: "subscriptions to tasks in memory", store: task.NewMemory(task.MemoryLimits{}), method: "subscriptions/listen", params: `"notifications":{"taskIds":["ended-0"]}`},
		{name: "resources/list of files", method: "resources/list"},
		{name: "resources/read of a directory", method: "resources/read", params: `"uri":"files:///all"`},
		{name: "resources/read of a file", method: "resources/read", params: `"uri":"files:///file"`},
		{name: "completion/complete of a path", method: "completion/complete", params: `"ref":{"type":"ref/resource","uri":"files:///{+path}"},"argument":{"name":"path","value":"all/f"}`},
		{name: "answers that nobody has asked for", method: "tools/call", params: `"name":"wait","arguments":{},"inputResponses":{` + numbered(entries) + `"k":{}}`},
		{name: "answers to a task that has not asked", method: "tasks/update", params: `"taskId":"working","inputResponses":{` + numbered(entries) + `"k":{}}`},
		{name: "arguments that are large when decoded", method: "tools/call", params: `"name":"wait","arguments":{"list":[` + strings.Repeat("{},", 20_000) + `{}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.params) > mega/2 { // most of the time of this test
				testscale.Nightly(t)
			}
			store := c.store
			if store == nil {
				store = readingStore{task.NewMemory(task.MemoryLimits{})}
			}
			revision := "2026-07-28"
			if c.legacy {
				revision = "2025-11-25"
			}
			addTasks(t, store, revision)
			s := newShort(t, store)
			defer s.end()
			if c.legacy {
				s.begin(t)
			}
			held, answered := s.peak(t, revision, c.method, c.params)
			t.Logf("%s are held at most, %d of %d requests are answered, the others with %q", size(held), answered, shortRequests(), s.said())
			if held > heldByShort {
				t.Errorf("%s are held at most, %s are allowed", size(held), size(heldByShort))
			}
		})
	}
}

// numbered replaces each %d in the text with a number.
func numbered(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "%d") {
		if i > 0 {
			fmt.Fprint(&b, i)
		}
		b.WriteString(part)
	}
	return b.String()
}

func taskID(i int) string { return fmt.Sprintf("ended-%d", i) }

// addTasks adds tasks of ann to a store: one working, the others completed. In the store that reads records from
// elsewhere all of these have large results, otherwise one.
func addTasks(t *testing.T, store task.Store, revision string) {
	t.Helper()
	reading, _ := store.(readingStore)
	for i := range 17 {
		r := task.Record{
			ID: taskID(i), Owner: task.Owner{Principal: "ann"}, Tool: "job", Revision: revision, Status: task.StatusWorking,
			Created: time.Now(), Updated: time.Now(), TTL: time.Hour, PollInterval: time.Second, Version: 1,
		}
		if i == 16 {
			r.ID = "working"
		}
		if err := store.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if i == 16 {
			continue
		}
		if r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`); reading.Store == nil && i == 0 {
			r.Result = largeText()
		}
		if _, err := store.Update(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func largeText() json.RawMessage {
	text := append(make([]byte, 0, largeResult+100), `{"content":[{"type":"text","text":"`...)
	for range largeResult / 16 {
		text = append(text, "0123456789abcdef"...)
	}
	return append(text, `"}]}`...)
}

// readingStore is a store whose completed tasks have large results, which it reads from elsewhere.
type readingStore struct{ task.Store }

func (s readingStore) Get(ctx context.Context, id string) (task.Record, error) {
	r, err := s.Store.Get(ctx, id)
	return s.read(ctx, r, err)
}

func (s readingStore) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	r, err := s.Store.Wait(ctx, id, seen)
	return s.read(ctx, r, err)
}

func (s readingStore) read(ctx context.Context, r task.Record, err error) (task.Record, error) {
	if err != nil || !r.Status.Ended() {
		return r, err
	}
	if err := task.Reserve(ctx, largeResult+1000); err != nil {
		return task.Record{}, err
	}
	time.Sleep(time.Millisecond)
	r.Result = largeText()
	return r, nil
}

// crowdedTree is a file system with one directory of very many files, which are large.
type crowdedTree struct{ one fs.FS }

func newCrowdedTree() crowdedTree {
	return crowdedTree{fstest.MapFS{"file": {Data: bytes.Repeat([]byte("x"), largeResult)}}}
}

func (f crowdedTree) Open(name string) (fs.File, error) {
	switch name {
	case ".", "all":
		return crowdedDir{name}, nil
	default:
		return f.one.Open("file")
	}
}

// ReadDir and Stat implement [fs.ReadDirFS] and [fs.StatFS].
func (f crowdedTree) ReadDir(name string) ([]fs.DirEntry, error) { return crowdedDir{name}.ReadDir(-1) }

func (f crowdedTree) Stat(name string) (fs.FileInfo, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	return file.Stat()
}

// crowdedDir is that directory, and the root, which contains only it.
type crowdedDir struct{ name string }

func (crowdedDir) Stat() (fs.FileInfo, error) { return crowdedInfo{}, nil }
func (crowdedDir) Read([]byte) (int, error)   { return 0, fs.ErrInvalid }
func (crowdedDir) Close() error               { return nil }

// crowdedInfo describes the directory, which has not changed for a year.
type crowdedInfo struct{}

func (crowdedInfo) Name() string      { return "." }
func (crowdedInfo) Size() int64       { return 0 }
func (crowdedInfo) Mode() fs.FileMode { return fs.ModeDir | 0o755 }
func (crowdedInfo) ModTime() time.Time {
	return time.Now().Add(-365 * 24 * time.Hour).Truncate(24 * time.Hour)
}
func (crowdedInfo) IsDir() bool { return true }
func (crowdedInfo) Sys() any    { return nil }

func (d crowdedDir) ReadDir(int) ([]fs.DirEntry, error) {
	if d.name == "." {
		return []fs.DirEntry{&crowdedEntry{name: "all", isDir: true}}, nil
	}
	entries := make([]fs.DirEntry, filesOfTree)
	for i := range entries {
		entries[i] = &crowdedEntry{name: fmt.Sprintf("file-%06d.txt", i)}
	}
	return entries, nil
}

type crowdedEntry struct {
	name  string
	isDir bool
	_     [5]uint64 // as large as for a directory on disk
}

func (e *crowdedEntry) Name() string               { return e.name }
func (e *crowdedEntry) IsDir() bool                { return e.isDir }
func (e *crowdedEntry) Type() fs.FileMode          { return 0 }
func (e *crowdedEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

// short is a server for short requests, all made by ann.
type short struct {
	handler http.Handler
	session string
	goOn    chan struct{} // closed when clients start to read and tools return
	end     func()
	errors  sync.Map // distinct error texts
}

// said returns the distinct error texts.
func (s *short) said() (texts []string) {
	s.errors.Range(func(text, _ any) bool {
		texts = append(texts, fmt.Sprintf("%.240s", text))
		return true
	})
	return texts
}

type waitIn struct {
	List []struct {
		Numbers [16]int `json:"numbers,omitempty"`
	} `json:"list,omitempty"`
}

func newShort(t *testing.T, store task.Store) *short {
	t.Helper()
	s := &short{goOn: make(chan struct{})}
	registry := new(mcptool.Registry)
	err := registry.Add(
		newTool(t, "job", func(context.Context, none) (mcptool.Text, error) { return mcptool.Text{}, nil }, mcptool.Task(mcptool.TaskSupportOptional)),
		newTool(t, "wait", func(ctx context.Context, in waitIn) (mcptool.Text, error) {
			<-s.goOn
			return mcptool.Text{Text: fmt.Sprint(len(in.List))}, nil
		}),
	)
	if err == nil {
		err = registry.Add(mcptool.Files(newCrowdedTree(), "files:///"))
	}
	if err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Name: "short", Version: "1", Tools: registry, Tasks: tasks.New(store), Logger: slog.New(slog.DiscardHandler)}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	ann := runtime.Access{Principal: "ann"}
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), ann)))
	})
	s.end = func() { shutdown(handler) }
	return s
}

// begin starts a session of 2025-11-25.
func (s *short) begin(t *testing.T) {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, s.request(t.Context(), "2025-11-25", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`, 0))
	if s.session = w.Header().Get("Mcp-Session-Id"); s.session == "" {
		t.Fatalf("no session: %s", w.Body)
	}
}

func (s *short) request(ctx context.Context, revision, method, params string, id int) *http.Request {
	head := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if revision >= "2026" {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
		params = strings.TrimSuffix(meta+","+params, ",")
		head.Set("Mcp-Method", method)
		var named struct{ TaskID, Name, URI string }
		_ = json.Unmarshal([]byte("{"+params+"}"), &named)
		if name := named.TaskID + named.Name + named.URI; name != "" {
			head.Set("Mcp-Name", name)
		}
	}
	if method != "initialize" {
		head.Set("Mcp-Protocol-Version", revision)
	}
	if s.session != "" {
		head.Set("Mcp-Session-Id", s.session)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/", strings.NewReader(body))
	for name, values := range head {
		r.Header[name] = values
	}
	return r
}

// peak makes many requests without reading the responses at first. It returns the maximum memory held and the number of
// responses that are not errors.
func (s *short) peak(t *testing.T, revision, method, params string) (held, answered int) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // otherwise half of the heap is garbage
	requests := make([]*http.Request, shortRequests())
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	for i := range requests {
		requests[i] = s.request(ctx, revision, method, params, i+1)
	}
	goruntime.GC()
	before := heap()
	done, measured := make(chan struct{}), make(chan int, 1)
	var tooMuch atomic.Bool
	go func() {
		most := 0
		for {
			select {
			case <-done:
				measured <- most
				return
			case <-time.After(2 * time.Millisecond):
				most = max(most, heap()-before)
				tooMuch.Store(most > 4*heldByShort) // stop before memory runs out
			}
		}
	}()
	var all sync.WaitGroup
	var began, ended, served atomic.Int64
	for _, r := range requests {
		if tooMuch.Load() {
			break
		}
		all.Go(func() {
			w := &unreadWriter{goOn: s.goOn, header: http.Header{}, began: &began}
			s.handler.ServeHTTP(w, r)
			ended.Add(1)
			if _, text, isError := strings.Cut(w.first, `"error"`); isError {
				s.errors.Store(text, true)
			} else {
				served.Add(1)
			}
		})
	}
	const step = 250 * time.Millisecond
	for idle := 0; idle < 4 && !tooMuch.Load(); idle++ { // until there is no activity for a while
		used, last := hang.ProcessorTime(), began.Load()+ended.Load()
		time.Sleep(step)
		if hang.ProcessorTime()-used > step/10 || began.Load()+ended.Load() != last {
			idle = -1
		}
	}
	close(done)
	held = <-measured
	close(s.goOn)
	time.Sleep(100 * time.Millisecond)
	hangUp()
	all.Wait()
	return held, int(served.Load())
}

// heap returns the number of live bytes at the last collection. Including garbage would make it depend on the speed of
// the collector while other tests run.
func heap() int {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// kept is how many bytes an unread connection buffers.
const kept = 4 << 10

// unreadWriter is the connection of a client that does not read until goOn is closed.
type unreadWriter struct {
	goOn    <-chan struct{}
	header  http.Header
	began   *atomic.Int64 // incremented for each write that blocks
	written int
	first   string // the first text written
}

func (w *unreadWriter) Header() http.Header              { return w.header }
func (w *unreadWriter) WriteHeader(int)                  {}
func (w *unreadWriter) Flush()                           {}
func (w *unreadWriter) FlushError() error                { return nil }
func (w *unreadWriter) SetWriteDeadline(time.Time) error { return nil }

func (w *unreadWriter) Write(b []byte) (int, error) {
	if w.first == "" {
		w.first = string(b[:min(len(b), 400)])
	}
	if w.written += len(b); w.written > kept {
		w.began.Add(1)
		<-w.goOn
	}
	return len(b), nil
}
