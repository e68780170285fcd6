package client_test

import (
	"encoding/json"
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

// A rawWire is a Raw with what it has received.
type rawWire struct {
	*client.Raw
	t       *testing.T
	arrived chan any // a string or an error
}

// rawTo connects a Raw.
func rawTo(t *testing.T, target client.Target) *rawWire {
	t.Helper()
	w := &rawWire{t: t, arrived: make(chan any, 100)}
	raw, err := client.DialRaw(t.Context(), target, client.Options{}, func(message []byte, err error) {
		if err != nil {
			w.arrived <- err
		} else {
			w.arrived <- string(message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	w.Raw = raw
	return w
}

// next returns the next message or error.
func (w *rawWire) next() any {
	w.t.Helper()
	select {
	case got := <-w.arrived:
		return got
	case <-time.After(20 * time.Second):
		w.t.Fatal("nothing arrives")
		return nil
	}
}

// send sends a message and returns the next n messages of the server.
func (w *rawWire) send(message string, n int) (got []string) {
	w.t.Helper()
	if err := w.Send(w.t.Context(), []byte(message)); err != nil {
		w.t.Fatal(err)
	}
	for range n {
		text, ok := w.next().(string)
		if !ok {
			w.t.Fatalf("%s: no message arrives", message)
		}
		got = append(got, text)
	}
	return got
}

// fails checks that the next thing that arrives is an UnreachableError with these words.
func (w *rawWire) fails(words string) *client.UnreachableError {
	w.t.Helper()
	got := w.next()
	lost, ok := got.(*client.UnreachableError)
	if !ok || !strings.Contains(lost.Error(), words) {
		w.t.Fatalf("%v arrives, want an UnreachableError with %q", got, words)
	}
	return lost
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

	send := rawTo(t, client.Target{URL: web.URL}).send
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}`, 1)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, 0)
	if got := send(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"x"}}`, 2); !strings.Contains(got[0], "progress") || !strings.Contains(got[1], `"id":"b"`) {
		t.Errorf("messages %q, want progress and the response of the resumed stream", got)
	}
	send = rawTo(t, client.Target{URL: web.URL}).send
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
	raw := rawTo(t, client.Target{URL: web.URL})
	raw.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0)
	raw.fails("busy")
}

func TestRawCommand(t *testing.T) {
	t.Parallel()
	raw := rawTo(t, client.Target{Command: []string{"sh", "-c", `echo hello; read line; echo "$line"; echo bye >&2; exit 3`}})
	const message = `{"jsonrpc":"2.0","id":"x","method":"ping"}`
	if got := raw.send(message, 1); got[0] != message {
		t.Errorf("message %s, want the line of the command", got)
	}
	if lost := raw.fails("exit status 3"); lost.Stderr != "bye" {
		t.Errorf("the error has stderr %q, want bye", lost.Stderr)
	}
	if n, first := raw.StrayLines(); n != 1 || first != "hello" {
		t.Errorf("%d lines that are not messages, the first is %q; want 1, hello", n, first)
	}
}
