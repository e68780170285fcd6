package hostile_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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

// TestFair: over real sockets one principal, mallory, creates as much load as it can, with unfinished bodies, large bodies
// of calls that sleep, sessions, streams, answers kept for replay, tasks, arguments that take long to check, and long
// arguments and answers, all at once, and the quick calls of another principal, ann, are answered. The memory of the process
// stays within the sum that SECURITY.md has for one caller, plus its decoded values.
//
//	go test -run TestFair -v ./internal/hostile -fair 1m
//
// It requests more than its share of everything: 2048 calls, 1000 sessions that each keep an answer, 1000 streams,
// 128 MiB of messages, 64 MiB of results of tasks, all processors. Mallory is another process, with a low priority if the
// system has the command nice, because a real attacker would not use the processors of the server.
//
//nolint:paralleltest // it measures the process
func TestFair(t *testing.T) {
	url := serveFair(t)
	busy, mallory := startMallory(t, url)
	select {
	case <-busy:
	case <-time.After(time.Minute):
		t.Fatal("no request of mallory was refused, so the attack is incomplete")
	}
	time.Sleep(max(*fairFor/3, 2*time.Second)) // until mallory has all there is to have
	ann := &caller{name: "ann", url: url, client: newClient(t)}
	var took []time.Duration
	held := 0
	for end := time.Now().Add(*fairFor); time.Now().Before(end) || len(took) < 100; {
		began := time.Now()
		patience, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		status, text := ann.post(patience, fairCall("quick", "{}"), fairHeading("quick"))
		cancel()
		if status != http.StatusOK || !strings.Contains(text, "quick!") {
			t.Errorf("after %v ann gets status %d: %s", time.Since(began), status, text)
			break
		}
		took = append(took, time.Since(began))
		if len(took)%20 == 0 {
			goruntime.GC()
			var stats goruntime.MemStats
			goruntime.ReadMemStats(&stats)
			held = max(held, heap()+int(stats.StackInuse))
		}
		time.Sleep(2 * time.Millisecond)
	}
	done := mallory()
	if len(took) == 0 {
		return // which is an error already
	}
	slices.Sort(took)
	median, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("%d quick calls: median %v, 99th percentile %v, longest %v; mallory was served %d times and refused %d times; held %s at most",
		len(took), median, p99, took[len(took)-1], done.Served, done.Refused, size(held))
	if most := 250 * time.Millisecond; p99 > most && !underRace || *fairFor >= time.Minute && p99 > 50*time.Millisecond {
		t.Errorf("the 99th percentile is %v", p99)
	}
	for _, limit := range limitsMet {
		if !slices.Contains(done.Met, limit) && *fairFor >= time.Minute {
			t.Errorf("mallory never got the error %q, so the attack is incomplete", limit)
		}
	}
	// The limit of one caller, its decoded messages, and the results of its tasks.
	const most = (238 + 128 + 64) << 20
	if held > most && !underRace {
		t.Errorf("%s are held, %s are allowed", size(held), size(most))
	}
}

// hello begins a session.
var hello = string(era{version: "2025-11-25"}.initialize().head)

// limitsMet are parts of the errors that mallory gets when it reaches its limits.
var limitsMet = [...]string{
	"its messages may hold", "calls of this caller are in flight", "sessions of this caller", "event streams of this caller", "too many tasks are running",
}

// caller is a principal of TestFair.
type caller struct {
	name   string
	url    string
	client *http.Client // its own, so that none waits for the connections of another
}

// newClient returns a client that keeps all its connections.
func newClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 10_000}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// serveFair starts the server of TestFair, where each token is a principal, and returns its URL.
func serveFair(t *testing.T) (url string) {
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
	over := make(chan struct{}) // tasks outlive their requests
	t.Cleanup(func() { close(over) })
	// Long enough that mallory has as many at once as it may, although its other calls take most of its turns to begin one.
	job := func(ctx context.Context, _ none) (mcptool.Text, error) {
		select {
		case <-ctx.Done():
		case <-over:
		case <-time.After(30 * time.Second):
		}
		return mcptool.Text{Text: strings.Repeat("x", 1<<20)}, ctx.Err()
	}
	type list struct {
		Rows []struct {
			ID   int    `json:"id"`
			Name string `json:"name,omitempty"`
		} `json:"rows"`
	}
	match, err := mcptool.NewRaw("match", json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","pattern":"^`+strings.Repeat("[ab]{0,900}", 5)+`$"}}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return new(mcptool.Result), nil })
	if err != nil {
		t.Fatal(err)
	}
	srv := newServer(t, new(counter), newTool(t, "nap", nap), newTool(t, "job", job, mcptool.Task(mcptool.TaskSupportRequired)), match,
		newTool(t, "rows", func(_ context.Context, in list) (list, error) { return in, nil }),
		newTool(t, "quick", func(context.Context, none) (mcptool.Text, error) { return mcptool.Text{Text: "quick!"}, nil }),
		newTool(t, "loud", func(ctx context.Context, _ none) (mcptool.Text, error) {
			mcptool.Progress(ctx, 1, 1, "") // which begins a stream, from which the answer can be had again
			return mcptool.Text{Text: strings.Repeat("x", 200<<10)}, nil
		}))
	h, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: r.Header.Get("Authorization")})))
	}))
	server.Config.ReadTimeout = time.Minute
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // first
	return server.URL
}

// deeds counts the requests of mallory.
type deeds struct {
	Served, Refused int64
	Met             []string // elements of limitsMet that it has received
}

// startMallory starts a process that does its worst to the server, until end is called. Busy is closed when the server has
// refused something to it, which takes a while on a busy machine.
func startMallory(t *testing.T, url string) (busy <-chan struct{}, end func() deeds) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{program, "-test.run=^TestMallory$", "-test.v"}
	if nice, err := exec.LookPath("nice"); err == nil {
		command = append([]string{nice, "-n", "19"}, command...)
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), malloryURL+"="+url)
	stop, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := malloryOutput{busy: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return out.busy, func() (done deeds) {
		stop.Close()
		err := cmd.Wait()
		_, report, _ := strings.Cut(out.String(), malloryReport)
		report, _, _ = strings.Cut(report, "\n")
		if err := errors.Join(err, json.Unmarshal([]byte(report), &done)); err != nil {
			t.Fatalf("mallory: %v\n%s", err, out.String())
		}
		return done
	}
}

// malloryOutput is the output of mallory.
type malloryOutput struct {
	strings.Builder

	busy   chan struct{} // closed when it contains malloryBusy
	isBusy bool
}

func (o *malloryOutput) Write(p []byte) (int, error) {
	n, err := o.Builder.Write(p)
	if !o.isBusy && strings.Contains(o.String(), malloryBusy) {
		o.isBusy = true
		close(o.busy)
	}
	return n, err
}

const (
	malloryURL    = "MCPTOOL_FAIR_URL"  // the variable that makes a process mallory
	malloryBusy   = "mallory is busy"   // is written after the first refusal
	malloryReport = "mallory's deeds: " // begins what it reports
)

// TestMallory is the process of [TestFair] that does its worst, until its input ends.
//
//nolint:paralleltest // runs in a separate process
func TestMallory(t *testing.T) {
	url := os.Getenv(malloryURL)
	if url == "" {
		t.Skip("runs only as a child process of TestFair")
	}
	m := newMallory(t, url)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, worst := range []struct {
		workers int
		do      func(ctx context.Context)
	}{
		{6, m.unfinished},
		{3, m.chunked},
		{20, m.sleeper},
		{2100, m.small},
		{2, m.session},
		{1050, m.subscription},
		{8, m.replayed},
		{80, m.task},
		{200, m.costly},
		{500, m.list},
		{60, m.large},
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
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop()
	wg.Wait()
	done := deeds{Served: m.served.Load(), Refused: m.refused.Load()}
	for i, limit := range limitsMet {
		if m.met[i].Load() {
			done.Met = append(done.Met, limit)
		}
	}
	report, err := json.Marshal(done)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s%s\n", malloryReport, report)
}

// mallory is the principal that does its worst.
type mallory struct {
	caller

	sleep      string // a body of 4 MiB that has a call sleep
	match      string // one of 4 KB that takes a quarter of a second to check
	rows, many string // lists of 200 KB and 2 MB, which are answered

	declaredHalf, chunkedHalf []byte // requests that end in the middle of their bodies

	served, refused atomic.Int64
	busy            sync.Once
	met             [len(limitsMet)]atomic.Bool
}

// refuse counts a refusal, and takes a short rest.
func (m *mallory) refuse() {
	m.busy.Do(func() { fmt.Println(malloryBusy) })
	m.refused.Add(1)
	time.Sleep(pause)
}

func newMallory(t *testing.T, url string) *mallory {
	t.Helper()
	list := func(n int) string {
		return fairCall("rows", `{"rows":[{"id":1}`+strings.Repeat(`,{"id":1}`, n)+`]}`)
	}
	m := &mallory{
		caller: caller{name: "mallory", url: url, client: newClient(t)},
		sleep:  fairCall("nap", `{"text":"`+strings.Repeat("x", 4<<20)+`"}`),
		match:  fairCall("match", `{"text":"`+strings.Repeat("a", 4<<10)+`"}`),
		rows:   list(20_000),
		many:   list(160_000),
	}
	const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: mallory\r\nContent-Type: application/json\r\n"
	m.declaredHalf = fmt.Appendf(nil, head+"Content-Length: %d\r\n\r\n%s", 16<<20, m.sleep[:1<<20])
	m.chunkedHalf = fmt.Appendf(nil, head+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(m.sleep), m.sleep)
	return m
}

// fairCall returns a call of a tool.
func fairCall(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
}

// fairHeading returns the headers of such a call.
func fairHeading(tool string) http.Header {
	return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool}}
}

// post sends a message, and returns the status, 0 for none, and the text of the answer.
func (c *caller) post(ctx context.Context, body string, header http.Header) (int, string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", c.name)
	response, err := c.client.Do(r)
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

// worst posts a message, and takes a short rest if it is refused.
func (m *mallory) worst(ctx context.Context, body string, header http.Header) {
	status, text := m.post(ctx, body, header)
	for i, limit := range limitsMet {
		if strings.Contains(text, limit) {
			m.met[i].Store(true)
		}
	}
	switch {
	case status == http.StatusServiceUnavailable || strings.Contains(text, "too many") || strings.Contains(text, `"isError":true`):
		m.refuse()
	case status == http.StatusOK:
		m.served.Add(1)
	}
}

// unfinished declares the largest body and sends a part of it.
func (m *mallory) unfinished(ctx context.Context) {
	m.half(ctx, m.declaredHalf)
}

// chunked does not declare the size of the body, and sends a part of it.
func (m *mallory) chunked(ctx context.Context) {
	m.half(ctx, m.chunkedHalf)
}

// half sends a request that ends in the middle of its body.
func (m *mallory) half(ctx context.Context, request []byte) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(m.url, "http://"))
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
		m.refuse()
	}
}

// pause is the time that mallory waits after a refusal. Refusing a message is cheap, so it is not scheduled fairly.
const pause = 200 * time.Millisecond

// costly has a quarter of a second of checks done.
func (m *mallory) costly(ctx context.Context) { m.worst(ctx, m.match, fairHeading("match")) }

func (m *mallory) list(ctx context.Context) { m.worst(ctx, m.rows, fairHeading("rows")) }

func (m *mallory) large(ctx context.Context) { m.worst(ctx, m.many, fairHeading("rows")) }

func (m *mallory) small(ctx context.Context) { m.worst(ctx, fairCall("nap", "{}"), fairHeading("nap")) }

func (m *mallory) sleeper(ctx context.Context) { m.worst(ctx, m.sleep, fairHeading("nap")) }

func (m *mallory) task(ctx context.Context) { m.worst(ctx, fairCall("job", "{}"), fairHeading("job")) }

func (m *mallory) subscription(ctx context.Context) {
	body := strings.Replace(fairCall("", "{}"), `"tools/call"`, `"subscriptions/listen"`, 1)
	m.worst(ctx, strings.Replace(body, `"params":{`, `"params":{"notifications":{"toolsListChanged":true},`, 1),
		http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}})
}

// session begins a session and leaves it there.
func (m *mallory) session(ctx context.Context) {
	m.worst(ctx, hello, http.Header{})
	time.Sleep(time.Millisecond)
}

// replayed makes a session keep an answer.
func (m *mallory) replayed(ctx context.Context) {
	header := http.Header{}
	m.worst(ctx, hello, header)
	if header.Get("Mcp-Session-Id") == "" {
		time.Sleep(pause)
		return
	}
	m.worst(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loud","_meta":{"progressToken":1}}}`, header)
}
