package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestOldServer connects to servers of the legacy era that do not know server/discover, and to such that refuse initialize,
// too.
func TestOldServer(t *testing.T) {
	const js, text = "application/json", "text/plain"
	for _, test := range []struct {
		name   string
		status int
		kind   string
		body   string
		want   string // part of the error if initialize is refused
		fatal  bool   // initialize is not tried
	}{
		{"500", 500, text, "no method", "failed: it answers with 500 Internal Server Error: no method", false},
		{"500 with an error", 500, js, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops"}}`, "failed: it refuses server/discover: oops (JSON-RPC error -32603)", false},
		{"501", 501, text, "", "failed: it answers with 501 Not Implemented", false},
		{"502", 502, text, "", "failed: it answers with 502 Bad Gateway", false},
		{"404", 404, text, "", "failed: there is no MCP at that path (404)", false},
		{"202", 202, "", "", "failed: it accepted server/discover without an answer (202 Accepted)", false},
		{"204", 204, "", "", "failed: it accepted server/discover without an answer (204 No Content)", false},
		{"empty", 200, "", "", `failed: it answers with ""`, false},
		{"empty JSON", 200, js, "", "failed: its answer is not a JSON-RPC response", false},
		{"empty stream", 200, "text/event-stream", "", "failed: the stream ended before", false},
		{"null", 200, js, `{"jsonrpc":"2.0","id":ID,"result":null}`, "failed: its answer to server/discover has neither a result nor an error", false},
		{"another type", 200, js, `{"jsonrpc":"2.0","id":ID,"result":{"supportedVersions":1}}`, "failed: its answer to server/discover is not one", false},
		{"no modern revision", 200, js, `{"jsonrpc":"2.0","id":ID,"result":{"supportedVersions":["2099-01-01"]}}`, "failed: it speaks revisions 2099-01-01, not 2026-07-28", false},
		{"401", 401, text, "", "requires authentication (401)", true},
		{"403", 403, text, "", "refuses access (403)", true},
		{"429", 429, text, "", "it answers with 429 Too Many Requests", true},
		{"429 with an error", 429, js, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"slow down"}}`, "it answers with 429 Too Many Requests: slow down", true},
		{"503", 503, text, "", "it answers with 503 Service Unavailable", true},
	} {
		for _, isLegacy := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, legacy %t", test.name, isLegacy), func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					var m struct {
						ID     json.RawMessage
						Method string
					}
					body, status, kind := test.body, test.status, test.kind
					switch _ = json.NewDecoder(r.Body).Decode(&m); {
					case m.Method == "server/discover":
					case test.fatal:
						t.Errorf("got %s", m.Method)
					case m.Method == "initialize" && isLegacy:
						body, status, kind = `{"jsonrpc":"2.0","id":ID,"result":`+legacyHello+`}`, 200, js
					case m.Method == "initialize":
						body, status, kind = `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"gone"}}`, 200, js
					default:
						body, status, kind = "", 202, ""
					}
					w.Header()["Content-Type"] = []string{kind}
					w.WriteHeader(status)
					_, _ = io.WriteString(w, strings.Replace(body, "ID", string(m.ID), 1))
				}))
				t.Cleanup(server.Close)
				c, err := client.Dial(t.Context(), client.Target{URL: server.URL}, client.Options{Timeout: patient})
				if err == nil {
					t.Cleanup(func() { _ = c.Close() })
				}
				switch {
				case test.fatal:
					isOneLine(t, err, test.want)
				case !isLegacy:
					isOneLine(t, err, server.URL+": it refuses initialize: gone (JSON-RPC error -32601); before that, server/discover "+test.want)
				case err != nil:
					t.Error(err)
				case c.Era() != client.Legacy:
					t.Errorf("the era is %s", c.Era())
				}
			})
		}
	}
}
