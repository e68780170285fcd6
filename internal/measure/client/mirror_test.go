package client_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

func TestHeaderText(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"as it is", "us-west 1!", "us-west 1!"},
		{"empty", "", ""},
		{"not ASCII", "Zürich", "=?base64?WsO8cmljaA==?="},
		{"a space at the edge", " a", "=?base64?IGE=?="},
		{"a line break", "a\nb", "=?base64?YQpi?="},
		{"what looks encoded", "=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="},
		{"what looks half encoded", "=?base64?YQ==", "=?base64?YQ=="},
	} {
		if got := client.HeaderText(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// In the modern era, headers name the method and its target and mirror the arguments that the
// schema marks; in the legacy era they carry the session id, and the client ends the session.
func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	var seen []http.Header
	url := serveHTTP(t, func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		h := r.Header.Clone()
		h.Set("Method", r.Method)
		seen = append(seen, h)
	})
	for _, era := range []client.Era{client.Modern, client.Legacy} {
		seen = nil
		c := dial(t, client.Target{URL: url, Header: http.Header{"X-Own": {"1"}, "Mcp-Method": {"mine"}}}, client.Options{Era: era})
		if _, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":42,"b":1}`)); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		mu.Lock()
		last := seen[len(seen)-1]
		if era == client.Legacy {
			if last.Get("Method") != http.MethodDelete || last.Get("Mcp-Session-Id") == "" || last.Get("Mcp-Protocol-Version") != "2025-11-25" {
				t.Errorf("the session does not end: %v", last)
			}
		} else if last.Get("Mcp-Method") != "tools/call" || last.Get("Mcp-Name") != "add" || last.Get("Mcp-Param-A") != "42" || last.Get("Mcp-Param-B") != "" || last.Get("Mcp-Protocol-Version") != "2026-07-28" {
			t.Errorf("the headers of the call are %v", last)
		}
		for _, h := range seen {
			if h.Get("X-Own") != "1" {
				t.Errorf("a request without a header of the caller: %v", h)
			}
		}
		mu.Unlock()
	}
}
