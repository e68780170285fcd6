package mcptooltest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// account is the data of one tenant: the only way to its tickets.
type account struct {
	tenant  string
	tickets map[int]string
}

type accountKey struct{}

// accountOf returns the account of the call.
func accountOf(ctx context.Context) *account { return ctx.Value(accountKey{}).(*account) }

// accounts are the accounts by their tenants.
type accounts map[string]*account

// open puts the account of the caller's tenant into the context of each call.
func (a accounts) open(ctx context.Context) (context.Context, error) {
	account := a[mcptool.Caller(ctx).Tenant]
	if account == nil {
		return nil, mcptool.Errorf("your organization has no account here")
	}
	return context.WithValue(ctx, accountKey{}, account), nil
}

type TicketIn struct {
	_  struct{} `mcp:"name=ticket,uri=ticket://{id}"`
	ID int      `json:"id"`
}

// mayRead lets a caller read and follow the tickets of its tenant.
func mayRead(ctx context.Context, in TicketIn) error {
	if _, ok := accountOf(ctx).tickets[in.ID]; !ok {
		return mcptool.ErrResourceNotFound
	}
	return nil
}

func readTicket(ctx context.Context, in TicketIn) (string, error) {
	return accountOf(ctx).tickets[in.ID], nil
}

type RenameIn struct {
	_     struct{} `mcp:"name=rename_ticket" doc:"Rename a ticket"`
	ID    int      `json:"id"`
	Title string   `json:"title"`
}

// desk serves tickets.
type desk struct{ registry *mcptool.Registry }

// rename renames a ticket of the account, and notifies the tenant.
func (d desk) rename(ctx context.Context, in RenameIn) (string, error) {
	account := accountOf(ctx)
	if _, ok := account.tickets[in.ID]; !ok {
		return "", mcptool.Errorf("there is no ticket %d", in.ID)
	}
	account.tickets[in.ID] = in.Title // without a lock: it is an example
	d.registry.ResourceUpdatedFor(account.tenant, fmt.Sprintf("ticket://%d", in.ID))
	return "renamed", nil
}

// newDesk returns the server, and its tool and resource for tests.
func newDesk(all accounts, audit *slog.Logger) (*runtime.Server, *mcptool.Tool, *mcptool.Resource, error) {
	registry := new(mcptool.Registry)
	rename, err := mcptool.New(desk{registry}.rename)
	if err != nil {
		return nil, nil, nil, err
	}
	ticket, err := mcptool.NewResource(readTicket, mcptool.MayRead(mayRead))
	if err != nil {
		return nil, nil, nil, err
	}
	server := &runtime.Server{Name: "desk", Version: "1.0.0", Tools: registry, CallContext: all.open, Audit: audit}
	return server, rename, ticket, errors.Join(registry.Add(rename), registry.AddResources(ticket))
}

// tokens are the access tokens; ada works for two organizations.
var tokens = map[string]streamhttp.Token{
	"s3cret-1": {Tenant: "acme", Principal: "ada"},
	"s3cret-2": {Tenant: "globex", Principal: "ada"},
	"s3cret-3": {Tenant: "initech", Principal: "bob"},
}

// TestTenants checks that each tenant reaches its own tickets only, and that the audit log has the tenants.
func TestTenants(t *testing.T) {
	t.Parallel()
	var log lockedLog
	all := accounts{"acme": {"acme", map[int]string{1: "a printer is on fire"}}, "globex": {"globex", map[int]string{2: "no coffee"}}}
	server, rename, ticket, err := newDesk(all, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	client := mcptooltest.HTTP(t, server, streamhttp.StaticTokens(tokens))
	for _, test := range []struct{ token, renamed, read string }{
		{"s3cret-1", "renamed", "a printer is out"},
		{"s3cret-2", "there is no ticket 1", "resource not found"},
		{"s3cret-3", "no account", "no account"},
	} {
		client.Header.Set("Authorization", "Bearer "+test.token)
		result, err := client.Call(t.Context(), rename, []byte(`{"id":1,"title":"a printer is out"}`))
		if got := fmt.Sprint(result, err); !strings.Contains(got, test.renamed) {
			t.Errorf("%s: got %s, want %q", test.token, got, test.renamed)
		}
		contents, err := client.Read(t.Context(), ticket, "ticket://1")
		if got := strings.ToLower(fmt.Sprint(contents, err)); !strings.Contains(got, test.read) {
			t.Errorf("%s: got %s, want %q", test.token, got, test.read)
		}
	}
	for _, tenant := range []string{"acme", "globex", "initech"} {
		if !strings.Contains(log.String(), "tenant="+tenant) {
			t.Errorf("the audit log has no record of %s: %s", tenant, log.String())
		}
	}
}

// TestTicketUpdates checks that a caller can follow the tickets of its tenant only.
func TestTicketUpdates(t *testing.T) {
	t.Parallel()
	all := accounts{"acme": {"acme", map[int]string{1: "a printer is on fire", 3: "no paper"}}, "globex": {"globex", map[int]string{1: "no coffee", 2: "no tea"}}}
	server, _, _, err := newDesk(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	ada := &mcptooltest.Client{Tenant: "acme", Principal: "ada"}
	sub := mcptooltest.Subscribe(t, ada, server, "ticket://1", "ticket://3")
	server.Tools.ResourceUpdatedFor("globex", "ticket://1") // not for ada: she gets the next one first
	server.Tools.ResourceUpdatedFor("acme", "ticket://3")
	if got := sub.Next(t); got.URI != "ticket://3" {
		t.Errorf("got %v, want an update of ticket://3", got)
	}
	if _, err := ada.Subscribe(t, server, "ticket://2"); !errors.Is(err, mcptooltest.ErrHidden) {
		t.Errorf("the ticket of another tenant: got %v, want ErrHidden", err)
	}
}

// lockedLog is a log for several goroutines.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
