package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/mcptool"
)

// isUpdatedBy is what find does, the slow way: whether a subscription to a URI is notified of an update of another one.
func isUpdatedBy(subscribed, updated string) bool {
	if subscribed == updated {
		return true
	}
	path, _, _ := strings.Cut(updated, "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.HasPrefix(path, subscribed+"/") || strings.HasSuffix(subscribed, "/") && strings.HasPrefix(path, subscribed)
}

// checkIndex adds subscriptions, removes every second one, and looks for the rest.
func checkIndex(t *testing.T, subscribed []string, updated string) {
	t.Helper()
	key, ok := uritemplate.Normalize(updated)
	if !ok || len(key) > maxSubscribedURI {
		return
	}
	var x resourceIndex
	var subs []*resourceSubscription
	for _, uri := range subscribed {
		if normal, ok := uritemplate.Normalize(uri); ok {
			sub := &resourceSubscription{uri: uri, key: normal}
			subs = append(subs, sub)
			x.add(sub)
		}
	}
	for i := range subs {
		if i%2 == 1 {
			x.remove(subs[i])
		}
	}
	var want []*resourceSubscription
	for i, sub := range subs {
		if i%2 == 0 && isUpdatedBy(sub.key, key) {
			want = append(want, sub)
		}
	}
	got := x.find(key)
	for _, sub := range subs {
		if in, due := slices.Contains(got, sub), slices.Contains(want, sub); in != due {
			t.Errorf("an update of %q: a subscription to %q is found: %t, want %t", updated, sub.uri, in, due)
		}
	}
	if len(got) != len(want) {
		t.Errorf("an update of %q finds %d subscriptions, want %d", updated, len(got), len(want))
	}
	for i := 0; i < len(subs); i += 2 {
		x.remove(subs[i])
	}
	if x.byKey != nil {
		t.Errorf("%d keys are left", len(x.byKey))
	}
}

// indexCases are an updated URI and the URIs that were subscribed to, all in one.
var indexCases = []string{
	"docs://guide x docs://guide docs://guide/ docs://guide/x docs://guide",
	"docs://guide/intro docs://guide x docs://guide/ x docs://guid x docs:/ x docs:// x docs: x docs://guide/intro x docs://guide/intro/ x",
	"docs://guide/a/b docs://guide/a x docs://guide x docs://guide/a/b/c x docs://guide/a/ docs://guide//",
	"docs://guide/a?b=/c docs://guide/a x docs://guide/a?b= x docs://guide x docs://guide/a?b=/c",
	"docs://guide#/x docs://guide x docs://guide# x docs:// x docs:",
	"docs://g%75ide/%2f docs://guide x docs://guide/%2F x docs://guide/ x",
	"docs:a/b docs:a x docs x docs: x a",
	"x:///// x:/// x x://// x x:// x x:/ x x: x x:///// x x:////",
	"docs://guide/ docs://guide x docs://guide/ x docs://guide//",
}

// FuzzResourceIndex compares what the index finds with what a comparison of each subscription finds.
func FuzzResourceIndex(f *testing.F) {
	for _, text := range indexCases {
		f.Add(text)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		words := strings.Fields(text)
		if len(words) > 0 && len(words) < 50 {
			checkIndex(t, words[1:], words[0])
		}
	})
}

// TestResourceIndex does the same with URIs that are likely to be above one another.
func TestResourceIndex(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		text := "x:"
		for range rnd.IntN(8) {
			text += []string{"/", "/", "a", "b", "%61", "?", "#"}[rnd.IntN(7)]
		}
		return text
	}
	for range 20_000 {
		subscribed := make([]string, rnd.IntN(20))
		for i := range subscribed {
			subscribed[i] = word()
		}
		checkIndex(t, subscribed, word())
	}
}

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
	if err := srv.Tools.AddResources(notes); err != nil {
		t.Fatal(err)
	}
	return srv
}

// counter counts the updates that it is sent.
type counter struct{ updates chan string }

func (c *counter) Send(msg []byte) error {
	if c.updates != nil && strings.Contains(string(msg), "resources/updated") {
		c.updates <- string(msg)
	}
	return nil
}

// TestManySubscriptions: the memory for 100 000 subscriptions of 1563 sessions is what the limits count, an update of one
// resource is found among them at once, and nothing is left in the end.
//
//nolint:paralleltest // it measures memory
func TestManySubscriptions(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the memory of 100 000 subscriptions, made in one goroutine")
	}
	const n = 100_000
	srv := notesServer(t)
	access := &Access{Principal: "ada", Address: netip.MustParseAddr("127.0.0.1")}
	out := &counter{updates: make(chan string, 10)}
	most := srv.core().limits.MaxSubscriptions
	begin := func() (sessions []*Session) {
		for range (n + most - 1) / most {
			s := srv.Open(t.Context(), out)
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
		m.Access = access
		sessions[i/most].Serve(m, nil)
	}
	x := &srv.core().subscribers.resources
	if len(x.byKey) != n {
		t.Fatalf("there are %d subscriptions, want %d", len(x.byKey), n)
	}
	counted := srv.core().memory.Taken()
	took := int(liveHeap() - before)
	t.Logf("a subscription takes %d bytes, and counts as %d", took/n, counted/n)
	if took > counted || counted > 3*took {
		t.Errorf("%d subscriptions take %d bytes, and count as %d", n, took, counted)
	}
	if allocs := testing.AllocsPerRun(100, func() { srv.Tools.ResourceUpdated("notes://of/nobody") }); allocs > 0 {
		t.Errorf("an update that nobody has subscribed to allocates %v times", allocs)
	}
	if found := x.find(uri(n / 2)); len(found) != 1 {
		t.Errorf("an update is for %d subscriptions, want 1", len(found))
	}
	srv.Tools.ResourceUpdated(uri(n / 2))
	if got := <-out.updates; !strings.Contains(got, uri(n/2)) {
		t.Errorf("got %s", got)
	}
	for _, s := range sessions {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	waitEnded(sessions)
	if left := srv.core().memory.Taken(); left != 0 || x.byKey != nil {
		t.Errorf("%d bytes and %d URIs are left", left, len(x.byKey))
	}
}

// waitEnded waits until the ends of closed sessions have been handled, which is done in goroutines.
func waitEnded(sessions []*Session) {
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

// TestSubscriptionsConcurrently subscribes, unsubscribes, updates, changes lists and ends sessions, all at once. Nothing is
// left in the end.
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
				_ = srv.Tools.AddPrompts()
				srv.Tools.RemoveResources("none")
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
	b := &srv.core().subscribers
	for settled := false; !settled; goruntime.Gosched() { // the end of a session is handled in a goroutine
		b.resources.mu.RLock()
		settled = b.resources.byKey == nil && srv.core().memory.Taken() == 0
		b.resources.mu.RUnlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.sessions) != 0 {
		t.Errorf("%d sessions are left", len(b.sessions))
	}
}

// subscribeAndEnd is one session of a client, in one of several ways.
func subscribeAndEnd(srv *Server, client, round int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := srv.Open(ctx, &counter{})
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
