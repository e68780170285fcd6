package streamhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// pinging serves clients that are asked for a sign of life each minute, with half a minute to give
// one, and given up after two without.
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

// isThere reports whether the session still is; asking for that is a sign of life.
func (c legacyClient) isThere() bool {
	c.t.Helper()
	response := c.send(c.t.Context(), request("9", "ping", ""))
	bodyOf(c.t, response)
	return response.status == http.StatusOK
}

// TestPings: how it goes with the pings of a session, by what its client does.
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

// pingsOfTheSilent: an answer, then none, and the session is no more: its calls are ended, and its streams.
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
			t.Errorf("a ping is an event that counts: %+v", e)
		}
		client.send(t.Context(), pong("1"))
		began := time.Now()
		stream.want(t, `"id":2,"method":"ping"`)
		stream.want(t, `"id":3,"method":"ping"`)
		stream.wantEnd(t)
		if took := time.Since(began); took != 2*time.Minute+30*time.Second {
			t.Errorf("it is given up after %v", took)
		}
		if answer := <-call; strings.Contains(answer, "slept") {
			t.Errorf("its call goes on: %s", answer)
		}
	})
}

// pingsWithoutStream: nothing can be sent to this client, which is no fault of its own, nor kept for it.
func pingsWithoutStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t, streamhttp.SessionIdle(0)).begin("2025-06-18")
		time.Sleep(24 * time.Hour)
		stream := eventsOf(client.listen(t.Context(), ""))
		began := time.Now()
		stream.want(t, `"method":"ping"`)
		if waited := time.Since(began); waited < time.Second {
			t.Error("a ping has waited for the stream")
		}
		if !client.isThere() {
			t.Error("there is no session any more")
		}
	})
}

// pingsOfTheLost: a stream breaks while a ping is open, each time, and the client stays away for long.
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
			t.Error("there is no session any more")
		}
	})
}

// pingsOfTheResuming: the client has seen the ping, loses its connection and resumes the stream.
// That says that it is there, and it is not asked again what it was asked before.
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
				t.Errorf("a ping was sent again, after %v", waited)
			}
			time.Sleep(10 * time.Second)
			leave()
		}
		if !client.isThere() {
			t.Error("there is no session any more")
		}
	})
}

// pingsOfTheReturning: the client takes its old connection for dead before the server does, and opens
// a new stream beside it.
func pingsOfTheReturning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pinging(t).begin("2025-06-18")
		for range 5 {
			eventsOf(client.listen(t.Context(), "")).want(t, `"method":"ping"`)
			time.Sleep(10 * time.Second)
		}
		if !client.isThere() {
			t.Error("there is no session any more")
		}
	})
}

// pingsOfTheSlow: what is in front of the ping takes the client longer than it has time to answer, which
// counts from when it could read the ping.
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
			t.Error("there is no session any more")
		}
	})
}

// pingsOfSSE: the session of the older transport has one stream, and ends with it.
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
			t.Error("the stream goes on")
		}
		if response := client.at(client.endpoint).do(t.Context(), http.MethodPost, pong("3"), nil); response.status != http.StatusNotFound {
			t.Errorf("the session is there: status %d", response.status)
		}
	})
}

// TestPulseOfACrowd: what 10 000 silent sessions cost that could be asked for a sign of life, and have no
// stream for it: a goroutine each.
//
//nolint:paralleltest // it measures the process
func TestPulseOfACrowd(t *testing.T) {
	const count = 10_000
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		srv.Pings = runtime.Pings{Every: time.Minute}
		h := streamhttp.NewHandler(srv, streamhttp.Sessions(count+1), streamhttp.SessionIdle(5*time.Minute))
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
			before.wantBelow(t, round+" crowd, silent", count, count*(16<<10))
			time.Sleep(10 * time.Minute)
			if round == "second" { // what the first one leaves, the runtime keeps: descriptors of goroutines, say
				before.wantBelow(t, "expired", 0, 8<<20)
			}
		}
	})
}
