package runtime

import (
	"context"
	"fmt"
	"net/netip"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/mcptool"
)

// notesServer returns a server with the template notes://{name}.
func notesServer(t *testing.T) *Server {
	t.Helper()
	notes, err := mcptool.NewResource(func(_ context.Context, in struct {
		Name string `json:"name"`
	},
	) (string, error) {
		return in.Name, nil
	}, mcptool.URI("notes://{name}"), mcptool.Name("note"))
	if err != nil {
		t.Fatal(err)
	}
	srv := &Server{Tools: &mcptool.Registry{}}
	if err := srv.Tools.Add(notes); err != nil {
		t.Fatal(err)
	}
	return srv
}

// counter is a connection that sends each update to updates.
type counter struct {
	enginetest.Discard
	updates chan string
}

func (c *counter) Notify(msg []byte) error {
	if c.updates != nil && strings.Contains(string(msg), "resources/updated") {
		c.updates <- string(msg)
	}
	return nil
}

// TestManySubscriptions: 100 000 subscriptions of 1563 sessions use about the memory that the limits count, an update
// reaches its subscriber, and all memory is released at the end.
//
//nolint:paralleltest // measures memory
func TestManySubscriptions(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the memory of 100 000 subscriptions")
	}
	const n = 100_000
	srv := notesServer(t)
	access := &Access{Principal: "ada", Address: netip.MustParseAddr("127.0.0.1")}
	out := &counter{updates: make(chan string, 10)}
	most := srv.core().limits.MaxSubscriptions
	begin := func() (sessions []*session) {
		for range (n + most - 1) / most {
			s := srv.open(t.Context(), out)
			for _, text := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			} {
				s.Receive([]byte(text))
			}
			sessions = append(sessions, s)
		}
		return sessions
	}
	sessions := begin()
	before := liveHeap()
	uri := func(i int) string { return fmt.Sprintf("notes://%06d-%s", i, strings.Repeat("x", 50)) }
	for i := range n {
		m := srv.Read(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":%q}}`, uri(i)))
		m.Access = (*engine.Access)(access)
		sessions[i/most].Serve(m, nil)
	}
	if _, uris := srv.core().notices.Size(); uris != n {
		t.Fatalf("got %d subscriptions, want %d", uris, n)
	}
	counted := srv.core().memory.Taken()
	took := int(liveHeap() - before)
	t.Logf("a subscription uses %d bytes and counts as %d", took/n, counted/n)
	if took > counted || counted > 3*took {
		t.Errorf("%d subscriptions use %d bytes and count as %d, want 1 to 3 times as many", n, took, counted)
	}
	if allocs := testing.AllocsPerRun(100, func() { srv.Tools.ResourceUpdated("notes://of/nobody") }); allocs > 0 {
		t.Errorf("an update without subscribers makes %v allocations, want 0", allocs)
	}
	srv.Tools.ResourceUpdated(uri(n / 2))
	if got := <-out.updates; !strings.Contains(got, uri(n/2)) {
		t.Errorf("got %s, want an update of %s", got, uri(n/2))
	}
	for _, s := range sessions {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	waitEnded(sessions)
	if len(out.updates) > 0 {
		t.Errorf("another update was sent: %s", <-out.updates)
	}
	left := srv.core().memory.Taken()
	if clients, uris := srv.core().notices.Size(); left+clients+uris != 0 {
		t.Errorf("%d bytes, %d clients and %d URIs are left, want none", left, clients, uris)
	}
}

// waitEnded waits until the goroutines that handle the ends of closed sessions are done.
func waitEnded(sessions []*session) {
	for _, s := range sessions {
		for ended := false; !ended; goruntime.Gosched() {
			s.mu.Lock()
			ended = len(s.resources.byKey) == 0
			s.mu.Unlock()
		}
	}
}

// liveHeap returns the size of the live heap, in bytes.
func liveHeap() uint64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSubscriptionsConcurrently subscribes, unsubscribes, updates, changes lists and ends sessions concurrently. Nothing
// must be left at the end.
func TestSubscriptionsConcurrently(t *testing.T) {
	t.Parallel()
	srv := notesServer(t)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			srv.Tools.ResourceUpdated(fmt.Sprintf("notes://%d/%d", i%5, i%300))
			srv.Tools.ResourceUpdated(fmt.Sprintf("notes://%d", i%5))
			if i%100 == 0 {
				_ = srv.Tools.Add(mcptool.Prompts{})
				srv.Tools.Remove(mcptool.Prompts{})
			}
		}
	})
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for round := range 40 {
				subscribeAndEnd(srv, client, round)
			}
		})
	}
	clients.Wait()
	close(stop)
	wg.Wait()
	for settled := false; !settled; goruntime.Gosched() { // the end of a session is handled in a goroutine
		_, uris := srv.core().notices.Size()
		settled = uris == 0 && srv.core().memory.Taken() == 0
	}
	if clients, _ := srv.core().notices.Size(); clients != 0 {
		t.Errorf("%d sessions are left, want 0", clients)
	}
}

// subscribeAndEnd runs one session of a client; client and round select what it does.
func subscribeAndEnd(srv *Server, client, round int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := srv.open(ctx, &counter{})
	receive := func(format string, args ...any) { s.Receive(fmt.Appendf(nil, format, args...)) }
	var requests sync.WaitGroup
	if client%2 == 0 {
		receive(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		receive(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for i := range 4 {
			requests.Go(func() {
				for n := range 5 {
					receive(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"notes://%d"}}`, i, n)
					receive(`{"jsonrpc":"2.0","id":%d,"method":"resources/%s","params":{"uri":"notes://%d"}}`, i, []string{"unsubscribe", "subscribe"}[(n+i)%2], n)
				}
			})
		}
	} else {
		const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		for i := range 4 {
			requests.Go(func() {
				receive(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{%s,"notifications":{"resourceSubscriptions":["notes://%d","notes://4"],"promptsListChanged":true}}}`, i, meta, i)
				if i%2 == 0 {
					receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i)
				}
			})
		}
	}
	if round%3 == 0 {
		cancel()
	}
	if round%2 == 0 {
		requests.Wait()
	}
	_ = s.Close(ctx)
	requests.Wait()
}

// TestUpdateBeforeAcknowledgement: an update between the start of a subscription and its acknowledgement is sent after the
// acknowledgement.
func TestUpdateBeforeAcknowledgement(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-05 RES-12", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := notesServer(t)
			out := &counter{updates: make(chan string, 10)}
			s := srv.open(t.Context(), out)
			l := &listen{from: &s.origin, session: s, key: "1", id: []byte("1")}
			l.out.To = out
			l.changes = s.changes.NewStream(l.announce)
			l.resources = l.subscriptions(newReadable(&request{from: &s.origin, params: &envelope.Params{}}, []string{"notes://a"}))
			if err := l.begin(); err != nil || len(l.resources) != 1 {
				t.Fatal(err, l.resources)
			}
			s.changes.Join()
			srv.Tools.ResourceUpdated("notes://a")
			synctest.Wait()
			if len(out.updates) > 0 {
				t.Errorf("sent before the acknowledgement: %s", <-out.updates)
			}
			l.changes.Begin()
			synctest.Wait()
			if len(out.updates) != 1 {
				t.Errorf("%d notifications after the acknowledgement, want 1", len(out.updates))
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	})
}
