package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
)

// instance returns a server with documents and a prompt, which is shut down at the end of the test.
func instance(t *testing.T, broker bus.Bus, opts ...mcptool.ResourceOption) *runtime.Server {
	t.Helper()
	srv := serveDocs(t, opts...)
	if err := srv.Tools.Add(mcptool.Prompts{}); err != nil {
		t.Fatal(err)
	}
	srv.Bus = bus.New(broker)
	srv.Identity() // the first use starts the server
	t.Cleanup(func() {
		if err := srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// listener opens a session, legacy or modern, that subscribes to all lists and to docs://guide.
func listener(t *testing.T, srv *runtime.Server, revision string) *wire {
	t.Helper()
	defer synctest.Wait() // until the server has subscribed to its Bus
	if revision != modernRevision {
		return subscriber(t, srv, revision, "docs://guide")
	}
	w := open(t, srv)
	w.send(modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["docs://guide"]}`))
	w.want("acknowledged")
	return w
}

// notified returns the notifications since the last call, sorted, after everything has been delivered.
func (w *wire) notified() (methods []string) {
	w.t.Helper()
	time.Sleep(time.Second)
	synctest.Wait()
	for len(w.out) > 0 {
		var m struct {
			Method string
			Params struct{ URI string }
		}
		if err := json.Unmarshal([]byte(<-w.out), &m); err != nil {
			w.t.Fatal(err)
		}
		methods = append(methods, strings.TrimSpace(strings.TrimPrefix(m.Method, "notifications/")+" "+m.Params.URI))
	}
	slices.Sort(methods)
	return methods
}

// wantNotified checks the notifications since the last call, in alphabetical order.
func (w *wire) wantNotified(what string, want ...string) {
	w.t.Helper()
	if got := w.notified(); fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s: notifications = %q, want %q", what, got, want)
	}
}

// changes are changes of a registry and the notification for each.
var changes = []struct {
	name   string
	change func(t *testing.T, r *mcptool.Registry, i int)
	want   string
}{
	{"tools", func(t *testing.T, r *mcptool.Registry, i int) {
		t.Helper()
		if err := r.Add(tool(t, fmt.Sprintf("tool%d", i), echo)); err != nil {
			t.Fatal(err)
		}
	}, "tools/list_changed"},
	{"prompts", func(t *testing.T, r *mcptool.Registry, i int) {
		t.Helper()
		prompt, err := mcptool.NewPrompt(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name(fmt.Sprintf("prompt%d", i)))
		if err == nil {
			err = r.Add(prompt)
		}
		if err != nil {
			t.Fatal(err)
		}
	}, "prompts/list_changed"},
	{"resources", func(t *testing.T, r *mcptool.Registry, i int) {
		t.Helper()
		if err := r.Add(document(t, fmt.Sprintf("other://%d", i))); err != nil {
			t.Fatal(err)
		}
	}, "resources/list_changed"},
	{"listed resources", func(t *testing.T, r *mcptool.Registry, _ int) { t.Helper(); r.ResourceListChanged() }, "resources/list_changed"},
	{"a resource", func(t *testing.T, r *mcptool.Registry, _ int) { t.Helper(); r.ResourceUpdated("docs://guide") }, "resources/updated docs://guide"},
	{"resource below it", func(t *testing.T, r *mcptool.Registry, _ int) { t.Helper(); r.ResourceUpdated("docs://guide/a") }, "resources/updated docs://guide/a"},
}

// TestBus: each change at one instance reaches the clients of all instances once, and is not published again.
func TestBus(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-03-26", "2025-11-25", modernRevision} {
		for _, instances := range []int{2, 3} {
			t.Run(fmt.Sprint(revision, " ", instances), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					broker := &counting{Bus: &bus.Local{}}
					var servers []*runtime.Server
					var clients []*wire
					for range instances {
						srv := instance(t, broker)
						servers, clients = append(servers, srv), append(clients, listener(t, srv, revision))
					}
					for i, c := range changes {
						for at, srv := range servers {
							c.change(t, srv.Tools, 10*i+at)
							for j, w := range clients {
								w.wantNotified(fmt.Sprintf("client of %d, change of %s at %d", j, c.name, at), c.want)
							}
						}
					}
					time.Sleep(time.Hour)
					if got, want := broker.published.Load(), int64(len(changes)*instances); got != want {
						t.Errorf("%d notices published, want %d", got, want)
					}
					if got := broker.subscriptions.Load(); got != int64(instances) {
						t.Errorf("%d subscriptions, want %d", got, instances)
					}
				})
			})
		}
	}
}

// counting is a Bus that counts notices and subscriptions.
type counting struct {
	bus.Bus
	published, subscriptions atomic.Int64
}

func (c *counting) Publish(ctx context.Context, n bus.Notice) error {
	c.published.Add(1)
	return c.Bus.Publish(ctx, n)
}

func (c *counting) Subscribe(fn func(bus.Notice)) (func(), error) {
	c.subscriptions.Add(1)
	stop, err := c.Bus.Subscribe(fn)
	return func() { c.subscriptions.Add(-1); stop() }, err
}

// TestBusWithoutClients: an instance publishes its changes even without subscribers, and subscribes only when it has
// one.
func TestBusWithoutClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &counting{Bus: &bus.Local{}}
		a, b := instance(t, broker), instance(t, broker)
		open(t, a).send(modern("1", "ping", ""))
		synctest.Wait()
		if got := broker.subscriptions.Load(); got != 0 {
			t.Errorf("%d subscriptions without subscribers, want 0", got)
		}
		w := listener(t, b, modernRevision)
		a.Tools.ResourceUpdated("docs://guide")
		w.wantNotified("update", "resources/updated docs://guide")
		if got := broker.subscriptions.Load(); got != 1 {
			t.Errorf("%d subscriptions, want 1", got)
		}
		if err := a.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		a.Tools.ResourceUpdated("docs://guide")
		w.wantNotified("update after the shutdown of its instance")
		if err := b.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if got := broker.subscriptions.Load(); got != 0 {
			t.Errorf("%d subscriptions after the shutdown, want 0", got)
		}
		b.Tools.ResourceUpdated("docs://guide")
		w.wantNotified("session after the shutdown", "resources/updated docs://guide")
	})
}

// TestBusGetsURIs: an update of a text that is not a URI is not published, since it cannot have subscribers.
func TestBusGetsURIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &counting{Bus: &bus.Local{}}
		a, b := instance(t, broker), instance(t, broker)
		w := listener(t, b, modernRevision)
		for _, text := range []string{"", "not a URI", "caf\xe9", strings.Repeat("a b", 2000)} {
			a.Tools.ResourceUpdated(text)
			w.wantNotified("update of a text that is not a URI")
		}
		if got := broker.published.Load(); got != 0 {
			t.Errorf("%d notices published, want 0", got)
		}
	})
}

// TestBusCoalesces: simultaneous changes become one notice and one notification.
func TestBusCoalesces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &counting{Bus: &bus.Local{}}
		a, b := instance(t, broker), instance(t, broker)
		w := listener(t, b, modernRevision)
		a.Tools.ResourceUpdated("docs://guide")
		synctest.Wait()
		w.wantUpdate("docs://guide") // the first is sent at once
		for range 1000 {
			a.Tools.ResourceUpdated("docs://guide")
			a.Tools.ResourceListChanged()
		}
		w.wantNotified("1000 changes", "resources/list_changed", "resources/updated docs://guide")
		if got := broker.published.Load(); got != 3 {
			t.Errorf("%d notices published, want 3", got)
		}
	})
}

// TestBusUndeclared: a client is not notified of lists that the server has not declared, even if other instances have them.
func TestBusUndeclared(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", modernRevision} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				broker := &bus.Local{}
				a, b := instance(t, broker), serve(t)
				b.Bus = bus.New(broker)
				t.Cleanup(func() { _ = b.Shutdown(context.Background()) })
				w := open(t, b)
				if revision == modernRevision {
					w.send(modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`))
					w.want("acknowledged", `"notifications":{"toolsListChanged":true}`)
				} else {
					w.handshake(revision)
				}
				synctest.Wait()
				for i, c := range changes {
					c.change(t, a.Tools, i)
				}
				w.wantNotified("all changes", "tools/list_changed")
				discover := open(t, b)
				discover.send(modern("1", "server/discover", ""))
				if got := discover.next(); strings.Contains(got, "prompts") || strings.Contains(got, "resources") {
					t.Errorf("the server declares lists of other instances: %s", got)
				}
			})
		})
	}
}

// TestBusAccess: notices of other instances reach a client only if the resource is visible to it at its own instance.
func TestBusAccess(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", modernRevision} {
		t.Run("RES-09 "+revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { busAccess(t, revision) })
		})
	}
}

func busAccess(t *testing.T, revision string) {
	t.Helper()
	var shown atomic.Bool
	shown.Store(true)
	broker := &bus.Local{}
	a := instance(t, broker)
	b := instance(t, broker, mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return shown.Load() }))
	if err := b.Tools.Add(document(t, "docs://guide/secret", mcptool.Scopes("admin"))); err != nil {
		t.Fatal(err)
	}
	if err := a.Tools.Add(document(t, "docs://guide/elsewhere/secret")); err != nil {
		t.Fatal(err)
	}
	w := open(t, b)
	texts := []string{modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["docs://guide"]}`)}
	if revision != modernRevision {
		w.handshake(revision)
		texts = []string{legacy("1", "resources/subscribe", `"uri":"docs://guide"`)}
	}
	for _, text := range texts {
		m := b.Read([]byte(text))
		m.Access = (*engine.Access)(granted("ada", "read"))
		w.session.Serve(m, nil)
		w.want(`"jsonrpc"`)
	}
	time.Sleep(time.Second)
	for len(w.out) > 0 {
		w.want("list_changed") // of the resources added above
	}
	for _, test := range []struct{ uri, want, reason string }{
		{"docs://guide", "docs://guide", "it is visible"},
		{"docs://guide/open", "docs://guide/open", "it is below a visible resource"},
		{"docs://guide/secret", "", "the caller lacks its scope"},
		{"docs://guide/elsewhere/secret", "docs://guide", "it does not exist here, so its name may be secret"},
		{"docs://other", "", "it has no subscribers"},
	} {
		a.Tools.ResourceUpdated(test.uri)
		var want []string
		if test.want != "" {
			want = []string{"resources/updated " + test.want}
		}
		w.wantNotified(test.reason, want...)
	}
	shown.Store(false)
	a.Tools.ResourceUpdated("docs://guide")
	a.Tools.ResourceUpdated("docs://guide/open")
	w.wantNotified("the condition is false now")
}

// TestBusConcurrently: instances change while clients subscribe and leave, for the race detector.
func TestBusConcurrently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &bus.Local{}
		servers := []*runtime.Server{instance(t, broker), instance(t, broker), instance(t, broker)}
		var clients []*wire
		for _, srv := range servers {
			clients = append(clients, listener(t, srv, modernRevision), listener(t, srv, "2025-11-25"))
		}
		var wg sync.WaitGroup
		for i, srv := range servers {
			wg.Go(func() {
				for n := range 50 {
					srv.Tools.ResourceUpdated("docs://guide")
					srv.Tools.ResourceListChanged()
					if changed, ok := srv.Tools.Lookup(fmt.Sprintf("tool%d", i)); ok {
						srv.Tools.Remove(changed)
					}
					changes[0].change(t, srv.Tools, i)
					if n%10 == 0 {
						_ = subscriber(t, srv, modernRevision, "docs://guide").session.Close(t.Context())
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		wg.Wait()
		for i, w := range clients {
			got := fmt.Sprint(w.notified())
			for _, want := range []string{"tools/list_changed", "resources/list_changed", "resources/updated docs://guide"} {
				if !strings.Contains(got, want) {
					t.Errorf("client %d was not notified of %s", i, want)
				}
			}
		}
	})
}
