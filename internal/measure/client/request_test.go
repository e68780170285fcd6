package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestRequest sends requests for which Client has no method.
func TestRequest(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{Era: era})
		result, err := c.Request(t.Context(), "tools/list", nil)
		if err != nil || !strings.Contains(string(result), `"tools":[`) {
			t.Errorf("tools/list: %v, %.200s", err, result)
		}
		refused := (*client.RPCError)(nil)
		if _, err := c.Request(t.Context(), "no/such", nil); !errors.As(err, &refused) || refused.Code != -32601 {
			t.Errorf("an unknown method: %v", err)
		}
		p, err := c.PrepareRequest("tools/list", nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := c.RoundTrip(t.Context(), p, 7); err != nil || !strings.Contains(string(answer), `"id":7`) || !strings.Contains(string(answer), `"tools":[`) {
			t.Errorf("a prepared request: %v, %.200s", err, answer)
		}
		if _, err := c.PrepareRequest("tools/list", []byte("[]")); err == nil {
			t.Error("params that are no object are prepared")
		}
	})
}

// TestRevision requests an older revision of the legacy era, and one that does not exist.
func TestRevision(t *testing.T) {
	t.Parallel()
	for _, to := range []client.Target{child("tools"), {URL: serveHTTP(t, nil)}} {
		c := dial(t, to, client.Options{Era: client.Legacy, Revision: "2025-03-26"})
		if got := c.Server().Revision; got != "2025-03-26" {
			t.Errorf("the revision is %s", got)
		}
	}
	if _, err := client.Dial(t.Context(), child("tools"), client.Options{Revision: "2024-01-01"}); err == nil || !strings.Contains(err.Error(), `"2024-01-01" is none of the legacy era`) {
		t.Errorf("an unknown revision: %v", err)
	}
}

// countingTransport counts requests.
type countingTransport struct{ requests atomic.Int64 }

func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Context().Value(countedKey{}) != nil {
		c.requests.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

type countedKey struct{}

// TestTransport checks that requests go through a transport of the caller, with the values of the caller's context.
func TestTransport(t *testing.T) {
	t.Parallel()
	transport := new(countingTransport)
	c := dial(t, client.Target{URL: serveHTTP(t, nil)}, client.Options{Transport: transport})
	ctx := context.WithValue(t.Context(), countedKey{}, true)
	if _, err := c.Request(ctx, "tools/list", nil); err != nil {
		t.Error(err)
	}
	p, err := c.PrepareRequest("tools/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RoundTrip(ctx, p, 1); err != nil {
		t.Error(err)
	}
	if n := transport.requests.Load(); n != 2 {
		t.Errorf("%d requests went through the transport", n)
	}
}

// TestRequestNames checks the headers that name the target of a request in the modern era over HTTP.
func TestRequestNames(t *testing.T) {
	t.Parallel()
	names := make(chan string, 10)
	url := serveHTTP(t, func(r *http.Request) { names <- r.Header.Get("Mcp-Method") + " " + r.Header.Get("Mcp-Name") })
	c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	for len(names) > 0 {
		<-names
	}
	for _, test := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"add","arguments":{"a":1,"b":2}}`, "tools/call add"},
		{"tasks/get", `{"taskId":"none"}`, "tasks/get none"},
		{"resources/read", `{"uri":"note://1"}`, "resources/read note://1"},
		{"prompts/get", `{"name":"p"}`, "prompts/get p"},
		{"tools/list", `{"name":"p"}`, "tools/list "},
	} {
		_, _ = c.Request(t.Context(), test.method, []byte(test.params)) // errors for other reasons are fine
		if got := <-names; got != test.want {
			t.Errorf("the headers are %q, want %q", got, test.want)
		}
	}
}

// TestTasksDeclared checks that any call may run as a task if the server declares tasks.
func TestTasksDeclared(t *testing.T) {
	t.Parallel()
	for _, isDeclared := range []bool{false, true} {
		c := dial(t, child("tools"), client.Options{Era: client.Modern, Tasks: isDeclared})
		result, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"work","arguments":{"a":1,"b":2}}`))
		if isTask := strings.Contains(string(result), `"resultType":"task"`); isTask != isDeclared || isTask != (err == nil) {
			t.Errorf("declared %t: %v, %s", isDeclared, err, result)
		}
		if got, err := c.Call(t.Context(), "work", json.RawMessage(`{"a":1,"b":2}`)); err != nil || string(got.StructuredContent) != `{"sum":3}` {
			t.Errorf("declared %t: %v, %+v", isDeclared, err, got)
		}
	}
}
