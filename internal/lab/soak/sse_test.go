package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestSSEStreamEnds checks that requests fail if the stream of the server begins with another event, or ends.
func TestSSEStreamEnds(t *testing.T) {
	t.Parallel()
	const hello = `{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`
	for _, test := range []struct{ name, first, want string }{
		{"another event", "event: message\ndata: {}\n\n", `event "message", not with endpoint`},
		{"no event", "", "closed the connection without an answer"},
		{"the end", "event: endpoint\ndata: /post\n\n", "closed the connection without an answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			messages := make(chan string, 3)
			mux := http.NewServeMux()
			mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", eventStream)
				_, _ = fmt.Fprint(w, test.first)
				for test.name == "the end" {
					_ = http.NewResponseController(w).Flush()
					select {
					case message := <-messages:
						if !strings.Contains(message, "initialize") {
							return
						}
						var id int64
						_, _ = fmt.Sscanf(message, `{"jsonrpc":"2.0","id":%d`, &id)
						_, _ = fmt.Fprintf(w, "data: "+hello+"\n\n", id)
					case <-r.Context().Done():
						return
					}
				}
			})
			mux.HandleFunc("POST /post", func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), "notifications/") {
					messages <- string(body)
				}
				w.WriteHeader(http.StatusAccepted)
			})
			web := httptest.NewServer(mux)
			t.Cleanup(web.Close)
			base := newHTTP()
			t.Cleanup(base.CloseIdleConnections)
			o := client.Options{Era: client.Legacy, Revision: "2024-11-05", Timeout: time.Minute, Transport: newSSETransport(base)}
			c, err := client.Dial(t.Context(), client.Target{URL: web.URL + "/sse"}, o)
			if (err == nil) != (test.name == "the end") {
				t.Fatalf("the handshake: %v", err)
			}
			if err == nil {
				defer func() { _ = c.Close() }()
				_, err = c.Tools(t.Context())
			}
			if !strings.Contains(fmt.Sprint(err), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
