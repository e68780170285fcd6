package streamhttp_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// poll calls a tool and reconnects until the response arrives. It returns the response and the number of event streams.
func (c legacyClient) poll(tool, arguments string) (answer string, turns int) {
	c.t.Helper()
	first := c.send(c.t.Context(), request("1", "tools/call", `"name":"`+tool+`","arguments":`+arguments))
	if first.header.Get("Content-Type") == "application/json" {
		return bodyOf(c.t, first), 0
	}
	stream := eventsOf(first)
	for turns = 1; ; turns++ {
		last, wait := "", 0
		for e, err := stream.next(); err == nil; e, err = stream.next() {
			last = e.id
			if e.retry != "" {
				wait, _ = strconv.Atoi(e.retry)
			}
			if strings.Contains(e.data, `"id":1,`) {
				return e.data, turns
			}
		}
		if last == "" || wait == 0 {
			c.t.Fatalf("stream %d cannot be resumed: id %q, retry %d", turns, last, wait)
		}
		time.Sleep(time.Duration(wait) * time.Millisecond)
		response := c.listen(c.t.Context(), last)
		if response.status != http.StatusOK {
			c.t.Fatalf("stream %d: status %d", turns, response.status)
		}
		stream = eventsOf(response)
	}
}

// TestPoll: a long call uses connections of 2s each, 10s apart.
func TestPoll(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPL-24", poll)
}

func poll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, nil), streamhttp.Poll(2*time.Second, 10*time.Second), streamhttp.KeepAlive(0)).begin("2025-11-25")
		for _, test := range []struct {
			name, tool, arguments string
			turns                 int
			took                  time.Duration
		}{
			{"long call without messages", "sleep", `{"ms":30000}`, 4, 36 * time.Second},
			{"call that ends between connections", "sleep", `{"ms":5000}`, 2, 12 * time.Second},
			{"quick call", "sleep", `{"ms":1}`, 0, time.Millisecond},
		} {
			began := time.Now()
			answer, turns := client.poll(test.tool, test.arguments)
			if took := time.Since(began); turns != test.turns || took != test.took || !strings.Contains(answer, "slept") {
				t.Errorf("%s: %d streams, %v: %s", test.name, turns, took, answer)
			}
		}
		long := client.listen(t.Context(), "")
		time.Sleep(time.Minute)
		bodyOf(t, client.call(t.Context(), "learn", `{"add":["a"]}`))
		stream := eventsOf(long)
		if e := stream.want(t, ""); e.retry != "1000" {
			t.Errorf("general stream: %+v", e)
		}
		stream.want(t, "list_changed")
	})
}

// TestPollIsFor: a connection is not closed early if the client cannot reconnect.
func TestPollIsFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, version, accept string
		opts                  []streamhttp.Option
	}{
		{"an earlier revision", "2025-06-18", "application/json, text/event-stream", nil},
		{"a client that accepts no streams", "2025-11-25", "application/json", nil},
		{"a handler without replay", "2025-11-25", "application/json, text/event-stream", []streamhttp.Option{streamhttp.Replay(0)}},
		{"a handler without Poll", "2025-11-25", "application/json, text/event-stream", []streamhttp.Option{streamhttp.Poll(0, time.Second)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts := append([]streamhttp.Option{streamhttp.Poll(time.Second, time.Second)}, test.opts...)
				client := serve(t, fixtureServer(t, nil), opts...).begin(test.version)
				response := client.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"sleep","arguments":{"ms":5000}`),
					map[string]string{"Mcp-Session-Id": client.id, "Accept": test.accept})
				if body := bodyOf(t, response); !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":1,"result":{`) {
					t.Error(body)
				}
			})
		})
	}
}

// TestPollKeepsTheAnswer: a response larger than the replay limit is kept for its polling client until the next such
// response.
func TestPollKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		addTool(t, srv, "large", func(context.Context) string {
			time.Sleep(3 * time.Second)
			return strings.Repeat("x", 10<<10)
		})
		client := serve(t, srv, streamhttp.Replay(1<<10), streamhttp.Poll(2*time.Second, 10*time.Second)).begin("2025-11-25")
		if answer, turns := client.poll("large", `{}`); turns != 2 || len(answer) < 10<<10 {
			t.Errorf("%d bytes in %d streams", len(answer), turns)
		}

		ids := make([]string, 2)
		for i := range ids {
			stream := eventsOf(client.send(t.Context(), request(strconv.Itoa(10+i), "tools/call", `"name":"large","arguments":{}`)))
			ids[i] = stream.want(t, "").id
			stream.wantEnd(t)
		}
		time.Sleep(10 * time.Second)
		if response := client.listen(t.Context(), ids[0]); response.status != http.StatusBadRequest {
			t.Errorf("older of two responses: status %d, want 400", response.status)
		}
		stream := eventsOf(client.listen(t.Context(), ids[1]))
		stream.want(t, "")
		stream.want(t, `"id":11,"result":`)
		stream.wantEnd(t)
	})
}

// TestPollEndsWithTheHandler: during a shutdown, connections are not closed early, as the client could not reconnect.
func TestPollEndsWithTheHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, nil), streamhttp.Poll(2*time.Second, time.Second)).begin("2025-11-25")
		time.AfterFunc(time.Second, func() { client.shutdown(10 * time.Second) })
		response := client.send(t.Context(), request("1", "tools/call", `"name":"sleep","arguments":{"ms":5000}`))
		if body := bodyOf(t, response); !strings.Contains(body, "slept") {
			t.Errorf("response: %q", body)
		}
	})
}

// TestResumeWithGap: a stream resumes after a gap of dropped events. The response is dropped last.
func TestResumeWithGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, nil), streamhttp.Replay(300)).begin("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		primed := eventsOf(client.send(ctx, reporting("1", "1000"))).want(t, "")
		leave()
		time.Sleep(time.Minute)
		again := eventsOf(client.listen(t.Context(), primed.id))
		if e := again.want(t, ""); e.id == primed.id {
			t.Errorf("got %+v, want an event with another id", e)
		}
		again.want(t, `"id":1,"result":{`)
		again.wantEnd(t)
	})
}
