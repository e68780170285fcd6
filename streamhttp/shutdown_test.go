package streamhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/streamhttp"
)

func TestHandlerShutdown(t *testing.T) {
	t.Parallel()
	ever := context.Background()
	ended, end := context.WithCancel(ever)
	end()
	tests := []struct {
		name     string
		call     string // duration in ms of a call in a session and one without; "" for no calls
		contexts []context.Context
		want     []error
		took     time.Duration
		reason   string
	}{
		{"idle", "", []context.Context{ever, ever}, []error{nil, nil}, 0, "the idle session and its stream end at once"},
		{"calls end", "1000", []context.Context{ever, ever}, []error{nil, nil}, time.Second, "all wait for the calls"},
		{"one context ends", "60000", []context.Context{ever, ended}, []error{nil, context.Canceled}, 0, "the first context that ends cancels the calls"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := serve(t, fixtureServer(t, nil))
				client := server.begin("2025-11-25")
				stream := eventsOf(client.listen(t.Context(), ""))
				answers := make(chan string, 2)
				if test.call != "" {
					go func() { answers <- bodyOf(t, server.call(t.Context(), "sleep", `{"ms":`+test.call+`}`)) }()
					go func() {
						answers <- bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"sleep","arguments":{"ms":`+test.call+`}`)))
					}()
				}
				synctest.Wait()
				began := time.Now()
				results := make([]chan error, len(test.contexts))
				for i, ctx := range test.contexts {
					results[i] = make(chan error, 1)
					go func() { results[i] <- server.handler.Shutdown(ctx) }()
				}
				for i, result := range results {
					if err := <-result; !errors.Is(err, test.want[i]) {
						t.Errorf("call %d of Shutdown: %v, want %v, because %s", i, err, test.want[i], test.reason)
					}
				}
				if took := time.Since(began); took != test.took {
					t.Errorf("Shutdown took %v, want %v, because %s", took, test.took, test.reason)
				}
				stream.want(t, "")
				stream.wantEnd(t)
				for range 2 {
					if test.call == "" {
						break
					}
					if answer := <-answers; strings.Contains(answer, "slept") != (test.took > 0) {
						t.Errorf("response: %s", answer)
					}
				}
				if response := server.call(t.Context(), "sleep", `{"ms":1}`); response.status != http.StatusServiceUnavailable || !response.closes {
					t.Errorf("later request: status %d", response.status)
				}
				if !client.isCutOff(t.Context()) {
					t.Error("later stream: got a response, after which some clients give up the session")
				}
				if response := server.do(t.Context(), http.MethodGet, "", nil); response.status != http.StatusServiceUnavailable {
					t.Errorf("GET without a session: status %d", response.status)
				}
			})
		})
	}
}

// TestShutdownOfStuckCall: a call that ignores its context delays the shutdown by at most twice CloseGrace.
func TestShutdownOfStuckCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log syncbuffer.Buffer
		srv := fixtureServer(t, nil)
		srv.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
		srv.Limits.CloseGrace = 3 * time.Second
		addTool(t, srv, "stuck", func(context.Context) string {
			time.Sleep(time.Hour)
			return ""
		})
		server := serve(t, srv)
		client := server.begin("2025-11-25")
		for _, send := range []func() answer{
			func() answer { return server.call(t.Context(), "stuck", "{}") },
			func() answer { return client.send(t.Context(), request("1", "tools/call", `"name":"stuck"`)) },
		} {
			go func() { _ = bodyOf(t, send()) }()
		}
		synctest.Wait()
		began := time.Now()
		ended, end := context.WithCancel(t.Context())
		end()
		if err := server.handler.Shutdown(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("Shutdown took %v", took)
		}
		for _, elapsed := range []string{"3s", "6s"} { // in a session and without one
			if n := strings.Count(log.String(), `msg="tool ignores the end of its call" tool=stuck elapsed=`+elapsed+" cause="); n != 1 {
				t.Errorf("%d records of the tool after %s, want one: %s", n, elapsed, log.String())
			}
		}
		time.Sleep(time.Hour) // until the tools have returned
	})
}

// TestShutdownOfBoth: the handlers of both transports can share a server and shut down one after the other.
func TestShutdownOfBoth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		sse := serveSSE(t, srv)
		stream := sse.connect(t.Context())
		both := []*streamhttp.Handler{newHandler(t, srv), sse.handler}
		for _, h := range both {
			if err := h.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
		stream.wantEnd(t)
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestShutdownRefuses: a request that began before the shutdown, and is refused during it, gets status 503. In a
// session, it must not get 404, as the client would give up the session.
func TestShutdownRefuses(t *testing.T) {
	t.Parallel()
	t.Run("initialize", func(t *testing.T) {
		t.Parallel()
		shutdownRefuses(t, func(*memory) (string, string) { return hello("2025-11-25"), "" })
	})
	t.Run("a session", func(t *testing.T) {
		t.Parallel()
		shutdownRefuses(t, func(server *memory) (string, string) { return request("1", "ping", ""), server.begin("2025-11-25").id })
	})
}

func shutdownRefuses(t *testing.T, prepare func(*memory) (body, session string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, nil))
		body, session := prepare(server)
		header := map[string]string{"Accept": "application/json, text/event-stream"}
		if session != "" {
			header["Mcp-Session-Id"] = session
		}
		text := rawPost(body, header)
		conn := server.raw(text[:len(text)-1])
		synctest.Wait()
		done := make(chan error, 1)
		go func() { done <- server.handler.Shutdown(context.Background()) }()
		synctest.Wait()
		if _, err := io.WriteString(conn, text[len(text)-1:]); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("status %d", response.StatusCode)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestShutdownIdle: without anything to cancel, Shutdown returns nil even if ctx has ended.
func TestShutdownIdle(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	srv := fixtureServer(t, nil)
	for range 100 { // select chooses at random
		handler := newHandler(t, srv)
		for range 2 {
			if err := handler.Shutdown(ended); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestServeEnded checks that the listener is closed when Serve returns, even if it never accepted a connection.
func TestServeEnded(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	srv := fixtureServer(t, nil)
	for range 100 {
		l := &pipeListener{addr: loopback, closed: make(chan struct{})}
		if err := streamhttp.Serve(ctx, l, srv); err != nil {
			t.Fatal(err)
		}
		select {
		case <-l.closed:
		default:
			t.Fatal("the listener is still open")
		}
	}
}
