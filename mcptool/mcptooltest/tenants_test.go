package mcptooltest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
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
func newDesk(all accounts, observer observe.Observer) (*runtime.Server, *mcptool.Tool, *mcptool.Resource, error) {
	registry := new(mcptool.Registry)
	rename, err := mcptool.New(desk{registry}.rename)
	if err != nil {
		return nil, nil, nil, err
	}
	ticket, err := mcptool.NewResource(readTicket, mcptool.MayRead(mayRead))
	if err != nil {
		return nil, nil, nil, err
	}
	server := &runtime.Server{Name: "desk", Version: "1.0.0", Tools: registry, Tasks: tasks.New(nil), CallContext: all.open, Observer: observer}
	return server, rename, ticket, registry.Add(rename, ticket)
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
	var log syncbuffer.Buffer
	all := accounts{"acme": {"acme", map[int]string{1: "a printer is on fire"}}, "globex": {"globex", map[int]string{2: "no coffee"}}}
	server, rename, ticket, err := newDesk(all, audit.New(slog.New(slog.NewTextHandler(&log, nil))))
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

// TestTenantInMemory calls as a caller of a tenant, without HTTP.
func TestTenantInMemory(t *testing.T) {
	t.Parallel()
	all := accounts{"acme": {"acme", map[int]string{1: "a printer is on fire"}}}
	server, rename, ticket, err := newDesk(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	ada := &mcptooltest.Client{Tenant: "acme", Principal: "ada", CallContext: all.open}
	ada.Check(t, server.Tools, mcptooltest.Destructive("rename_ticket"),
		mcptooltest.Arguments("rename_ticket", RenameIn{ID: 1, Title: "a printer is out"}), mcptooltest.Arguments("ticket://{id}", "ticket://1"))
	if got := mcptooltest.CallAs[RenameIn, string](t, ada, rename, RenameIn{ID: 1, Title: "no paper"}); got != "renamed" {
		t.Errorf("got %q", got)
	}
	if got := mcptooltest.ReadAs[string](t, ada, ticket, "ticket://1"); got != "no paper" {
		t.Errorf("got %q", got)
	}
	eve := &mcptooltest.Client{Tenant: "initech", Principal: "eve", CallContext: all.open}
	if _, err := eve.Read(t.Context(), ticket, "ticket://1"); err == nil || !strings.Contains(err.Error(), "no account") {
		t.Errorf("got %v, want the error of CallContext", err)
	}
}

type tenantKey struct{}

// TestClientCallContext checks that each func that a client calls gets the context of CallContext.
func TestClientCallContext(t *testing.T) {
	t.Parallel()
	open := func(ctx context.Context) (context.Context, error) {
		return context.WithValue(ctx, tenantKey{}, mcptool.Caller(ctx).Tenant), nil
	}
	ada := &mcptooltest.Client{Tenant: "acme", Principal: "ada", CallContext: open, Answers: []any{true}}
	tenantOf := func(ctx context.Context) string { return ctx.Value(tenantKey{}).(string) }
	task, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		return tenantOf(ctx), mcptool.Confirm(ctx, "Go on?")
	}, mcptool.Name("work"), mcptool.Task(mcptool.TaskSupportRequired))
	if err != nil {
		t.Fatal(err)
	}
	if got := mcptooltest.AwaitTask[string](t, mcptooltest.StartTask(t, ada, task, struct{}{})); got != "acme" {
		t.Errorf("a task got %q", got)
	}
	again := &mcptooltest.Client{Tenant: "acme", Principal: "ada", CallContext: open, Answers: []any{true}, Replay: true}
	if got, err := again.Call(t.Context(), task, nil); err != nil || !strings.Contains(fmt.Sprint(got.Content), "acme") {
		t.Errorf("a call that asks got %v %v", got, err)
	}
	links := func(ctx context.Context, _ string) ([]mcptool.ResourceLink, string, error) {
		return []mcptool.ResourceLink{{URI: "tenant://" + tenantOf(ctx), Name: "it"}}, "", nil
	}
	names := func(ctx context.Context, _ string, _ NamedIn) ([]string, error) { return []string{tenantOf(ctx)}, nil }
	named, err := mcptool.NewResource(func(ctx context.Context, _ NamedIn) (string, error) { return tenantOf(ctx), nil },
		mcptool.Name("tenant"), mcptool.ListWith(links), mcptool.Complete("name", names))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ada.CompleteResource(t.Context(), named, "name", "", nil); err != nil || fmt.Sprint(got) != "[acme]" {
		t.Errorf("a completion got %v %v", got, err)
	}
	registry := new(mcptool.Registry)
	if err := registry.Add(named); err != nil {
		t.Fatal(err)
	}
	ada.Check(t, registry) // reads, lists and completes
}

// NamedIn is the variable of a resource template.
type NamedIn struct {
	_    struct{} `mcp:"uri=tenant://{name}"`
	Name string   `json:"name"`
}
