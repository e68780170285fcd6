package streamhttp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// ended is the whole response to a subscription that ends at once.
const ended = `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}

data: {"jsonrpc":"2.0","id":"s","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"s",`

const subscribe = `,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["note://7"]}`

// TestNoListening: the handler declares no capability that needs a stream outside calls, and keeps no such stream open.
func TestNoListening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, map[string]string{"tools": "learn,echo,report", "resources": "yes", "prompts": "yes"}), streamhttp.NoListening())
		for _, version := range legacyVersions {
			body := bodyOf(t, server.do(t.Context(), http.MethodPost, hello(version), nil))
			if strings.Contains(body, "listChanged") || strings.Contains(body, "subscribe") || !strings.Contains(body, `"tools":{}`) || !strings.Contains(body, `"resources":{}`) {
				t.Errorf("initialize %s: %s", version, body)
			}
		}
		body := bodyOf(t, server.do(t.Context(), http.MethodPost, modern("1", "server/discover", ""), heading("server/discover", "")))
		if strings.Contains(body, "listChanged") || strings.Contains(body, "subscribe") || !strings.Contains(body, `"tools":{}`) {
			t.Errorf("server/discover: %s", body)
		}
		client := server.begin("2025-11-25")
		for name, after := range map[string]string{"a new stream": "", "a stream of a call": "1-0"} {
			if response := client.listen(t.Context(), after); response.status != http.StatusMethodNotAllowed || response.header.Get("Allow") != "DELETE, POST" {
				t.Errorf("GET of %s: status %d, Allow = %q", name, response.status, response.header.Get("Allow"))
			}
		}
		if body := bodyOf(t, client.send(t.Context(), request("1", "resources/subscribe", `"uri":"note://7"`))); !strings.Contains(body, "-32601") {
			t.Errorf("resources/subscribe: %s", body)
		}
		stream := bodyOf(t, client.send(t.Context(), reporting("2", "1")))
		if !strings.Contains(stream, `"progress":2`) || strings.Contains(stream, "id: ") {
			t.Errorf("the stream of a call with progress cannot be resumed: %s", stream)
		}
		began := time.Now()
		response := server.do(t.Context(), http.MethodPost, modern(`"s"`, "subscriptions/listen", subscribe), heading("subscriptions/listen", ""))
		if body := bodyOf(t, response); response.header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(body, ended) || time.Since(began) > 0 {
			t.Errorf("after %v: %s", time.Since(began), body)
		}
		response = server.do(t.Context(), http.MethodPost, modern(`"s"`, "subscriptions/listen", `,"notifications":{"toolsListChanged":1}`), heading("subscriptions/listen", ""))
		if body := bodyOf(t, response); !strings.Contains(body, "-32602") {
			t.Errorf("a malformed filter: %s", body)
		}
	})
}

// TestNoListeningInBatch: a batch cannot begin a subscription either.
func TestNoListeningInBatch(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, map[string]string{"resources": "yes"}), streamhttp.NoListening())
	client := server.begin("2025-03-26")
	if body := bodyOf(t, client.send(t.Context(), "["+request("1", "resources/subscribe", `"uri":"note://7"`)+"]")); !strings.Contains(body, "-32601") {
		t.Error(body)
	}
}
