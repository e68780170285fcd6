package streamhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// pinging returns a server that pings clients each minute, with half a minute to answer, and ends the session after two
// failures.
func pinging(t *testing.T, opts ...streamhttp.Option) *memory {
	t.Helper()
	srv := fixtureServer(t, nil)
	srv.Pings = runtime.Pings{Every: time.Minute, Failures: 2}
	m := serve(t, srv, append(opts, streamhttp.KeepAlive(0))...)
	t.Cleanup(func() { m.shutdown(0) })
	return m
}

// pong answers a ping.
func pong(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

// isThere reports whether the session exists. The request counts as activity of the client.
func (c legacyClient) isThere() bool {
	c.t.Helper()
	response := c.send(c.t.Context(), request("9", "ping", ""))
	bodyOf(c.t, response)
	return response.status == http.StatusOK
}

// TestPings checks keepalive pings in a session for different client behavior.
func TestPings(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02 a silent client", pingsOfTheSilent)
	t.Run("T-PING-02 a client without a stream", pingsWithoutStream)
	t.Run("T-PING-02 a client that has lost its stream", pingsOfTheLost)
	t.Run("T-PING-02 a client that resumes its stream", pingsOfTheResuming)
	t.Run("T-PING-02 a client that opens another stream", pingsOfTheReturning)
	t.Run("T-PING-02 a client that reads slowly", pingsOfTheSlow)
	t.Run("T-PING-02 HTTP with SSE", pingsOfSSE)
}

// pingsOfTheSilent: the client answers one ping and then none. The session, its calls and its streams end.
func pingsOfTheSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t).begin("2025-11-25")
		stream := eventsOf(client.listen(t.Context(), ""))
		primed := stream.want(t, "")
		call := make(chan string, 1)
		go func() {
			call <- bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"sleep","arguments":{"ms":6000000}`)))
		}()
		e := stream.want(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if e.id != "" || primed.id == "" {
			t.Errorf("the ping has an event id, want none: %+v", e)
		}
		client.send(t.Context(), pong("1"))
		began := time.Now()
		stream.want(t, `"id":2,"method":"ping"`)
		stream.want(t, `"id":3,"method":"ping"`)
		stream.wantEnd(t)
		if took := time.Since(began); took != 2*time.Minute+30*time.Second {
			t.Errorf("the session ended after %v, want 2m30s", took)
		}
		if answer := <-call; strings.Contains(answer, "slept") {
			t.Errorf("the call of the ended session was not cancelled: %s", answer)
		}
	})
}

// pingsWithoutStream: without a stream, no ping is sent or queued, and the client is not considered gone.
func pingsWithoutStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t, streamhttp.SessionIdle(0)).begin("2025-06-18")
		time.Sleep(24 * time.Hour)
		stream := eventsOf(client.listen(t.Context(), ""))
		began := time.Now()
		stream.want(t, `"method":"ping"`)
		if waited := time.Since(began); waited < time.Second {
			t.Error("a ping was queued for the stream")
		}
		if !client.isThere() {
			t.Error("the session has ended")
		}
	})
}

// pingsOfTheLost: each stream breaks after a ping, and the client stays disconnected for a long time.
func pingsOfTheLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t).begin("2025-11-25")
		for range 5 {
			ctx, leave := context.WithCancel(t.Context())
			stream := eventsOf(client.listen(ctx, ""))
			stream.want(t, "")
			stream.want(t, `"method":"ping"`)
			leave()
			time.Sleep(10 * time.Minute)
		}
		if !client.isThere() {
			t.Error("the session has ended")
		}
	})
}

// pingsOfTheResuming: the client gets the ping, loses its connection and resumes the stream. This counts as activity,
// so the ping is not sent again.
func pingsOfTheResuming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t).begin("2025-11-25")
		at := ""
		for range 5 {
			ctx, leave := context.WithCancel(t.Context())
			stream := eventsOf(client.listen(ctx, at))
			at = stream.want(t, "").id
			began := time.Now()
			stream.want(t, `"method":"ping"`)
			if waited := time.Since(began); waited < 50*time.Second {
				t.Errorf("a ping was repeated after %v", waited)
			}
			time.Sleep(10 * time.Second)
			leave()
		}
		if !client.isThere() {
			t.Error("the session has ended")
		}
	})
}

// pingsOfTheReturning: the client opens a new stream before the server notices that the old connection is dead.
func pingsOfTheReturning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t).begin("2025-06-18")
		for range 5 {
			eventsOf(client.listen(t.Context(), "")).want(t, `"method":"ping"`)
			time.Sleep(10 * time.Second)
		}
		if !client.isThere() {
			t.Error("the session has ended")
		}
	})
}

// pingsOfTheSlow: the client is slow to read the messages before the ping. The time to answer starts when it could read
// the ping.
func pingsOfTheSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		srv.Pings = runtime.Pings{Every: time.Minute, Timeout: 5 * time.Second, Failures: 1}
		client := serve(t, srv, streamhttp.KeepAlive(0)).begin("2025-11-25")
		defer client.shutdown(0)
		stream := eventsOf(client.listen(t.Context(), ""))
		stream.want(t, "")
		time.Sleep(115 * time.Second)
		addTool(t, srv, "new", func(context.Context) string { return "" })
		time.Sleep(20 * time.Second)
		stream.want(t, "list_changed")
		stream.want(t, `"method":"ping"`)
		if !client.isThere() {
			t.Error("the session has ended")
		}
	})
}

// pingsOfSSE: a session of HTTP with SSE has one stream and ends with it.
func pingsOfSSE(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		srv.Pings = runtime.Pings{Every: time.Minute, Failures: 2}
		client := serveSSE(t, srv, streamhttp.KeepAlive(0)).connect(t.Context())
		client.post(hello("2024-11-05"))
		client.want(t, `"id":0`)
		client.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		client.want(t, `"id":1,"method":"ping"`)
		client.post(pong("1"))
		client.want(t, `"id":2,"method":"ping"`)
		client.want(t, `"id":3,"method":"ping"`)
		if _, err := client.next(); err == nil {
			t.Error("the stream has not ended")
		}
		if response := client.at(client.endpoint).do(t.Context(), http.MethodPost, pong("3"), nil); response.status != http.StatusNotFound {
			t.Errorf("session after its stream: status %d, want 404", response.status)
		}
	})
}

// TestPulseOfACrowd measures 10,000 silent sessions, 1,000 with -short, without a stream, which cannot be pinged: one goroutine each.
//
//nolint:paralleltest // it measures the process
func TestPulseOfACrowd(t *testing.T) {
	count := testscale.Short(10_000)
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		srv.Pings = runtime.Pings{Every: time.Minute}
		h := newHandler(t, srv, streamhttp.Sessions(count+1), streamhttp.SessionIdle(5*time.Minute))
		post := func(id, body string) http.Header {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if id != "" {
				r.Header.Set("Mcp-Session-Id", id)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Header()
		}
		begin := func() {
			id := post("", hello("2025-11-25")).Get("Mcp-Session-Id")
			post(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
		for _, round := range []string{"first", "second"} {
			before := used()
			for range count {
				begin()
			}
			time.Sleep(3 * time.Minute)
			before.wantBelow(t, round+" crowd, silent", count, int64(count)<<14)
			time.Sleep(10 * time.Minute)
			if round == "second" { // the runtime reuses what the first round left, such as goroutine descriptors
				before.wantBelow(t, "expired", 0, 8<<20)
			}
		}
	})
}
