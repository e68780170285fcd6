package main

import (
	"expvar"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestCounters calls a tool, with arguments that fit and that do not, and a tool that does not exist.
func TestCounters(t *testing.T) {
	t.Parallel()
	counters := Counters{Calls: new(expvar.Map), Seconds: new(expvar.Map)}
	handler, err := newHandler(counters)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, params := range []string{`"name":"square","arguments":{"x":3}`, `"name":"square","arguments":{}`, `"name":"cube","arguments":{}`} {
		_, name, _ := strings.Cut(params, `"name":"`)
		name, _, _ = strings.Cut(name, `"`)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+params+
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name} {
			request.Header.Set(header, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	want := `{" refused": 1, "square invalid_arguments": 1, "square ok": 1}`
	for deadline := time.Now().Add(10 * time.Second); counters.Calls.String() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) { // records are written after the answers
			t.Fatalf("got %s, want %s", counters.Calls, want)
		}
	}
	if counters.Seconds.Get("square") == nil {
		t.Errorf("no durations: %s", counters.Seconds)
	}
}
