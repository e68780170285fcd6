package streamhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestSessionGuess: session ids are long, share only their first letter (the version of the format), and must match
// exactly.
func TestSessionGuess(t *testing.T) {
	t.Parallel()
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	server := serve(t, fixtureServer(t, nil))
	client := server.begin("2025-11-25")
	if id, other := client.id, server.begin("2025-11-25").id; len(id) < 26 || strings.Trim(id, letters) != "" || id[2:8] == other[2:8] || id[len(id)-6:] == other[len(other)-6:] {
		t.Errorf("the ids are %q and %q", id, other)
	}
	last := client.id[len(client.id)-1:]
	other := letters[(strings.Index(letters, last)+1)%len(letters)]
	for _, test := range []struct {
		name, id string
		status   int
	}{
		{"the id", client.id, 200},
		{"surrounding space", " " + client.id + "\t", 200},
		{"truncated", client.id[:len(client.id)-1], 404},
		{"extended", client.id + "A", 404},
		{"twice", client.id + client.id, 404},
		{"in lower case", strings.ToLower(client.id), 404},
		{"one letter changed", client.id[:len(client.id)-1] + string(other), 404},
		{"several", client.id + "," + client.id, 404},
		{"quoted", `"` + client.id + `"`, 404},
		{"empty quoted string", `""`, 404},
		{"path", "../" + client.id, 404},
		{"long", strings.Repeat("A", 8<<10), 404},
		{"too long", strings.Repeat("A", 8<<10+1), 400},
		{"not ASCII", "é", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
				if test.status == 200 && method != http.MethodPost {
					continue
				}
				response := server.do(t.Context(), method, request("1", "ping", ""), map[string]string{"Mcp-Session-Id": test.id})
				if body := bodyOf(t, response); response.status != test.status || strings.Contains(body, client.id) {
					t.Errorf("%s: status %d, want %d: %s", method, response.status, test.status, body)
				}
			}
		})
	}
}

// TestReplayGuess: an event id resumes only a stream of the same session.
func TestReplayGuess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, id string
		status   int
		events   string // number of replayed events; the ids of the other client's messages begin with 99
	}{
		{"first event", "1-0", 200, "3"},
		{"second event", "1-1", 200, "2"},
		{"last event", "1-3", 204, ""},
		{"future event", "1-4", 400, ""},
		{"far future event", "1-9223372036854775807", 400, ""},
		{"overflow", "1-9223372036854775808", 400, ""},
		{"negative event", "1--1", 400, ""},
		{"signed event", "1-+1", 400, ""},
		{"unknown stream", "2-0", 400, ""},
		{"general stream", "0-0", 200, "0"},
		{"general stream of an earlier session", "0-3", 200, "0"},
		{"letter before the stream", "r1-0", 400, ""},
		{"negative stream", "-1-0", 400, ""},
		{"huge stream", "99999999999999999999-0", 400, ""},
		{"no event number", "1-", 400, ""},
		{"no stream", "-1", 400, ""},
		{"no event", "1", 400, ""},
		{"leading zeros", "01-00", 400, ""},
		{"three parts", "1-1-1", 400, ""},
		{"not ASCII", "1-é", 400, ""},
		{"too long", "1-" + strings.Repeat("0", 8<<10), 400, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := serve(t, fixtureServer(t, nil), streamhttp.KeepAlive(0))
				client, other := server.begin("2025-11-25"), server.begin("2025-11-25")
				for i := range 3 { // events that the other client must not get
					bodyOf(t, other.send(t.Context(), strings.Replace(reporting("99", "1"), `"id":99`, fmt.Sprintf(`"id":9%d`, i), 1)))
				}
				bodyOf(t, client.send(t.Context(), reporting("1", "1")))
				ctx, leave := context.WithCancel(t.Context())
				response := client.listen(ctx, test.id)
				if response.status != test.status {
					t.Fatalf("status %d, want %d", response.status, test.status)
				}
				var data []string
				go func() {
					synctest.Wait()
					leave()
				}()
				stream := eventsOf(response)
				for e, err := stream.next(); err == nil; e, err = stream.next() {
					if e.data != "" {
						data = append(data, e.data)
					}
				}
				if test.status == http.StatusOK && fmt.Sprint(len(data)) != test.events || strings.Contains(fmt.Sprint(data), "99") {
					t.Errorf("%d events, want %s: %s", len(data), test.events, data)
				}
			})
		})
	}
}
