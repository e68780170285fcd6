package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serveCalls serves newServer with tools/call handled by call. It returns the URL and a function that counts the
// connections used for tools/call.
func serveCalls(t *testing.T, call http.HandlerFunc) (url string, connections func() int) {
	t.Helper()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	h, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "tools/call" {
			h.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		seen[r.RemoteAddr] = true
		mu.Unlock()
		call(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(seen)
	}
}

// answerTo returns a response to the request in body.
func answerTo(body io.Reader) string {
	var request struct{ ID int64 }
	if err := json.NewDecoder(body).Decode(&request); err != nil {
		return err.Error()
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[],"resultType":"complete"}}`, request.ID)
}

// Many concurrent calls share connections, however responses are sent, if the server allows it.
func TestPreparedConnections(t *testing.T) {
	answer := func(kind, before, after string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, before+answerTo(r.Body)+after)
		}
	}
	const calls = 40
	for _, test := range []struct {
		name string
		call http.HandlerFunc
		each bool // one connection for each call
	}{
		{"JSON", answer("application/json", "", ""), false},
		{"JSON in chunks", answer("application/json; charset=utf-8", strings.Repeat(" ", 100_000), "\n"), false},
		{"a stream", answer("text/event-stream", "event: message\ndata: ", "\n\n"), false},
		{"a stream that goes on", answer("text/event-stream", "data: ", "\n\n"+strings.Repeat(": more\n\n", 10)), false},
		{"a stream that goes on for long", answer("text/event-stream", "data: ", "\n\n"+strings.Repeat(": more\n\n", 50_000)), true},
		{"a stream without an end", func(w http.ResponseWriter, r *http.Request) {
			answer("text/event-stream", "data: ", "\n\n")(w, r)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, true},
		{"one call only", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			answer("application/json", "", "")(w, r)
		}, true},
		{"hints first", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusProcessing)
			answer("application/json", "", "")(w, r)
		}, false},
		{"an error with a status", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, answerTo(r.Body))
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, connections := serveCalls(t, test.call)
			c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern})
			call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
			if err != nil {
				t.Fatal(err)
			}
			for id := range int64(calls) {
				answer, err := c.RoundTrip(t.Context(), call, id)
				if err != nil || !strings.Contains(string(answer), fmt.Sprintf(`"id":%d,`, id)) {
					t.Fatalf("call %d: %s, error %v", id, answer, err)
				}
			}
			// On a stalled machine, a reusable connection may be dropped, and a port number may be reused.
			if got := connections(); test.each && got < calls/2 || !test.each && got == calls {
				t.Errorf("%d connections for %d calls", got, calls)
			}
		})
	}
}

// Prepared calls have the same headers as others.
func TestPreparedHeaders(t *testing.T) {
	for _, era := range []client.Era{client.Modern, client.Legacy} {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var seen []http.Header
			url := serveHTTP(t, func(r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				h := r.Header.Clone()
				h.Set("Host", r.Host)
				h.Set("Target", r.RequestURI)
				h.Del("User-Agent")
				h.Del("Accept-Encoding")
				h.Del("Content-Length") // the ids differ in length
				seen = append(seen, h)
			})
			own := http.Header{"X-Own": {"1", "2"}, "Host": {"localhost:1"}, "Mcp-Method": {"mine"}}
			c := dial(t, client.Target{URL: url + "/a%20b?c=%2F", Header: own}, client.Options{Era: era})
			if _, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":42,"b":1}`)); err != nil {
				t.Fatal(err)
			}
			call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":42,"b":1}`))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.RoundTrip(t.Context(), call, 1); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if n := len(seen); fmt.Sprint(seen[n-1]) != fmt.Sprint(seen[n-2]) {
				t.Errorf("the headers are\n%v, not\n%v", seen[n-1], seen[n-2])
			}
		})
	}
}

// A password in the URL is also sent with prepared calls.
func TestPreparedPassword(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	unauthenticated := 0
	url := serveHTTP(t, func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if name, password, _ := r.BasicAuth(); name != "me" || password != "secret" {
			unauthenticated++
		}
	})
	c := dial(t, client.Target{URL: strings.Replace(url, "http://", "http://me:secret@", 1)}, client.Options{})
	call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RoundTrip(t.Context(), call, 1); err != nil || unauthenticated > 0 {
		t.Errorf("%d requests without a password, error %v", unauthenticated, err)
	}
}

// A call that gets no response ends with a descriptive error and does not affect others.
func TestPreparedErrors(t *testing.T) {
	waits := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		timeout time.Duration
		want    []string
	}{
		{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, patient, []string{"without an answer"}},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.9\r\n")
				_ = conn.Close()
			}
		}, patient, []string{"it is not an HTTP server"}},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"jsonrpc"`)
		}, patient, []string{"connection broke"}},
		{"another's answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answerTo(strings.NewReader(`{"id":7}`)))
		}, patient, []string{"not a JSON-RPC response"}},
		{"refused unread", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) }, patient, []string{"413"}},
		{"an endless head", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Endless", strings.Repeat("x", 11<<20))
		}, patient, []string{"headers exceeded"}},
		{"silent", waits, 100 * time.Millisecond, []string{"has not answered", "within 100ms"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, _ := serveCalls(t, test.handler)
			c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern})
			call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
			if err != nil {
				t.Fatal(err)
			}
			c.SetTimeout(test.timeout)
			for id := range int64(2) {
				_, err := c.RoundTrip(t.Context(), call, id)
				isOneLine(t, err, test.want...)
				if lost := (*client.UnreachableError)(nil); !errors.As(err, &lost) {
					t.Errorf("%v is no *UnreachableError", err)
				}
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		arrived := make(chan struct{})
		url, _ := serveCalls(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			arrived <- struct{}{}
			<-r.Context().Done() // done when the connection is closed
			arrived <- struct{}{}
		})
		c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern})
		call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := c.RoundTrip(ctx, call, 1)
			done <- err
		}()
		<-arrived
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		<-arrived
	})
	t.Run("closed", func(t *testing.T) {
		t.Parallel()
		arrived := make(chan struct{})
		url, _ := serveCalls(t, func(w http.ResponseWriter, r *http.Request) {
			close(arrived)
			waits(w, r)
		})
		c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern})
		call, err := c.Prepare(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := c.RoundTrip(t.Context(), call, 1)
			done <- err
		}()
		<-arrived
		_ = c.Close()
		isOneLine(t, <-done, "the connection was closed")
	})
}
