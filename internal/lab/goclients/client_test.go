package goclients_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// patience limits each wait, with a margin for busy machines.
const patience = 30 * time.Second

// modern is the first revision without sessions.
const modern = "2026-07-28"

// revisions are all revisions.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}

// A client is a session of a client under test. Results are the client's results as JSON, with the member names of the
// protocol.
type client interface {
	Revision() string
	// Prompts, Resources and Templates follow the pages and return their number.
	Prompts(ctx context.Context) (items []item, pages int, err error)
	Resources(ctx context.Context) (items []item, pages int, err error)
	Templates(ctx context.Context) (items []item, pages int, err error)
	Prompt(ctx context.Context, name string, arguments map[string]string) (any, error)
	// Complete completes an argument of the prompt, or a variable of the template, named by ref.
	Complete(ctx context.Context, ref reference, argument, prefix string, others map[string]string) (any, error)
	Read(ctx context.Context, uri string) (any, error)
	// Subscribe returns when the server has agreed, or returns errNotHonoured if it has not.
	Subscribe(ctx context.Context, uri string) error
	Unsubscribe(ctx context.Context, uri string) error
	Call(ctx context.Context, tool string, arguments map[string]any) error
	// Code returns the code of a JSON-RPC error, 0 for other errors.
	Code(err error) int
	Close() error
}

// An item is an element of a list.
type item struct {
	Name        string `json:"name"`
	URI         string `json:"uri"`
	URITemplate string `json:"uriTemplate"`
	Arguments   []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"arguments"`
}

// A reference has a name or a URI.
type reference struct{ prompt, template string }

// An event is a notification.
type event struct{ method, uri string }

// Methods of events.
const (
	updated          = "notifications/resources/updated"
	promptsChanged   = "notifications/prompts/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
	acknowledged     = "notifications/subscriptions/acknowledged"
)

// events delivers the notifications of a session in order.
type events chan event

func newEvents() events { return make(events, 10_000) }

// next returns the next notification.
func (e events) next(t *testing.T) event {
	t.Helper()
	select {
	case got := <-e:
		return got
	case <-time.After(patience):
		t.Fatalf("no notification within %v", patience)
		return event{}
	}
}

// silent checks that nothing else arrives for a while.
func (e events) silent(t *testing.T) {
	t.Helper()
	select {
	case got := <-e:
		t.Errorf("unexpected %v", got)
	case <-time.After(300 * time.Millisecond):
	}
}

// acknowledgements delivers, for each subscription that the server acknowledges, the URIs of its resources.
type acknowledgements chan []string

// errNotHonoured means that the server did not agree to send updates for all URIs.
var errNotHonoured = errors.New("the subscription is acknowledged without the URI")

// wait waits for the acknowledgement of a subscription to uris in revisions that have it.
func (a acknowledgements) wait(ctx context.Context, revision string, uris ...string) error {
	if revision < modern {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case got := <-a:
		if !slices.Equal(got, uris) {
			return fmt.Errorf("%w: %q of %q", errNotHonoured, got, uris)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the subscription was not acknowledged: %w", ctx.Err())
	}
}

// A target is the location of the server: a URL or, if that is empty, this program with serveKey in its environment.
type target struct{ url string }

// A connector connects a client.
type connector func(ctx context.Context, at target, revision string, seen events) (client, error)

// eachClient runs test with each client in each revision over each transport, with a separate server each.
func eachClient(t *testing.T, test func(t *testing.T, c client, seen events)) {
	t.Helper()
	for name, connect := range map[string]connector{"gosdk": connectGoSDK, "mcpgo": connectMCPGo} {
		for _, revision := range revisions {
			for _, over := range []string{"stdio", "http"} {
				t.Run(name+"/"+revision+"/"+over, func(t *testing.T) {
					t.Parallel()
					at := target{}
					if over == "http" {
						at.url = serve(t)
					}
					seen := newEvents()
					c, err := connect(t.Context(), at, revision, seen)
					if err != nil {
						t.Fatal(err)
					}
					if c.Revision() != revision {
						t.Errorf("negotiated %s", c.Revision())
					}
					test(t, c, seen)
					if err := c.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				})
			}
		}
	}
}

// serve serves over HTTP until the end of the test and returns the URL.
func serve(t *testing.T) string {
	t.Helper()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = handler.Shutdown(ctx) // of calls that were cancelled
		web.Close()
	})
	return web.URL
}

// environment is the environment of the server over stdio.
func environment() []string { return append(os.Environ(), serveKey+"=1") }

// convert converts v to a T via JSON.
func convert[T any](v any) (converted T, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return converted, err
	}
	return converted, json.Unmarshal(data, &converted)
}

// follow collects the items of all pages. It stops at a repeated cursor.
func follow(list func(cursor string) (page any, next string, err error)) (items []item, pages int, err error) {
	var seen []string
	for cursor := ""; !slices.Contains(seen, cursor); {
		seen = append(seen, cursor)
		page, next, err := list(cursor)
		if err != nil {
			return nil, 0, err
		}
		found, err := convert[[]item](page)
		if err != nil {
			return nil, 0, err
		}
		items = append(items, found...)
		if next == "" {
			break
		}
		cursor = next
	}
	return items, len(seen), nil
}
