package jetstream_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/task"
)

// single starts a single server that only this process can use, and closes it when the test ends.
func single(t *testing.T, opts jetstream.Options) *jetstream.Conn {
	t.Helper()
	return newEmbedded(t, t.TempDir(), embedded.Node{}, opts)
}

// newEmbedded starts a server, and closes it when the test ends.
func newEmbedded(t *testing.T, dir string, node embedded.Node, opts jetstream.Options) *jetstream.Conn {
	t.Helper()
	c, err := embedded.Open(dir, node, opts)
	if err != nil {
		t.Fatal(err)
	}
	return closed(t, c)
}

// connect connects to a server, and closes the connection when the test ends.
func connect(t *testing.T, address string, opts jetstream.Options) *jetstream.Conn {
	t.Helper()
	c, err := jetstream.Connect(address, opts)
	if err != nil {
		t.Fatal(err)
	}
	return closed(t, c)
}

// closed closes c when the test ends.
func closed(t *testing.T, c *jetstream.Conn) *jetstream.Conn {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

// natsServer starts a plain NATS server and returns its URL.
func natsServer(t *testing.T) string {
	t.Helper()
	return natsServerWith(t, &server.Options{})
}

// natsServerWith is natsServer with more options.
func natsServerWith(t *testing.T, opts *server.Options) string {
	t.Helper()
	opts.Host, opts.Port, opts.JetStream, opts.StoreDir, opts.NoSigs, opts.NoLog = "127.0.0.1", server.RANDOM_PORT, true, t.TempDir(), true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	return s.ClientURL()
}

// client connects to a server without using the package under test.
func client(t *testing.T, address string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// jetStream connects to JetStream without using the package under test.
func jetStream(t *testing.T, address string) natsjs.JetStream {
	t.Helper()
	js, err := natsjs.New(client(t, address))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// streamOf returns an existing stream.
func streamOf(t *testing.T, js natsjs.JetStream, name string) natsjs.Stream {
	t.Helper()
	s, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eventually calls f until it returns nil, for at most 30 s.
func eventually(t *testing.T, what string, f func() error) {
	t.Helper()
	const most, pause = time.Minute, 20 * time.Millisecond
	var err error
	for began := time.Now(); time.Since(began) < most; time.Sleep(pause) {
		if err = f(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

// logs collects the output of a logger.
type logs struct{ syncbuffer.Buffer }

func (l *logs) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// wants returns an error if the text is not in the log.
func (l *logs) wants(text string) error {
	if log := l.String(); !strings.Contains(log, text) {
		return fmt.Errorf("%q is not in the log:\n%s", text, log)
	}
	return nil
}

// put creates a task.
func put(t *testing.T, s task.Store, r task.Record) task.Record {
	t.Helper()
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got the error %v, want %v", what, err, want)
	}
}

// proxy forwards connections to an address until it is cut.
type proxy struct {
	listener net.Listener
	to       string
	hold     sync.RWMutex // locked while nothing is passed on

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]struct{}
}

// newProxy returns a proxy for an address, and the URL of the proxy.
func newProxy(t *testing.T, to string) (*proxy, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, conns: map[net.Conn]struct{}{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.set(true)
		all.Wait()
	})
	return p, "nats://" + l.Addr().String()
}

func (p *proxy) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	p.mu.Lock()
	if p.cut {
		p.mu.Unlock()
		return
	}
	p.conns[from], p.conns[to] = struct{}{}, struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { pass(from, to, &p.hold) })
	both.Go(func() { pass(to, from, &p.hold) })
	both.Wait()
}

// pass copies until one of the two is closed, and closes both. It waits while hold is locked.
func pass(a, b net.Conn, hold *sync.RWMutex) {
	defer a.Close()
	defer b.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := a.Read(buf)
		hold.RLock()
		if n > 0 {
			_, failed := b.Write(buf[:n])
			err = errors.Join(err, failed)
		}
		hold.RUnlock()
		if err != nil {
			return
		}
	}
}

// set cuts all connections and refuses new ones, or accepts them again.
func (p *proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for c := range p.conns {
		c.Close()
	}
	p.conns = map[net.Conn]struct{}{}
}

// freeAddress returns an address that is not in use.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	address, err := unusedAddress()
	if err != nil {
		tb.Fatal(err)
	}
	return address
}

// The ports of nodes are below the range from which systems assign ports (Linux from 32768, others from 49152), so that no
// other socket gets one before its node listens on it. A process takes them one after the other, because a node that is
// started later would find a random one in use, and another cluster behind it.
const (
	firstPort = 20_000
	portCount = 12_000
)

var lastPort = func() *atomic.Uint32 {
	last := new(atomic.Uint32)
	last.Store(rand.Uint32N(portCount)) // since other processes do the same
	return last
}()

// unusedAddress returns a loopback address that is not in use, and that it has not returned before.
func unusedAddress() (address string, err error) {
	for range 100 {
		port := firstPort + lastPort.Add(1)%portCount
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// dial reports whether an address accepts connections.
func dial(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
