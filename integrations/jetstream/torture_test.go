//go:build unix

package jetstream_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

var (
	tortureSeed = flag.Uint64("torture-seed", 1, "the seed of TestTorture")
	tortureFor  = flag.Duration("torture-for", 12*time.Second, "how long TestTorture kills, stops and cuts off instances")
)

// The variables by which the test runs itself as an instance of a server: the URL of NATS, and the file for what funcs see.
const (
	tortureServer = "JETSTREAM_TORTURE_SERVER"
	tortureLog    = "JETSTREAM_TORTURE_LOG"
)

const tortureLease = 2 * time.Second

type (
	bookIn struct {
		_ struct{} `mcp:"name=book,task=required,durable"`
		N int      `json:"n"`
	}
	bookOut struct {
		Order string `json:"order"`
		Seat  string `json:"seat"`
	}
	seat struct {
		Seat string `json:"seat"`
	}
)

// book makes the number of an order, asks for a seat with it, and goes on for a while.
func book(ctx context.Context, in bookIn) (bookOut, error) {
	order, err := mcptool.Once(ctx, "order", func(context.Context) (string, error) { return rand.Text(), nil })
	if err != nil {
		return bookOut{}, err
	}
	if err := note(in.N, "order", order); err != nil {
		return bookOut{}, err
	}
	mcptool.Progress(ctx, 1, 3, "order "+order)
	chosen, err := mcptool.Elicit[seat](ctx, "Which seat for order "+order+"?")
	if err != nil {
		return bookOut{}, err
	}
	if err := note(in.N, "seat", chosen.Seat); err != nil {
		return bookOut{}, err
	}
	select {
	case <-time.After(300 * time.Millisecond):
	case <-ctx.Done():
		return bookOut{}, ctx.Err()
	}
	ticket, err := mcptool.Once(ctx, "ticket", func(context.Context) (string, error) { return order + "-" + chosen.Seat, nil })
	if err != nil {
		return bookOut{}, err
	}
	return bookOut{Order: order, Seat: chosen.Seat}, note(in.N, "ticket", ticket)
}

// note appends a line to the log.
func note(n int, what, value string) error {
	file, err := os.OpenFile(os.Getenv(tortureLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // what was written is in the system
	_, err = fmt.Fprintf(file, "%d %s %s\n", n, what, value)
	return err
}

// serveBooking serves until it is killed.
func serveBooking(t *testing.T, address string) {
	t.Helper()
	c, err := jetstream.Connect(address, jetstream.Options{Lease: tortureLease, Heartbeat: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := mcptool.New(book)
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Name: "booking", Version: "1.0.0", Tools: tools, Tasks: c.Tasks(), Bus: c.Bus()}
	srv.Limits.Tasks.MaxAttempts = 1000
	if err := stdio.Serve(t.Context(), srv); err != nil {
		t.Error(err)
	}
}

// peer is an instance in a process of its own, behind a proxy of its own, and its client.
type peer struct {
	proxy   *proxy
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan []byte
	busy    time.Time // until when it is stopped or cut off
	ids     int
}

func (p *peer) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTorture$")
	p.cmd.Env = append(os.Environ(), tortureServer+"="+p.address)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in, p.lines = in, make(chan []byte, 99)
	go func(lines chan<- []byte) {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- bytes.Clone(s.Bytes())
		}
	}(p.lines)
}

func (p *peer) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
}

var errNoAnswer = errors.New("no answer")

// request sends a request of a client that has tasks, and reads its answer into result.
func (p *peer) request(method, params string, result any) error {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1.0.0"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	p.ids++
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`+"\n", p.ids, method, params, meta); err != nil {
		return err
	}
	timeout := time.After(15 * time.Second)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return errNoAnswer
			}
			var m struct {
				ID            int
				Result, Error json.RawMessage
			}
			if err := json.Unmarshal(line, &m); err != nil {
				continue // what the test framework prints
			}
			switch {
			case m.ID != p.ids:
				continue // an answer that came too late
			case m.Error != nil:
				return fmt.Errorf("%s: %s", method, m.Error)
			}
			return json.Unmarshal(m.Result, result)
		case <-timeout:
			return errNoAnswer
		}
	}
}

// booking is a durable task that a client was told of.
type booking struct {
	id     string
	answer string // that was accepted
	tried  bool   // an answer was sent, and nobody knows whether it was accepted
}

// torture is several instances, and what their clients know.
type torture struct {
	t      *testing.T
	rand   *mathrand.Rand
	peers  []*peer
	told   map[int]*booking
	begun  int
	faults int
}

// TestTorture kills, stops and cuts off instances at random while clients begin tasks and answer their questions through
// others: each task that a client was told of ends once, with its result, no two values of one key of Once are ever seen, and
// each answer that was accepted has reached the func.
//
//	go test ./integrations/jetstream -run TestTorture -torture-for 5m -torture-seed 7
func TestTorture(t *testing.T) { //nolint:paralleltest // it sets an environment variable
	if address := os.Getenv(tortureServer); address != "" {
		serveBooking(t, address)
		return
	}
	if testing.Short() {
		t.Skip("it takes a while")
	}
	logPath := filepath.Join(t.TempDir(), "log")
	t.Setenv(tortureLog, logPath)
	server, err := url.Parse(natsServer(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &torture{t: t, rand: mathrand.New(mathrand.NewPCG(*tortureSeed, 1)), told: map[int]*booking{}}
	for range 3 {
		p := &peer{}
		p.proxy, p.address = newProxy(t, server.Host)
		p.start(t)
		w.peers = append(w.peers, p)
	}
	defer func() {
		for _, p := range w.peers {
			p.kill()
		}
	}()
	const fewest = 5 // tasks and faults, on a slow machine
	for end := time.Now().Add(*tortureFor); time.Now().Before(end) || len(w.told) < fewest || w.faults < fewest; {
		w.begin()
		w.answer()
		w.fault()
	}
	for _, p := range w.peers {
		p.proxy.set(false)
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		p.busy = time.Time{}
	}
	open := -1
	for end := time.Now().Add(time.Minute); open != 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		open = w.answer()
	}
	if open != 0 {
		t.Errorf("%d of %d tasks have not ended", open, len(w.told))
	}
	w.check(logPath)
}

// healthy returns an instance that is not stopped or cut off, nil if there is none.
func (w *torture) healthy() *peer {
	for _, i := range w.rand.Perm(len(w.peers)) {
		if p := w.peers[i]; p.busy.IsZero() {
			return p
		}
	}
	return nil
}

// begin begins a task.
func (w *torture) begin() {
	p := w.healthy()
	if p == nil {
		return
	}
	w.begun++ // also if the client is not told of the task
	n := w.begun
	var created struct{ TaskID string }
	if err := p.request("tools/call", fmt.Sprintf(`"name":"book","arguments":{"n":%d}`, n), &created); err == nil {
		w.told[n] = &booking{id: created.TaskID}
	}
}

// answer answers some of the questions, and returns how many tasks have not ended as far as could be found out.
func (w *torture) answer() (open int) {
	for n, b := range w.told {
		p := w.healthy()
		if p == nil {
			return len(w.told)
		}
		var now struct {
			Status, StatusMessage string
			InputRequests         map[string]json.RawMessage
			Result                *struct{ StructuredContent bookOut }
		}
		if err := p.request("tasks/get", fmt.Sprintf(`"taskId":%q`, b.id), &now); err != nil {
			open++
			continue
		}
		switch now.Status {
		case "completed":
			if want := fmt.Sprint("seat-", n); b.answer == "" && !b.tried || now.Result == nil || now.Result.StructuredContent.Seat != want {
				w.t.Errorf("task %d was answered with %q and has %+v", n, b.answer, now.Result)
			}
			continue
		case "failed", "cancelled":
			w.t.Errorf("task %d is %s: %s", n, now.Status, now.StatusMessage)
			continue
		}
		open++
		for key := range now.InputRequests {
			b.tried = true
			chosen := fmt.Sprint("seat-", n)
			if err := p.request("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"seat":%q}}}`, b.id, key, chosen), new(struct{})); err == nil {
				b.answer = chosen
			}
		}
	}
	return open
}

// fault does something to one instance, and repairs those whose time is over.
func (w *torture) fault() {
	for _, p := range w.peers {
		if !p.busy.IsZero() && time.Now().After(p.busy) {
			p.proxy.set(false)
			_ = p.cmd.Process.Signal(syscall.SIGCONT)
			p.busy = time.Time{}
		}
	}
	time.Sleep(time.Duration(w.rand.IntN(400)) * time.Millisecond)
	p := w.healthy()
	if p == nil {
		return
	}
	long := time.Duration(w.rand.IntN(2000)) * tortureLease / 1000
	switch w.rand.IntN(5) {
	case 0:
		p.kill()
		p.start(w.t)
	case 1:
		_ = p.cmd.Process.Signal(syscall.SIGSTOP)
		p.busy = time.Now().Add(long)
	case 2:
		p.proxy.set(true)
		p.busy = time.Now().Add(long)
	default:
		return
	}
	w.faults++
}

// check checks what the funcs have noted, in all processes.
func (w *torture) check(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	seen := map[string]string{}
	runs := 0
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line)) // the number of the task, what it is, and the value
		what, value := fields[0]+" "+fields[1], fields[2]
		if fields[1] == "order" {
			runs++
		}
		if before, twice := seen[what]; twice && before != value {
			w.t.Errorf("%s was %s and is %s", what, before, value)
		}
		seen[what] = value
	}
	for _, n := range slices.Sorted(maps.Keys(w.told)) {
		if got, want := seen[fmt.Sprint(n, " seat")], w.told[n].answer; want != "" && got != want {
			w.t.Errorf("task %d was answered with %q, and its func has seen %q", n, want, got)
		}
	}
	w.t.Logf("seed %d: %d faults, %d tasks, %d runs", *tortureSeed, w.faults, len(w.told), runs)
}
