package runtime_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// page has the variables of docs://guide/{name}.
type page struct {
	_    struct{} `mcp:"uri=docs://guide/{name}"`
	Name string   `json:"name"`
}

// serveDocs returns a server with the resource docs://guide and the template docs://guide/{name}.
func serveDocs(t *testing.T, opts ...mcptool.ResourceOption) *runtime.Server {
	t.Helper()
	srv := serve(t)
	pages, err := mcptool.NewResource(func(_ context.Context, in page) (string, error) { return in.Name, nil }, mcptool.Name("page"))
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Tools.Add(document(t, "docs://guide", opts...), pages); err != nil {
		t.Fatal(err)
	}
	return srv
}

// document returns a resource.
func document(t *testing.T, uri string, opts ...mcptool.ResourceOption) *mcptool.Resource {
	t.Helper()
	r, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return uri, nil },
		append(opts, mcptool.URI(uri), mcptool.Name("document"))...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// subscriber opens a session that subscribes to the URIs, legacy or modern.
func subscriber(t *testing.T, srv *runtime.Server, revision string, uris ...string) *wire {
	t.Helper()
	w := open(t, srv)
	w.subscribe(revision, uris...)
	return w
}

// subscribe subscribes to the URIs.
func (w *wire) subscribe(revision string, uris ...string) {
	w.t.Helper()
	if revision == modernRevision {
		w.send(modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["`+strings.Join(uris, `","`)+`"]}`))
		w.want("acknowledged", strings.Join(uris, `","`))
		return
	}
	w.handshake(revision)
	for _, uri := range uris {
		w.send(legacy("1", "resources/subscribe", fmt.Sprintf(`"uri":%q`, uri)))
		w.want(`"result":{}`)
	}
}

// wantUpdate checks that the next message is an update of this URI.
func (w *wire) wantUpdate(uri string) {
	w.t.Helper()
	w.want("notifications/resources/updated", `"params":{"uri":"`+uri+`"`)
}

// sentAt is a connection that records the times of updates by URI.
type sentAt struct {
	enginetest.Discard
	mu   sync.Mutex
	byID map[string][]time.Time
}

// Notify implements [runtime.Writer].
func (s *sentAt) Notify(msg []byte) error {
	_, rest, isUpdate := strings.Cut(string(msg), `"notifications/resources/updated","params":{"uri":"`)
	if !isUpdate {
		return nil
	}
	uri, _, _ := strings.Cut(rest, `"`)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[uri] = append(s.byID[uri], time.Now())
	return nil
}

// TestUpdatesCoalesced updates resources at random times. The client must be notified of each update at once or within an
// interval, at most once per interval, and only of updates.
func TestUpdatesCoalesced(t *testing.T) {
	t.Parallel()
	const interval = 100 * time.Millisecond
	for _, revision := range revisions {
		t.Run("RES-11 RES-12 "+revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serveDocs(t)
				sent := &sentAt{byID: map[string][]time.Time{}}
				w := &wire{t: t, session: srv.Open(t.Context(), sent)}
				if revision == modernRevision {
					w.send(modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["docs://guide","docs://guide/a"]}`))
				} else {
					w.send(legacy("0", "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}`),
						`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
						legacy("1", "resources/subscribe", `"uri":"docs://guide"`), legacy("2", "resources/subscribe", `"uri":"docs://guide/%61"`))
				}
				rnd := rand.New(rand.NewPCG(17, 4))
				updated := map[string][]time.Time{}
				for range 2000 {
					uri := []string{"docs://guide", "docs://guide/b"}[rnd.IntN(2)]
					updated[uri] = append(updated[uri], time.Now())
					srv.Tools.ResourceUpdated(uri)
					time.Sleep([]time.Duration{0, time.Millisecond, 30 * time.Millisecond, interval, 170 * time.Millisecond}[rnd.IntN(5)])
				}
				time.Sleep(time.Second)
				sent.mu.Lock()
				for uri, updates := range updated {
					notes := sent.byID[uri]
					if len(notes) < 100 || len(notes) >= len(updates) {
						t.Errorf("%s: got %d notifications of %d updates, want fewer and at least 100", uri, len(notes), len(updates))
					}
					for i := 1; i < len(notes); i++ {
						if gap := notes[i].Sub(notes[i-1]); gap < interval {
							t.Errorf("%s: notification %d was sent %v after the previous one", uri, i, gap)
						}
					}
					for i, at := range updates {
						if next := slices.IndexFunc(notes, func(n time.Time) bool { return !n.Before(at) }); next < 0 || notes[next].Sub(at) > interval {
							t.Errorf("%s: no notification within the interval after update %d", uri, i)
						}
					}
					before := time.Time{}
					for i, at := range notes {
						if !slices.ContainsFunc(updates, func(u time.Time) bool { return !u.Before(before) && !u.After(at) }) {
							t.Errorf("%s: notification %d without an update", uri, i)
						}
						before = at
					}
				}
				if len(sent.byID) != 2 {
					t.Errorf("notified of %v, want two URIs", slices.Collect(maps.Keys(sent.byID)))
				}
				sent.mu.Unlock()
				_ = w.session.Close(t.Context())
				srv.Tools.ResourceUpdated("docs://guide")
				time.Sleep(time.Second)
				sent.mu.Lock()
				defer sent.mu.Unlock()
				if after := len(sent.byID["docs://guide"]); sent.byID["docs://guide"][after-1].After(time.Now().Add(-time.Second)) {
					t.Error("notified after the end of the session")
				}
			})
		})
	}
}

// TestManySubResources: updates of many resources below a subscribed one cause a limited number of notifications, one of
// which is for the subscribed URI.
func TestManySubResources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serveDocs(t)
		w := subscriber(t, srv, "2025-11-25", "docs://guide")
		for range 3 {
			for i := range 10_000 {
				srv.Tools.ResourceUpdated(fmt.Sprintf("docs://guide/%d", i))
			}
			time.Sleep(time.Second)
			synctest.Wait()
			named := map[string]int{}
			for len(w.out) > 0 {
				msg := w.want("notifications/resources/updated", "docs://guide")
				named[msg]++
			}
			own := named[`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"docs://guide"}}`]
			if len(named) != 65 || own < 1 || own > 2 {
				t.Errorf("notified of %d URIs and %d times of the subscribed one, want 65 and 1 or 2", len(named), own)
			}
		}
	})
}

// TestUpdateAccess: a subscription, and each notification, requires that the resource is visible to the caller.
func TestUpdateAccess(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-06-18", modernRevision} {
		t.Run("RES-09 "+revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { updateAccess(t, revision) })
		})
	}
}

func updateAccess(t *testing.T, revision string) {
	t.Helper()
	var shown atomic.Bool
	var asked atomic.Value
	srv := serveDocs(t, mcptool.Scopes("read"), mcptool.VisibleIf(func(_ context.Context, c mcptool.CallInfo) bool {
		asked.Store(fmt.Sprint(c.Resource, " for ", c.Principal, " of ", c.ProtocolVersion, " by ", c.Client.Name))
		return shown.Load()
	}))
	subscribe := func(scopes string) *wire {
		w := open(t, srv)
		messages := []string{modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["docs://guide"]}`)}
		if revision != modernRevision {
			messages = []string{
				legacy("0", "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"tester","version":"1"}`),
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`, legacy("1", "resources/subscribe", `"uri":"docs://guide"`),
			}
		}
		for _, text := range messages {
			m := srv.Read([]byte(text))
			m.Access = (*engine.Access)(granted("ada", scopes))
			w.session.Serve(m, nil)
		}
		if revision != modernRevision {
			w.want("protocolVersion")
		}
		return w
	}
	refused := `"resourceSubscriptions":[]`
	granted := `"resourceSubscriptions":["docs://guide"]`
	if revision != modernRevision {
		refused, granted = `"code":-32002`, `"result":{}`
	}
	subscribe("read").want(refused) // the condition is false
	shown.Store(true)
	subscribe("write").want(refused)
	w := subscribe("read write")
	w.want(granted)
	told := func(uri string, want bool) {
		t.Helper()
		srv.Tools.ResourceUpdated(uri)
		time.Sleep(200 * time.Millisecond)
		if want {
			w.wantUpdate(uri)
		}
		w.quiet()
	}
	told("docs://guide", true)
	if got := fmt.Sprint(asked.Load()); !strings.HasPrefix(got, "docs://guide for ada of "+revision) {
		t.Errorf("CallInfo of the condition = %s", got)
	}
	told("docs://guide/a", true)
	shown.Store(false)
	told("docs://guide", false)
	told("docs://guide/a", false)
	shown.Store(true)
	told("docs://guide", true)
	replace := func(resources ...*mcptool.Resource) {
		t.Helper()
		if err := srv.Tools.Replace(mcptool.Resources(resources)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
		for len(w.out) > 0 {
			w.want("list_changed")
		}
	}
	replace(document(t, "docs://guide/secret", mcptool.Scopes("admin")), document(t, "docs://guide/open", mcptool.Scopes("read")))
	told("docs://guide/secret", false)
	told("docs://guide/open", true)
	replace(document(t, "docs://guide", mcptool.Scopes("admin")))
	told("docs://guide", false)
	guide := document(t, "docs://guide")
	replace(guide)
	told("docs://guide", true)
	srv.Tools.Remove(guide)
	time.Sleep(time.Second)
	for len(w.out) > 0 {
		w.want("list_changed")
	}
	told("docs://guide", false)
}

// TestUpdateDoesNotWait: a condition or a client that blocks delays neither ResourceUpdated nor other clients, and its
// pending notifications are limited.
func TestUpdateDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"condition", "client"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { updateDoesNotWait(t, how == "condition") })
		})
	}
}

func updateDoesNotWait(t *testing.T, condition bool) {
	t.Helper()
	hold := make(chan struct{})
	var blocking atomic.Bool
	srv := serveDocs(t, mcptool.VisibleIf(func(_ context.Context, c mcptool.CallInfo) bool {
		if condition && blocking.Load() && c.ProtocolVersion == modernRevision {
			<-hold
		}
		return true
	}))
	slow := &wire{t: t, out: make(chan string, 1)} // the second message blocks
	slow.session = srv.Open(t.Context(), slow)
	slow.subscribe(modernRevision, "docs://guide")
	if !condition {
		slow.out <- "the buffer is full"
	}
	fast := subscriber(t, srv, "2025-11-25", "docs://guide")
	blocking.Store(true)
	for range 10 {
		begun := time.Now()
		for range 1000 {
			srv.Tools.ResourceUpdated("docs://guide")
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("ResourceUpdated blocked for %v", took)
		}
		time.Sleep(time.Second)
		for fast.wantUpdate("docs://guide"); len(fast.out) > 0; {
			fast.wantUpdate("docs://guide")
		}
	}
	blocking.Store(false)
	close(hold)
	if !condition {
		<-slow.out
	}
	n := 0
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		for ; len(slow.out) > 0; n++ {
			slow.wantUpdate("docs://guide")
		}
	}
	if n < 1 || n > 2 {
		t.Errorf("the slow client got %d notifications, want 1 or 2: of the first and the last update", n)
	}
	go func() { // drain the last messages
		for range slow.out {
		}
	}()
	if err := slow.session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	close(slow.out)
}

// TestUpdateValues: a condition and a func of [mcptool.MayRead] get the values of the request that subscribes, and for an
// update those of the request that has subscribed, also after it has ended. For an update their context has a deadline.
func TestUpdateValues(t *testing.T) {
	t.Parallel()
	type key struct{}
	for _, name := range []string{"condition", "MayRead"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inRevisions(t, func(t *testing.T, revision string) { //nolint:thelper // the subtest itself
				var isUpdate atomic.Bool
				passes := func(ctx context.Context) bool {
					_, hasDeadline := ctx.Deadline()
					return ctx.Value(key{}) == "beta" && (hasDeadline || !isUpdate.Load())
				}
				opt := map[string]mcptool.ResourceOption{
					"condition": mcptool.VisibleIf(func(ctx context.Context, _ mcptool.CallInfo) bool { return passes(ctx) }),
					"MayRead": mcptool.MayRead(func(ctx context.Context, _ struct{}) error {
						if !passes(ctx) {
							return mcptool.ErrResourceNotFound
						}
						return nil
					}),
				}[name]
				srv := serveDocs(t, opt)
				for _, value := range []string{"other", "beta"} {
					w := open(t, srv)
					subscribe := modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["docs://guide"]}`)
					if revision != modernRevision {
						w.handshake(revision)
						subscribe = legacy("1", "resources/subscribe", `"uri":"docs://guide"`)
					}
					m := srv.Read([]byte(subscribe))
					request, end := context.WithCancel(context.WithValue(t.Context(), key{}, value))
					m.Values = request //nolint:fatcontext // each message has its own
					w.session.Serve(m, nil)
					end()
					answer := w.next()
					if isRefused := strings.Contains(answer, `"resourceSubscriptions":[]`) || strings.Contains(answer, "not found"); isRefused != (value == "other") {
						t.Fatalf("%s: %s", value, answer)
					}
					if value == "beta" {
						isUpdate.Store(true)
						srv.Tools.ResourceUpdated("docs://guide")
						w.wantUpdate("docs://guide")
					}
				}
			})
		})
	}
}

// TestUpdateGoexit: a condition that calls runtime.Goexit does not end the notifications.
func TestUpdateGoexit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var exits atomic.Bool
		srv := serveDocs(t, mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool {
			if exits.Swap(false) {
				goruntime.Goexit()
			}
			return true
		}))
		w := subscriber(t, srv, "2025-11-25", "docs://guide")
		exits.Store(true)
		srv.Tools.ResourceUpdated("docs://guide")
		time.Sleep(200 * time.Millisecond)
		w.quiet()
		srv.Tools.ResourceUpdated("docs://guide")
		synctest.Wait()
		w.wantUpdate("docs://guide")
	})
}

// TestUpdateBeforeInitialized: a client that subscribes before notifications/initialized is notified after it.
func TestUpdateBeforeInitialized(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serveDocs(t)
		w := open(t, srv)
		w.send(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`))
		w.want("protocolVersion")
		w.send(legacy("1", "resources/subscribe", `"uri":"docs://guide"`))
		w.want(`"result":{}`)
		srv.Tools.ResourceUpdated("docs://guide")
		time.Sleep(time.Second)
		w.quiet()
		w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		synctest.Wait()
		w.wantUpdate("docs://guide")
		time.Sleep(time.Second)
		w.quiet()
	})
}
