package streamhttp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// events opens or resumes a stream of the session with a token.
func (s *ownedSession) events(token, after string) answer {
	s.t.Helper()
	header := map[string]string{"Mcp-Session-Id": s.id, "Accept": "text/event-stream"}
	if after != "" {
		header["Last-Event-ID"] = after
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	s.t.Cleanup(cancel)
	return s.do(ctx, http.MethodGet, "", with(token, header))
}

// TestStreamsNeedTheScopes: notifications and results caused by a request with more scopes are not sent on a stream of
// the same principal with fewer.
func TestStreamsNeedTheScopes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := notes(t, nil)
		secret, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "x", nil }, mcptool.URI("notes://secret"), mcptool.Name("secret"), mcptool.Scopes("notes:write"))
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Tools.Add(secret); err != nil {
			t.Fatal(err)
		}
		addTool(t, srv, "slow", func(ctx context.Context) string {
			mcptool.Progress(ctx, 1, 2, "")
			time.Sleep(time.Second)
			return "the result"
		})
		session := serve(t, srv, protection(t, nil)).beginAs("2025-11-25", "ada")
		early := eventsOf(session.events("ada", ""))
		early.want(t, "")

		session.token = "ada.writes"
		if body := bodyOf(t, session.send(t.Context(), request("1", "resources/subscribe", `"uri":"notes://secret"`))); !strings.Contains(body, `"result"`) {
			t.Fatal(body)
		}
		early.wantEnd(t) // because its client reconnects
		ctx, leave := context.WithCancel(t.Context())
		call := eventsOf(session.send(ctx, request("2", "tools/call", `"name":"slow","_meta":{"progressToken":1}`)))
		primed := call.want(t, "")
		call.want(t, `"progress":1`)
		leave()
		time.Sleep(2 * time.Second)
		srv.Tools.ResourceUpdated("notes://secret")
		synctest.Wait()
		for name, after := range map[string]string{"a stream": "", "the stream before": "0-0", "a result": primed.id} {
			response := session.events("ada", after)
			body := bodyOf(t, response)
			if response.status != http.StatusForbidden || !strings.Contains(response.header.Get("Www-Authenticate"), `scope="notes:read notes:write"`) || strings.Contains(body, "secret") || strings.Contains(body, "the result") {
				t.Errorf("%s with fewer scopes: status %d, %v: %s", name, response.status, response.header, body)
			}
		}
		again := eventsOf(session.events("ada.writes", ""))
		again.want(t, "")
		again.want(t, "notes://secret")
		resumed := eventsOf(session.events("ada.writes", primed.id))
		resumed.want(t, "")
		resumed.want(t, `"progress":1`)
		resumed.want(t, "the result")
	})
}

// TestSSEScopes: a message is served with the scopes of the stream that carries its response, even if its own token has
// more.
func TestSSEScopes(t *testing.T) {
	t.Parallel()
	server := serveSSE(t, notes(t, nil), protection(t, nil))
	stream := eventsOf(server.at("/sse").do(t.Context(), http.MethodGet, "", with("ada", map[string]string{"Accept": "text/event-stream"})))
	first, err := stream.next()
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{hello("2024-11-05"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, request("1", "tools/list", ""), request("2", "tools/call", `"name":"write_note"`)} {
		server.at(first.data).do(t.Context(), http.MethodPost, message, with("ada.writes", map[string]string{}))
	}
	stream.want(t, `"protocolVersion"`)
	if list := stream.want(t, `"id":1,"result"`); strings.Contains(list.data, "write_note") || !strings.Contains(list.data, "list_notes") {
		t.Errorf("listed: %s", list.data)
	}
	stream.want(t, `unknown tool \"write_note\"`)
}
