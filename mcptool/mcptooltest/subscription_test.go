package mcptooltest_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const (
	updated          = "notifications/resources/updated"
	toolsChanged     = "notifications/tools/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
)

// twoTenants returns a server with the tickets 1 and 3 of acme and 2 of globex, a resource that needs a scope, and a
// prompt.
func twoTenants(t *testing.T) *runtime.Server {
	t.Helper()
	all := accounts{"acme": {"acme", map[int]string{1: "one", 3: "three"}}, "globex": {"globex", map[int]string{2: "two"}}}
	server, _, _, err := newDesk(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	prices, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "1", nil },
		mcptool.URI("prices://all"), mcptool.Name("prices"), mcptool.Scopes("prices"))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Tools.Add(prices); err != nil {
		t.Fatal(err)
	}
	addPrompt(t, server, "first")
	return server
}

// clientsOf returns the same caller of acme as clients of each kind.
func clientsOf(t *testing.T, server *runtime.Server) map[string]*mcptooltest.Client {
	t.Helper()
	overHTTP := mcptooltest.HTTP(t, server, streamhttp.StaticTokens(tokens))
	overHTTP.Header.Set("Authorization", "Bearer s3cret-1")
	return map[string]*mcptooltest.Client{
		"2025-11-25 in memory": {Tenant: "acme", Principal: "ada"},
		"2026-07-28 in memory": {Tenant: "acme", Principal: "ada", Replay: true},
		"2026-07-28 over HTTP": overHTTP,
	}
}

// expect checks the next notifications.
func expect(t *testing.T, sub *mcptooltest.Subscription, want ...mcptooltest.Notification) {
	t.Helper()
	for _, want := range want {
		if got := sub.Next(t); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestSubscribe checks the notifications that a caller gets, and their order.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"2025-11-25 in memory", "2026-07-28 in memory", "2026-07-28 over HTTP"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := twoTenants(t)
			client := clientsOf(t, server)[name]
			sub := mcptooltest.Subscribe(t, client, server, "ticket://1", "ticket://3", "ticket://%31")

			server.Tools.ResourceUpdated("ticket://1")
			expect(t, sub, mcptooltest.Notification{Method: updated, URI: "ticket://1"})

			server.Tools.ResourceUpdatedFor("globex", "ticket://1")
			server.Tools.ResourceUpdated("ticket://2")
			server.Tools.ResourceUpdated("prices://all")
			server.Tools.ResourceListChangedFor("globex")
			server.Tools.ResourceUpdatedFor("acme", "ticket://3")
			expect(t, sub, mcptooltest.Notification{Method: updated, URI: "ticket://3"})

			server.Tools.ResourceUpdated("ticket://3")
			server.Tools.ResourceListChangedFor("acme")
			server.Tools.ResourceUpdated("ticket://1")
			got := []string{sub.Next(t).String(), sub.Next(t).String(), sub.Next(t).String()}
			want := []string{resourcesChanged, updated + " ticket://3", updated + " ticket://1"}
			if slices.Sort(got[:2]); !slices.Equal(got, want) { // the list comes first if both are sent together
				t.Errorf("got %q, want %q", got, want)
			}

			addTool(t, server)
			expect(t, sub, mcptooltest.Notification{Method: toolsChanged})
			addPrompt(t, server, "second")
			expect(t, sub, mcptooltest.Notification{Method: promptsChanged})
		})
	}
}

func addTool(t *testing.T, server *runtime.Server) {
	t.Helper()
	tool, err := mcptool.New(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name("later"))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
}

func addPrompt(t *testing.T, server *runtime.Server, name string) {
	t.Helper()
	prompt, err := mcptool.NewPrompt(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Tools.Add(prompt); err != nil {
		t.Fatal(err)
	}
}

// TestSubscribeRefused checks that a client cannot subscribe to resources that its caller may not read.
func TestSubscribeRefused(t *testing.T) {
	t.Parallel()
	server := twoTenants(t)
	for name, client := range clientsOf(t, server) {
		for reason, uri := range map[string]string{
			"refused by MayRead": "ticket://2", "unknown resource": "other://1", "without the scope": "prices://all", "not a URI": "not a URI",
		} {
			sub, err := client.Subscribe(t, server, "ticket://1", uri)
			if want := uri + ": hidden from the caller: the server refuses the subscription"; sub != nil || !errors.Is(err, mcptooltest.ErrHidden) || err.Error() != want {
				t.Errorf("%s, %s: got %v, want %s", name, reason, err, want)
			}
		}
	}
	overHTTP := clientsOf(t, server)["2026-07-28 over HTTP"]
	overHTTP.Header = http.Header{}
	if _, err := overHTTP.Subscribe(t, nil, "ticket://1"); err == nil || !strings.Contains(err.Error(), "requires an access token") {
		t.Errorf("without a token: got %v", err)
	}
	if _, err := new(mcptooltest.Client).Subscribe(t, nil, "ticket://1"); err == nil || err.Error() != "needs a server, or a Client with a URL" {
		t.Errorf("without a server: got %v", err)
	}
	modern := &runtime.Server{Tools: server.Tools, Revisions: []string{"2026-07-28"}}
	if _, err := new(mcptooltest.Client).Subscribe(t, modern, "ticket://1"); err == nil || !strings.Contains(err.Error(), "revision 2025-11-25: no handshake") {
		t.Errorf("server without the revision: got %v", err)
	}
}

// TestSubscribeScopes checks that callers with the scope, and trusted callers, are notified.
func TestSubscribeScopes(t *testing.T) {
	t.Parallel()
	server := twoTenants(t)
	for _, client := range []*mcptooltest.Client{{Tenant: "acme", Principal: "eve", Scopes: []string{"prices"}}, {}, {Replay: true}} {
		sub := mcptooltest.Subscribe(t, client, server, "prices://all")
		server.Tools.ResourceUpdated("prices://all")
		expect(t, sub, mcptooltest.Notification{Method: updated, URI: "prices://all"})
	}
}

// TestSubscribeSynctest checks that an in-memory subscription works in a synctest bubble, and ends with its test.
func TestSubscribeSynctest(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := twoTenants(t)
			sub := mcptooltest.Subscribe(t, &mcptooltest.Client{Tenant: "acme", Principal: "ada", Replay: replay}, server, "ticket://1")
			server.Tools.ResourceUpdated("ticket://1")
			expect(t, sub, mcptooltest.Notification{Method: updated, URI: "ticket://1"})
		})
	}
}

// TestSubscriptionEndsTheTest checks the failure of a test without the expected notification.
func TestSubscriptionEndsTheTest(t *testing.T) {
	t.Parallel()
	ended := func(t *testing.T, call func(tb *recorder)) string {
		t.Helper()
		tb, done := &recorder{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			call(tb)
		}()
		<-done
		return tb.fatal
	}
	synctest.Test(t, func(t *testing.T) {
		server := twoTenants(t)
		ada := &mcptooltest.Client{Tenant: "acme", Principal: "ada"}
		sub := mcptooltest.Subscribe(t, ada, server, "ticket://1")
		server.Tools.ResourceUpdated("ticket://1")
		sub.Next(t)
		got := ended(t, func(tb *recorder) { sub.Next(tb) })
		if want := `no notification within 10s; subscribed to ["ticket://1"], notifications before: ["notifications/resources/updated ticket://1"]`; got != want {
			t.Errorf("no notification: the test ended with %q, want %q", got, want)
		}
		got = ended(t, func(tb *recorder) { mcptooltest.Subscribe(tb, ada, server, "ticket://2") })
		if want := "mcptooltest.Subscribe: ticket://2: hidden from the caller: the server refuses the subscription"; got != want {
			t.Errorf("refused: the test ended with %q, want %q", got, want)
		}
	})
	server := twoTenants(t)
	client := mcptooltest.HTTP(t, server, streamhttp.NoListening())
	sub := mcptooltest.Subscribe(t, client, nil)
	got := ended(t, func(tb *recorder) { sub.Next(tb) })
	if want := `no more notifications: the server has ended the subscription; subscribed to [], notifications before: []`; got != want {
		t.Errorf("server without subscriptions: the test ended with %q, want %q", got, want)
	}
	if _, err := client.Subscribe(t, nil, "ticket://1"); !errors.Is(err, mcptooltest.ErrHidden) {
		t.Errorf("server without subscriptions: got %v, want ErrHidden", err)
	}
}
