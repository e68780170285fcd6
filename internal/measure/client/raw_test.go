package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// rawTo returns a Raw, and a func that sends a message and returns the next n messages of the server.
func rawTo(t *testing.T, target client.Target) (*client.Raw, func(message string, n int) []string) {
	t.Helper()
	raw, err := client.DialRaw(t.Context(), target, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	return raw, func(message string, n int) (got []string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := raw.Send(ctx, []byte(message)); err != nil {
			t.Fatal(err)
		}
		for range n {
			m, err := raw.Receive(ctx)
			if err != nil {
				t.Fatalf("%s: %v", message, err)
			}
			got = append(got, string(m))
		}
		return got
	}
}

// TestRawHTTP sends messages with ids of every kind to servers of both eras, and checks the headers.
func TestRawHTTP(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var requests []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		requests = append(requests, fmt.Sprintf("%s session=%s revision=%s method=%s name=%s region=%s last=%s", r.Method, r.Header.Get("Mcp-Session-Id"),
			r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Mcp-Method"), r.Header.Get("Mcp-Name"), r.Header.Get("Mcp-Param-Region"), r.Header.Get("Last-Event-Id")))
		mu.Unlock()
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m) // empty for GET
		send := func(kind, text string) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		}
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") == "7":
			send("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":\"b\",\"result\":{}}\n\n")
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			send("application/json", `{"jsonrpc":"2.0","id":"a","result":{"protocolVersion":"2025-06-18"}}`)
		case m.Method == "tools/list":
			send("application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}]}}`)
		case string(m.ID) == `"b"`: // a stream that ends early, and is resumed
			send("text/event-stream", "id: 7\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
		default:
			send("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
		}
	}))
	defer web.Close()

	_, send := rawTo(t, client.Target{URL: web.URL})
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}`, 1)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, 0)
	if got := send(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"x"}}`, 2); !strings.Contains(got[0], "progress") || !strings.Contains(got[1], `"id":"b"`) {
		t.Errorf("messages %q, want progress and the response of the resumed stream", got)
	}
	_, send = rawTo(t, client.Target{URL: web.URL})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`, 1)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{"r":"west"},`+meta+`}}`, 1)

	mu.Lock()
	defer mu.Unlock()
	want := []string{
		"POST session= revision= method= name= region= last=",
		"POST session=s1 revision=2025-06-18 method= name= region= last=",
		"POST session=s1 revision=2025-06-18 method= name= region= last=",
		"GET session=s1 revision=2025-06-18 method= name= region= last=7",
		"POST session= revision=2026-07-28 method=tools/list name= region= last=",
		"POST session= revision=2026-07-28 method=tools/call name=x region=west last=",
	}
	if got := strings.Join(requests, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("requests\n%s, want\n%s", got, strings.Join(want, "\n"))
	}
}

func TestRawHTTPFails(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }))
	defer web.Close()
	raw, send := rawTo(t, client.Target{URL: web.URL})
	send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0)
	_, err := raw.Receive(t.Context())
	if _, ok := errors.AsType[*client.UnreachableError](err); !ok || !strings.Contains(err.Error(), "busy") {
		t.Errorf("error %v, want an UnreachableError with the reason", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := raw.Receive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

func TestRawCommand(t *testing.T) {
	t.Parallel()
	raw, send := rawTo(t, client.Target{Command: []string{"sh", "-c", `echo hello; read line; echo "$line"; echo bye >&2; exit 3`}})
	const message = `{"jsonrpc":"2.0","id":"x","method":"ping"}`
	if got := send(message, 1); got[0] != message {
		t.Errorf("message %s, want the line of the command", got)
	}
	_, err := raw.Receive(t.Context())
	lost, ok := errors.AsType[*client.UnreachableError](err)
	if !ok || !strings.Contains(err.Error(), "exit status 3") || lost.Stderr != "bye" {
		t.Errorf("error %v, want an UnreachableError with the exit status and stderr", err)
	}
	if n, first := raw.StrayLines(); n != 1 || first != "hello" {
		t.Errorf("%d lines that are not messages, the first is %q; want 1, hello", n, first)
	}
}
