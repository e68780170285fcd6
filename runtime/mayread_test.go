package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
)

// tickets maps ticket ids to their tenants. The method check is for [mcptool.MayRead].
type tickets struct {
	mu     sync.Mutex
	owners map[int]string
}

type ticketIn struct {
	_  struct{} `mcp:"name=ticket,uri=ticket://{id}"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

func (s *tickets) check(ctx context.Context, in ticketIn) error {
	if _, limited := ctx.Deadline(); !limited && mcptool.Caller(ctx).RequestID == "" {
		return errors.New("no deadline in the context of a check outside a call")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if tenant, ok := s.owners[in.ID]; !ok || tenant != mcptool.Caller(ctx).Tenant {
		return mcptool.ErrResourceNotFound
	}
	return nil
}

func (s *tickets) give(id int, tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owners[id] = tenant
}

// serveTickets returns a server with the resource ticket://{id}.
func serveTickets(t *testing.T, check func(context.Context, ticketIn) error) *runtime.Server {
	t.Helper()
	r, err := mcptool.NewResource(func(_ context.Context, in ticketIn) (string, error) { return fmt.Sprint("ticket ", in.ID), nil }, mcptool.MayRead(check))
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t)
	if err := srv.Tools.Add(r); err != nil {
		t.Fatal(err)
	}
	return srv
}

// sendAs sends messages of the principal ann of a tenant.
func (w *wire) sendAs(srv *runtime.Server, tenant string, messages ...string) {
	w.t.Helper()
	for _, text := range messages {
		m := srv.Read([]byte(text))
		m.Access = &engine.Access{Tenant: tenant, Principal: "ann"}
		w.session.Serve(m, nil)
	}
}

// subscribeAs opens a session of the principal ann of a tenant, and returns the answer to its subscription.
func subscribeAs(t *testing.T, srv *runtime.Server, revision, tenant, uri string) (w *wire, answer string) {
	t.Helper()
	w = open(t, srv)
	if revision == modernRevision {
		w.sendAs(srv, tenant, modern("1", "subscriptions/listen", `,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["`+uri+`"]}`))
		return w, w.next()
	}
	w.sendAs(srv, tenant, legacy("0", "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"tester","version":"1"}`),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.want("protocolVersion")
	w.sendAs(srv, tenant, legacy("1", "resources/subscribe", `"uri":"`+uri+`"`))
	return w, w.next()
}

// inRevisions runs a test in a legacy revision and in the modern one.
func inRevisions(t *testing.T, test func(t *testing.T, revision string)) {
	t.Helper()
	for _, revision := range []string{"2025-11-25", modernRevision} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, revision) })
		})
	}
}

// TestMayRead: the func decides about reads, subscriptions and notifications.
func TestMayRead(t *testing.T) {
	t.Parallel()
	inRevisions(t, func(t *testing.T, revision string) { //nolint:thelper // the subtest itself
		store := &tickets{owners: map[int]string{1: "globex", 2: "acme"}}
		srv := serveTickets(t, store.check)
		granted, refused := `"resourceSubscriptions":["ticket://`, `"resourceSubscriptions":[]`
		if revision != modernRevision {
			granted, refused = `"result":{}`, `"code":-32002`
		}
		for name, uri := range map[string]string{
			"of another tenant": "ticket://1", "that does not exist": "ticket://3", "with an invalid id": "ticket://0", "of another tenant, escaped": "ticket://%31",
		} {
			if _, answer := subscribeAs(t, srv, revision, "acme", uri); !strings.Contains(answer, refused) {
				t.Errorf("subscription to a ticket %s: got %s, want %s", name, answer, refused)
			}
		}
		w, answer := subscribeAs(t, srv, revision, "acme", "ticket://2")
		if !strings.Contains(answer, granted) {
			t.Fatalf("subscription to a ticket of the tenant: got %s, want %s", answer, granted)
		}
		srv.Tools.ResourceUpdated("ticket://2")
		w.wantNotified("update", "resources/updated ticket://2")
		store.give(2, "globex")
		srv.Tools.ResourceUpdated("ticket://2")
		w.wantNotified("update after the ticket was moved to another tenant")
		read := legacy("2", "resources/read", `"uri":"ticket://2"`)
		notFound := `"code":-32002`
		if revision == modernRevision {
			read, notFound = modern("2", "resources/read", `,"uri":"ticket://2"`), `"code":-32602`
		}
		w.sendAs(srv, "acme", read)
		w.want(notFound)
		store.give(2, "acme")
		w.sendAs(srv, "acme", read)
		w.want(`"text":"ticket 2"`)
	})
}

// TestMayReadFails: errors and panics of the func deny access and are logged. A slow func delays neither other requests
// of its client nor other clients.
func TestMayReadFails(t *testing.T) {
	t.Parallel()
	inRevisions(t, func(t *testing.T, revision string) { //nolint:thelper // the subtest itself
		const fine, failing, panicking, hanging = 1, 2, 3, 4
		srv := serveTickets(t, func(ctx context.Context, in ticketIn) error {
			switch in.ID {
			case failing:
				return errors.New("the database is down")
			case panicking:
				panic("boom")
			case hanging:
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		log := logged(srv, slog.LevelWarn)
		refused := `"resourceSubscriptions":[]`
		if revision != modernRevision {
			refused = `"code":-32002`
		}
		for id, reason := range map[int]string{failing: "the database is down", panicking: "boom"} {
			if _, answer := subscribeAs(t, srv, revision, "acme", fmt.Sprint("ticket://", id)); !strings.Contains(answer, refused) || !strings.Contains(log.String(), reason) {
				t.Errorf("%s: got %s and the log %s, want %s", reason, answer, log, refused)
			}
			time.Sleep(time.Minute) // until the next warning
		}
		w, other := open(t, srv), open(t, srv)
		subscribe, ping := modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["ticket://4"]}`), modern("2", "tools/list", "")
		if revision != modernRevision {
			w.handshake(revision)
			other.handshake(revision)
			subscribe, ping = legacy("1", "resources/subscribe", `"uri":"ticket://4"`), legacy("2", "ping", "")
		}
		begun := time.Now()
		w.sendAs(srv, "acme", subscribe, ping)
		w.want(`"id":2`, `"result"`)
		other.sendAs(srv, "acme", ping)
		other.want(`"id":2`, `"result"`)
		if took := time.Since(begun); took > 0 {
			t.Errorf("other requests were answered after %v, want 0", took)
		}
		w.want(refused)
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("the subscription was refused after %v, want 10s", took)
		}
	})
}

// TestTenantNotices: notifications for a tenant reach its callers and trusted peers, at each instance.
func TestTenantNotices(t *testing.T) {
	t.Parallel()
	inRevisions(t, func(t *testing.T, revision string) { //nolint:thelper // the subtest itself
		broker := new(bus.Local)
		servers := make([]*runtime.Server, 2)
		clients := map[string]*wire{}
		for i := range servers {
			servers[i] = instance(t, broker)
			for _, tenant := range []string{"acme", "globex", ""} {
				w, _ := subscribeAs(t, servers[i], revision, tenant, "docs://guide")
				clients[fmt.Sprintf("%s at instance %d", tenant, i)] = w
			}
			clients[fmt.Sprintf("trusted at instance %d", i)] = listener(t, servers[i], revision)
		}
		for _, test := range []struct {
			name   string
			change func(*mcptool.Registry)
			want   string
			others bool // all clients are notified
		}{
			{"update", func(r *mcptool.Registry) { r.ResourceUpdatedFor("acme", "docs://guide") }, "resources/updated docs://guide", false},
			{"update below", func(r *mcptool.Registry) { r.ResourceUpdatedFor("acme", "docs://guide/a") }, "resources/updated docs://guide/a", false},
			{"list", func(r *mcptool.Registry) { r.ResourceListChangedFor("acme") }, "resources/list_changed", false},
			{"update for all", func(r *mcptool.Registry) { r.ResourceUpdated("docs://guide") }, "resources/updated docs://guide", true},
			{"list for all", func(r *mcptool.Registry) { r.ResourceListChanged() }, "resources/list_changed", true},
		} {
			test.change(servers[0].Tools)
			for name, w := range clients {
				if test.others || strings.HasPrefix(name, "acme") || strings.HasPrefix(name, "trusted") {
					w.wantNotified(test.name+": "+name, test.want)
				} else {
					w.wantNotified(test.name + ": " + name)
				}
			}
		}
		servers[0].Tools.ResourceUpdatedFor("", "docs://guide")
		clients["acme at instance 0"].wantNotified("update for callers without a tenant: acme")
		clients[" at instance 1"].wantNotified("update for callers without a tenant", "resources/updated docs://guide")
	})
}

// TestMayReadWarnings: clients can subscribe again and again, and the errors of the func are warnings at most once a
// minute. The next one counts the others.
func TestMayReadWarnings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log syncbuffer.Buffer
		srv := serveTickets(t, func(context.Context, ticketIn) error { return errors.New("no database") })
		srv.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		for i := range 3 {
			for range 5 {
				subscribeAs(t, srv, modernRevision, "acme", "ticket://1")
			}
			if n := strings.Count(log.String(), "subscription to a resource refused"); n != i+1 {
				t.Errorf("%d warnings after %d minutes, want %d", n, i, i+1)
			}
			time.Sleep(time.Minute)
		}
		if !strings.Contains(log.String(), "suppressed=4") {
			t.Errorf("the warnings do not count the others: %s", log.String())
		}
	})
}
