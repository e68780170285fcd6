//go:build unix

package jetstream_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/internal/fixture/booking"
	"github.com/mcptool-go/mcptool/internal/fixture/child"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

var (
	tortureSeed = flag.Uint64("torture-seed", 1, "the seed of TestTorture")
	tortureFor  = flag.Duration("torture-for", 12*time.Second, "how long TestTorture kills, stops and cuts off instances")
)

// tortureServer is the variable by which the test runs itself as an instance of a server: the URL of NATS.
const tortureServer = "JETSTREAM_TORTURE_SERVER"

const tortureLease = 2 * time.Second

// serveBooking serves until it is killed.
func serveBooking(t *testing.T, address string) {
	t.Helper()
	c, err := jetstream.Connect(address, jetstream.Options{Lease: tortureLease, Heartbeat: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := mcptool.New(booking.Book)
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
	*child.Process
	proxy   *proxy
	address string
	lines   chan []byte
	busy    time.Time // until when it is stopped or cut off
	ids     int
}

func (p *peer) start(t *testing.T) {
	t.Helper()
	p.Process, p.lines = child.Start(t, "TestTorture", tortureServer, p.address), make(chan []byte, 99)
	go func(out io.Reader, lines chan<- []byte) {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- bytes.Clone(s.Bytes())
		}
	}(p.Out, p.lines)
}

// signal sends a signal to the process.
func (p *peer) signal(s os.Signal) { _ = p.Process.Process.Signal(s) } // it may just have ended

var errNoAnswer = errors.New("no answer")

// request sends a request of a client that has tasks, and reads its answer into result.
func (p *peer) request(method, params string, result any) error {
	p.ids++
	if _, err := fmt.Fprintf(p.In, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`+"\n", p.ids, method, params, booking.Meta); err != nil {
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

// torture is several instances, and the tasks of their clients.
type torture struct {
	t      *testing.T
	rand   *rand.Rand
	peers  []*peer
	tasks  booking.Tasks
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
	log, most := filepath.Join(t.TempDir(), "log"), *tortureFor
	if testing.Short() {
		most = min(most, tortureLease)
	}
	t.Setenv(booking.LogFile, log)
	server, err := url.Parse(natsServer(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &torture{t: t, rand: rand.New(rand.NewPCG(*tortureSeed, 1))}
	for range 3 {
		p := &peer{}
		p.proxy, p.address = newProxy(t, server.Host)
		p.start(t)
		w.peers = append(w.peers, p)
	}
	const fewest = 5 // tasks and faults, on a slow machine
	for end := time.Now().Add(most); time.Now().Before(end) || w.tasks.Len() < fewest || w.faults < fewest; {
		if send := w.pick(); send != nil {
			w.tasks.Begin(send)
		}
		w.tasks.Answer(t, w.pick)
		w.fault()
	}
	for _, p := range w.peers {
		p.proxy.set(false)
		p.signal(syscall.SIGCONT)
		p.busy = time.Time{}
	}
	open := -1
	for end := time.Now().Add(time.Minute); open != 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		open = w.tasks.Answer(t, w.pick)
	}
	if open != 0 {
		t.Errorf("%d of %d tasks have not ended", open, w.tasks.Len())
	}
	runs := w.tasks.Check(t, log)
	t.Logf("seed %d: %d faults, %d tasks, %d runs", *tortureSeed, w.faults, w.tasks.Len(), runs)
}

// pick returns how to send requests to an instance that is not stopped or cut off, nil if there is none.
func (w *torture) pick() booking.Request {
	if p := w.healthy(); p != nil {
		return p.request
	}
	return nil
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

// fault does something to one instance, and repairs those whose time is over.
func (w *torture) fault() {
	for _, p := range w.peers {
		if !p.busy.IsZero() && time.Now().After(p.busy) {
			p.proxy.set(false)
			p.signal(syscall.SIGCONT)
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
		p.Kill()
		p.start(w.t)
	case 1:
		p.signal(syscall.SIGSTOP)
		p.busy = time.Now().Add(long)
	case 2:
		p.proxy.set(true)
		p.busy = time.Now().Add(long)
	default:
		return
	}
	w.faults++
}
