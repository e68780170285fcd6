package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/proxy"
)

// front serves HTTP in front of a handler, with Authorization added to requests.
func front(t *testing.T, server http.HandlerFunc, filter proxy.Filter) string {
	t.Helper()
	behind := httptest.NewServer(server)
	t.Cleanup(behind.Close)
	target, err := url.Parse(behind.URL + "/mcp?tenant=7")
	if err != nil {
		t.Fatal(err)
	}
	ahead := httptest.NewServer(proxy.HTTP(target, http.Header{"Authorization": {"Bearer t"}}, filter))
	t.Cleanup(ahead.Close)
	return ahead.URL
}

// A reply is a response with its body.
type reply struct {
	status int
	header http.Header
	text   string
}

// send sends a request.
func send(t *testing.T, method, url, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// upper changes the method of messages to the server, drops those with "drop", and changes "result" of responses.
func upper(d proxy.Direction, message json.RawMessage) json.RawMessage {
	switch text := string(message); {
	case strings.Contains(text, "drop"):
		return nil
	case d == proxy.ToServer:
		return json.RawMessage(strings.ReplaceAll(text, "ping", "PING"))
	default:
		return json.RawMessage(strings.ReplaceAll(text, "old", "new"))
	}
}

func TestHTTPPassesMessages(t *testing.T) {
	at := front(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Mcp-Session-Id", "s1")
		w.Header().Set("Content-Type", "application/json")
		got, _ := json.Marshal(map[string]string{
			"request": r.Method + " " + r.URL.String(), "body": string(body), "host": r.Host, "authorization": r.Header.Get("Authorization"), "session": r.Header.Get("Mcp-Session-Id"),
		})
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{"old":` + string(got) + `}}`))
	}, upper)
	for _, path := range []string{"/", "/mcp"} {
		resp := send(t, http.MethodPost, at+path, ping, "Mcp-Session-Id", "s0")
		for _, want := range []string{`"new"`, `POST /mcp?tenant=7`, `PING`, `"authorization":"Bearer t"`, `"session":"s0"`} {
			if !strings.Contains(resp.text, want) {
				t.Errorf("%s: response %s, want it with %s", path, resp.text, want)
			}
		}
		if strings.Contains(resp.text, strings.TrimPrefix(at, "http://")) || resp.header.Get("Mcp-Session-Id") != "s1" {
			t.Errorf("%s: response %s with headers %v, want the host of the server, and its session", path, resp.text, resp.header)
		}
	}
	if resp := send(t, http.MethodDelete, at+"/mcp", ""); !strings.Contains(resp.text, "DELETE /mcp") {
		t.Errorf("response %s, want that of DELETE", resp.text)
	}
	if resp := send(t, http.MethodPost, at+"/mcp", `{"jsonrpc":"2.0","method":"drop"}`); resp.status != http.StatusAccepted || resp.text != "" {
		t.Errorf("status %d %q of a dropped message, want 202 without body", resp.status, resp.text)
	}
	if resp := send(t, http.MethodPost, at+"/mcp", "no JSON"); !strings.Contains(resp.text, "no JSON") {
		t.Errorf("response %s, want the server to get a body that is not a message", resp.text)
	}
}

func TestHTTPPassesEvents(t *testing.T) {
	sent := ": open\n\nid: 1\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"old\"}\r\n\r\n" +
		"id: 2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"drop\"}\n\nretry: 5\ndata: no message\n\nid: 3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"cut"
	at := front(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(sent))
	}, upper)
	want := ": open\n\nid: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"new\"}\n\n" +
		"id: 2\n\nretry: 5\ndata: no message\n\n"
	if resp := send(t, http.MethodGet, at+"/mcp", ""); resp.text != want {
		t.Errorf("events\n%q, want\n%q", resp.text, want)
	}
}

func TestHTTPFlushesEvents(t *testing.T) {
	var over sync.WaitGroup
	over.Add(1)
	at := front(t, func(w http.ResponseWriter, r *http.Request) {
		defer over.Done()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"jsonrpc\":\"2.0\",\"method\":\"old\"}\n\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done() // the client has ended the stream
	}, upper)
	resp, err := http.Get(at + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 38)
	time.AfterFunc(10*time.Second, func() { _ = resp.Body.Close() })
	if _, err := io.ReadFull(resp.Body, first); err != nil || !strings.Contains(string(first), `"new"`) {
		t.Errorf("events %q, error %v; want the event before the end of the stream", first, err)
	}
	_ = resp.Body.Close()
	over.Wait()
}

func TestHTTPRefuses(t *testing.T) {
	at := front(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("reached " + r.URL.Path)) }, upper)
	for _, test := range []struct {
		name, path string
		header     []string
		status     int
	}{
		{"a name that resolves to this machine", "/mcp", []string{"Host", "attacker.example"}, http.StatusForbidden},
		{"a page of another host", "/mcp", []string{"Origin", "https://attacker.example"}, http.StatusForbidden},
		{"a page without an origin", "/mcp", []string{"Origin", "null"}, http.StatusForbidden},
		{"another path of the server", "/admin", nil, http.StatusNotFound},
		{"a page of this machine", "/mcp", []string{"Origin", "http://localhost:6274"}, http.StatusOK},
		{"localhost", "/mcp", []string{"Host", "localhost:80"}, http.StatusOK},
		{"an IPv6 address", "/mcp", []string{"Host", "[::1]:80"}, http.StatusOK},
	} {
		if resp := send(t, http.MethodPost, at+test.path, ping, test.header...); resp.status != test.status {
			t.Errorf("%s: status %d %s, want %d", test.name, resp.status, resp.text, test.status)
		}
	}
	unreachable := httptest.NewServer(nil)
	target, _ := url.Parse(unreachable.URL + "?token=0123456789abcdef")
	unreachable.Close()
	ahead := httptest.NewServer(proxy.HTTP(target, nil, upper))
	defer ahead.Close()
	if resp := send(t, http.MethodPost, ahead.URL, ping); resp.status != http.StatusBadGateway || strings.Contains(resp.text, "0123") || !strings.Contains(resp.text, "refused") {
		t.Errorf("status %d %q, want 502 with the reason and without the token", resp.status, resp.text)
	}
}
