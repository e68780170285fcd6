package streamhttp_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	client := serve(t, fixtureServer(t, nil)).begin("2025-03-26")
	const note = `{"jsonrpc":"2.0","method":"x"}`
	ping := request("1", "ping", "")
	cancelled := func(id string) string {
		return request(id, "tools/call", `"name":"sleep","arguments":{"ms":3600000}`) + `,` + cancelling(id)
	}
	tests := []struct {
		name, body string
		status     int
		media      string // of the response; "" if it is empty
		want       string // prefix of the response
	}{
		{"A-03 requests", `[` + ping + `,` + note + `]`, 200, "application/json", `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"A-03 only notifications", `[` + note + `,` + note + `]`, 202, "", ``},
		{"A-03 only a cancellation", `[` + cancelling("7") + `]`, 202, "", ``},
		{"A-03 empty", `[]`, 400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32600`},
		{"T-HTTPL-06 a cancelled request", `[` + cancelled("2") + `]`, 200, "text/event-stream", ``},
		{"T-HTTPL-06 a cancelled request and another", `[` + cancelled("3") + `,` + request("4", "ping", "") + `]`, 200, "application/json", `[{"jsonrpc":"2.0","id":4,"result":{}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := client.send(t.Context(), test.body)
			if body := bodyOf(t, response); response.status != test.status || !strings.HasPrefix(body, test.want) || (body == "") != (test.want == "") {
				t.Errorf("status %d: %s", response.status, body)
			}
			if got := response.header.Get("Content-Type"); got != test.media {
				t.Errorf("Content-Type %q, want %q", got, test.media)
			}
		})
	}
}

// cancelling returns a notification that cancels a request.
func cancelling(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// TestCancelledStatus: in every revision, a cancelled request is answered with an empty event stream and status 200,
// not with 202, which is for notifications. A client that does not accept streams violates the protocol and gets 202.
func TestCancelledStatus(t *testing.T) {
	t.Parallel()
	for _, version := range legacyVersions {
		for accept, want := range map[string]string{"application/json, text/event-stream": "200 text/event-stream", "application/json": "202 "} {
			t.Run("T-HTTPL-06 T-CANC-01 "+version+" "+accept, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					client := serve(t, fixtureServer(t, nil)).begin(version)
					answers := make(chan answer, 1)
					go func() {
						answers <- client.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"sleep","arguments":{"ms":3600000}`),
							map[string]string{"Mcp-Session-Id": client.id, "Accept": accept})
					}()
					synctest.Wait()
					if response := client.send(t.Context(), cancelling("1")); response.status != http.StatusAccepted {
						t.Errorf("notifications/cancelled: status %d, want 202", response.status)
					}
					response := <-answers
					if got := strconv.Itoa(response.status) + " " + response.header.Get("Content-Type"); got != want || bodyOf(t, response) != "" {
						t.Errorf("got %s, want %s", got, want)
					}
				})
			})
		}
	}
}
