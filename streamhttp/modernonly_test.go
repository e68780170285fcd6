package streamhttp_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestModernOnly: if a server supports only revision 2026-07-28, errors for other revisions list it.
func TestModernOnly(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, map[string]string{"revisions": "2026-07-28"}))
	tests := []struct {
		name, method, body string
		header             map[string]string
		status             int
		want               string
	}{
		{"T-VER-05 initialize", "POST", hello("2025-06-18"), nil, 400, `"code":-32022,"message":"unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-06-18"}`},
		{"T-VER-05 initialize with a header", "POST", hello("2025-11-25"), map[string]string{"MCP-Protocol-Version": "2025-11-25"}, 400, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`},
		{"T-VER-05 initialize without a version", "POST", request("1", "initialize", ""), nil, 400, `{"supported":["2026-07-28"],"requested":""}`},
		{"T-DISC-06 discovery", "POST", modern("1", "server/discover", ""), heading("server/discover", ""), 200, `"supportedVersions":["2026-07-28"]`},
		{"T-DISC-06 T-VER-01 an old version", "POST", strings.Replace(modern("1", "tools/list", ""), "2026-07-28", "1900-01-01", 1), heading("tools/list", "", "MCP-Protocol-Version", "1900-01-01"), 400, `{"supported":["2026-07-28"],"requested":"1900-01-01"}`},
		{"T-VER-09 no version header", "POST", request("1", "tools/list", ""), nil, 400, `"id":1,"error":{"code":-32020,`},
		{"T-VER-09 the header of another era", "POST", request("1", "tools/list", ""), map[string]string{"MCP-Protocol-Version": "2025-06-18"}, 400, `"2025-06-18\"; supported are 2026-07-28"`},
		{"T-HTTPM-09 GET", "GET", "", map[string]string{"Accept": "text/event-stream"}, 405, `-32600`},
		{"T-HTTPM-09 DELETE", "DELETE", "", map[string]string{"Mcp-Session-Id": "x"}, 405, `-32600`},
		{"T-HTTPM-09 a session id is ignored", "POST", modern("1", "tools/list", ""), heading("tools/list", "", "Mcp-Session-Id", "x"), 200, `"resultType":"complete"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := server.do(t.Context(), test.method, test.body, test.header)
			if body := bodyOf(t, response); response.status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("status %d: %s; want %d and %s", response.status, body, test.status, test.want)
			}
			if allow := response.header.Get("Allow"); test.status == http.StatusMethodNotAllowed && allow != "POST" {
				t.Errorf("Allow = %q", allow)
			}
			if id := response.header.Get("Mcp-Session-Id"); id != "" {
				t.Errorf("got the session id %q, want none", id)
			}
		})
	}
}
