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

// TestSessionGuess: an id is long enough not to be guessed, two have nothing in common beyond the first letter, which
// is the version of the format, and only the very id opens a session.
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
		{"with space around", " " + client.id + "\t", 200},
		{"without its end", client.id[:len(client.id)-1], 404},
		{"with more", client.id + "A", 404},
		{"twice", client.id + client.id, 404},
		{"in lower case", strings.ToLower(client.id), 404},
		{"one letter off", client.id[:len(client.id)-1] + string(other), 404},
		{"several", client.id + "," + client.id, 404},
		{"quoted", `"` + client.id + `"`, 404},
		{"empty in quotes", `""`, 404},
		{"a path", "../" + client.id, 404},
		{"a long one", strings.Repeat("A", 8<<10), 404},
		{"one that is too long", strings.Repeat("A", 8<<10+1), 400},
		{"outside ASCII", "é", 404},
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

// TestReplayGuess: an event id says where to go on in a stream of its own session, and nothing else.
func TestReplayGuess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, id string
		status   int
		events   string // how many are there; those of another client begin with 99
	}{
		{"the first event", "1-0", 200, "3"},
		{"the second", "1-1", 200, "2"},
		{"the last, after which nothing follows", "1-3", 204, ""},
		{"one that is still to come", "1-4", 400, ""},
		{"one in the far future", "1-9223372036854775807", 400, ""},
		{"one beyond numbers", "1-9223372036854775808", 400, ""},
		{"a negative one", "1--1", 400, ""},
		{"a signed one", "1-+1", 400, ""},
		{"a stream that never was", "2-0", 400, ""},
		{"the stream of no call", "0-0", 200, "0"},
		{"an event of the stream of no call in an earlier session", "0-3", 200, "0"},
		{"a kind", "r1-0", 400, ""},
		{"a negative stream", "-1-0", 400, ""},
		{"a huge stream", "99999999999999999999-0", 400, ""},
		{"no number", "1-", 400, ""},
		{"no stream", "-1", 400, ""},
		{"no event", "1", 400, ""},
		{"leading zeros", "01-00", 400, ""},
		{"three parts", "1-1-1", 400, ""},
		{"not ASCII", "1-é", 400, ""},
		{"one that is too long", "1-" + strings.Repeat("0", 8<<10), 400, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := serve(t, fixtureServer(t, nil), streamhttp.KeepAlive(0))
				client, other := server.begin("2025-11-25"), server.begin("2025-11-25")
				for i := range 3 { // what must not be given to the other one
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
