package hostile_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

var fairFor = flag.Duration("fair", 3*time.Second, "how long TestFair has one principal do its worst; from a minute on its 99th percentile must be below 50 ms")

// TestFair: over real sockets one principal creates as much load as it can, with unfinished bodies, large bodies of
// calls that sleep, sessions, streams, answers kept for replay and tasks, all at once, and the quick calls of another
// principal are answered. The memory of the process stays within the sum that SECURITY.md has for one caller, plus
// its decoded values.
//
//	go test -run TestFair -v ./internal/hostile -fair 1m
//
// It requests more than its share of everything: 2048 calls, 1000 sessions that each keep an answer, 1000 streams,
// 128 MiB of messages, 64 MiB of results of tasks.
//
//nolint:paralleltest // it measures the process
func TestFair(t *testing.T) {
	f := newFair(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, worst := range []struct {
		workers int
		do      func(ctx context.Context)
	}{
		{6, f.unfinished}, {3, f.chunked}, {20, f.sleeper}, {2100, f.small}, {2, f.session}, {1050, f.subscription}, {8, f.replayed}, {80, f.task},
	} {
		if underRace {
			worst.workers = (worst.workers + 7) / 8 // or it would be about the processors
		}
		for range worst.workers {
			wg.Go(func() {
				for ctx.Err() == nil {
					worst.do(ctx)
				}
			})
		}
	}
	time.Sleep(max(*fairFor/3, 2*time.Second)) // until mallory has all there is to have
	var took []time.Duration
	held := 0
	for end := time.Now().Add(*fairFor); time.Now().Before(end); {
		began := time.Now()
		patience, cancel := context.WithTimeout(ctx, 10*time.Second)
		status, text := f.post(patience, "ann", f.call("quick", "{}"), f.heading("quick"))
		cancel()
		if status != http.StatusOK || !strings.Contains(text, "quick!") {
			t.Errorf("after %v ann gets status %d: %s", time.Since(began), status, text)
			break
		}
		took = append(took, time.Since(began))
		if len(took)%20 == 0 {
			var stats goruntime.MemStats
			goruntime.GC()
			goruntime.ReadMemStats(&stats)
			held = max(held, int(stats.HeapAlloc+stats.StackInuse))
		}
		time.Sleep(2 * time.Millisecond)
	}
	stop()
	f.server.CloseClientConnections()
	wg.Wait()
	if len(took) == 0 {
		return // which is an error already
	}
	slices.Sort(took)
	median, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("%d quick calls: median %v, 99th percentile %v, longest %v; mallory was served %d times and refused %d times; held %s at most",
		len(took), median, p99, took[len(took)-1], f.served.Load(), f.refused.Load(), size(held))
	if most := 5 * time.Second; p99 > most && !underRace || *fairFor >= time.Minute && p99 > 50*time.Millisecond {
		t.Errorf("the 99th percentile is %v", p99)
	}
	if f.refused.Load() == 0 && !underRace {
		t.Error("mallory was refused nothing, so it has not done its worst")
	}
	for i, limit := range limitsMet {
		if !f.met[i].Load() && *fairFor >= time.Minute {
			t.Errorf("mallory was never told of %q, so it has not done its worst", limit)
		}
	}
	// What one caller can have, its messages decoded, the results of its tasks, and the clients here.
	const most = (238 + 128 + 64 + 192) << 20
	if held > most && !underRace {
		t.Errorf("%s are held, %s are allowed", size(held), size(most))
	}
}

// hello begins a session.
var hello = string(era{version: "2025-11-25"}.initialize().head)

// limitsMet are what mallory is refused with when it has all it may have of something.
var limitsMet = [...]string{
	"its messages may hold", "calls of this caller are in flight", "sessions of this caller", "event streams of this caller", "too many tasks are running",
}

// fair is the server of TestFair, where each token is a principal, with the requests of the principal mallory.
type fair struct {
	server  *httptest.Server
	clients map[string]*http.Client // of each principal, so that none waits for the connections of another
	large   string                  // a body of 4 MiB that has a call sleep

	declaredHalf, chunkedHalf []byte // requests that end in the middle of their bodies

	served, refused atomic.Int64
	met             [len(limitsMet)]atomic.Bool
}

func newFair(t *testing.T) *fair {
	t.Helper()
	nap := func(ctx context.Context, in struct {
		Text string `json:"text,omitempty"`
	},
	) (mcptool.Text, error) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		return mcptool.Text{Text: strconv.Itoa(len(in.Text))}, ctx.Err()
	}
	// Long enough that mallory has as many at once as it may, although its other calls take most of its turns to begin one.
	job := func(ctx context.Context, _ none) (mcptool.Text, error) {
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
		}
		return mcptool.Text{Text: strings.Repeat("x", 1<<20)}, ctx.Err()
	}
	srv := newServer(t, new(counter), newTool(t, "nap", nap), newTool(t, "job", job, mcptool.Task(mcptool.TaskRequired)),
		newTool(t, "quick", func(context.Context, none) (mcptool.Text, error) { return mcptool.Text{Text: "quick!"}, nil }),
		newTool(t, "loud", func(ctx context.Context, _ none) (mcptool.Text, error) {
			mcptool.Progress(ctx, 1, 1, "") // which begins a stream, from which the answer can be had again
			return mcptool.Text{Text: strings.Repeat("x", 200<<10)}, nil
		}))
	h := streamhttp.NewHandler(srv)
	f := &fair{server: httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: r.Header.Get("Authorization")})))
	}))}
	f.server.Config.ReadTimeout = time.Minute
	f.server.Start()
	f.clients = map[string]*http.Client{}
	for _, who := range []string{"ann", "mallory"} {
		transport := &http.Transport{MaxIdleConnsPerHost: 10_000}
		t.Cleanup(transport.CloseIdleConnections)
		f.clients[who] = &http.Client{Transport: transport}
	}
	t.Cleanup(f.server.Close)
	f.large = f.call("nap", `{"text":"`+strings.Repeat("x", 4<<20)+`"}`)
	const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: mallory\r\nContent-Type: application/json\r\n"
	f.declaredHalf = fmt.Appendf(nil, head+"Content-Length: %d\r\n\r\n%s", 16<<20, f.large[:1<<20])
	f.chunkedHalf = fmt.Appendf(nil, head+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(f.large), f.large)
	return f
}

func (f *fair) call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
}

func (f *fair) heading(tool string) http.Header {
	return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool}}
}

// post sends a message, and returns the status, 0 for none, and the text of the answer.
func (f *fair) post(ctx context.Context, who, body string, header http.Header) (int, string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.server.URL, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", who)
	response, err := f.clients[who].Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		header.Set("Mcp-Session-Id", id)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// worst posts a message of mallory's, and takes a short rest if it is refused.
func (f *fair) worst(ctx context.Context, body string, header http.Header) {
	status, text := f.post(ctx, "mallory", body, header)
	for i, limit := range limitsMet {
		if strings.Contains(text, limit) {
			f.met[i].Store(true)
		}
	}
	switch {
	case status == http.StatusServiceUnavailable || strings.Contains(text, "too many") || strings.Contains(text, `"isError":true`):
		f.refused.Add(1)
		time.Sleep(pause)
	case status == http.StatusOK:
		f.served.Add(1)
	}
}

// unfinished declares the largest body and sends a part of it.
func (f *fair) unfinished(ctx context.Context) {
	f.half(ctx, f.declaredHalf)
}

// chunked does not declare the size of the body, and sends a part of it.
func (f *fair) chunked(ctx context.Context) {
	f.half(ctx, f.chunkedHalf)
}

// half sends a request that ends in the middle of its body.
func (f *fair) half(ctx context.Context, request []byte) {
	conn, err := net.Dial("tcp", f.server.Listener.Addr().String())
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return
	}
	answer := make([]byte, 1<<10)
	n, _ := conn.Read(answer) // blocks while the server waits for the rest
	if strings.Contains(string(answer[:n]), " 503 ") {
		f.refused.Add(1)
		time.Sleep(pause)
	}
}

// pause is how long mallory waits after a refusal: the test is about what the server holds, not about the processors,
// which have no shares.
const pause = 200 * time.Millisecond

func (f *fair) small(ctx context.Context) { f.worst(ctx, f.call("nap", "{}"), f.heading("nap")) }

func (f *fair) sleeper(ctx context.Context) { f.worst(ctx, f.large, f.heading("nap")) }

func (f *fair) task(ctx context.Context) { f.worst(ctx, f.call("job", "{}"), f.heading("job")) }

func (f *fair) subscription(ctx context.Context) {
	body := strings.Replace(f.call("", "{}"), `"tools/call"`, `"subscriptions/listen"`, 1)
	f.worst(ctx, strings.Replace(body, `"params":{`, `"params":{"notifications":{"toolsListChanged":true},`, 1),
		http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}})
}

// session begins a session and leaves it there.
func (f *fair) session(ctx context.Context) {
	f.worst(ctx, hello, http.Header{})
	time.Sleep(time.Millisecond)
}

// replayed makes a session keep an answer.
func (f *fair) replayed(ctx context.Context) {
	header := http.Header{}
	f.worst(ctx, hello, header)
	if header.Get("Mcp-Session-Id") == "" {
		time.Sleep(pause)
		return
	}
	f.worst(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loud","_meta":{"progressToken":1}}}`, header)
}
