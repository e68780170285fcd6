package streamhttp_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// usage is the number of goroutines and the heap size of the process.
type usage struct {
	goroutines int
	heap       int64 // bytes
}

// used measures the current usage. Tests that call it are not parallel, so nothing else runs.
func used() usage {
	synctest.Wait()
	goruntime.GC()
	goruntime.GC() // for what pools and finalizers kept during the first
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return usage{goruntime.NumGoroutine(), int64(stats.HeapAlloc)}
}

// wantBelow checks how much the usage has grown. The bounds are wide enough for the noise of the garbage collector, and
// below any leak.
func (before usage) wantBelow(t *testing.T, what string, goroutines int, heap int64) {
	t.Helper()
	now := used()
	t.Logf("%s: %+d goroutines, %+d KiB", what, now.goroutines-before.goroutines, (now.heap-before.heap)>>10)
	if more := now.goroutines - before.goroutines; more > goroutines {
		t.Errorf("%s: %d goroutines more", what, more)
	}
	if more := now.heap - before.heap; more > heap {
		t.Errorf("%s: %d KiB more", what, more>>10)
	}
}

// TestAbandonedSessions: 10,000 clients, 1,000 with -short, begin a session and send nothing more. The number of sessions is limited, each
// is small, and all expire.
//
//nolint:paralleltest // it measures the process
func TestAbandonedSessions(t *testing.T) {
	count := testscale.Short(10_000)
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, fixtureServer(t, nil), streamhttp.Sessions(10*count), streamhttp.SessionIdle(time.Minute))
		begin := func() int {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(hello("2025-11-25")))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		for _, round := range []string{"first", "second"} {
			before := used()
			for i := range count {
				if status := begin(); status != http.StatusOK {
					t.Fatalf("session %d: status %d", i, status)
				}
			}
			before.wantBelow(t, round+" crowd, open", 0, int64(count)<<14)
			for range 100 {
				if status := begin(); status != http.StatusOK { // in place of an earlier one
					t.Fatalf("session beyond the limit: status %d", status)
				}
			}
			before.wantBelow(t, round+" crowd, replaced", 0, int64(count)<<14)
			time.Sleep(2 * time.Minute)
			if round == "second" { // the runtime reuses what the first round left, such as goroutine descriptors
				before.wantBelow(t, "expired", 0, 8<<20)
			}
		}
		if status := begin(); status != http.StatusOK {
			t.Errorf("session after expiry: status %d, want 200", status)
		}
		time.Sleep(2 * time.Minute)
	})
}

// TestCrowd: 1,000 sessions with a stream and 1,000 subscriptions all receive a change notification, and leave no
// memory behind after they disconnect.
//
//nolint:paralleltest // it measures the process
func TestCrowd(t *testing.T) {
	const count = 1000
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, nil), streamhttp.SessionIdle(time.Minute), streamhttp.KeepAlive(0), streamhttp.Streams(20*count))
		server.begin("2025-11-25") // allocate what is allocated once
		server.client.CloseIdleConnections()
		time.Sleep(2 * time.Minute)
		before := used()

		ctx, leave := context.WithCancel(t.Context())
		streams := make([]*events, 0, 2*count)
		open := func(r *http.Request, first string) {
			response, err := server.client.Do(r) //nolint:bodyclose // ended by its context; do would keep it until the test ends
			if err != nil {
				t.Fatal(err)
			}
			stream := &events{lines: bufio.NewReader(response.Body)}
			stream.want(t, first)
			streams = append(streams, stream)
		}
		for range count {
			header := map[string]string{"Mcp-Session-Id": server.begin("2025-11-25").id}
			open(server.request(ctx, http.MethodGet, "", header), "") // the priming event
		}
		for i := range count {
			body := modern(strconv.Itoa(i), "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`)
			open(server.request(ctx, http.MethodPost, body, heading("subscriptions/listen", "")), "acknowledged")
		}
		for _, name := range []string{"first", "second"} {
			bodyOf(t, server.call(t.Context(), "learn", `{"add":["`+name+`"]}`))
			for _, stream := range streams {
				stream.want(t, "notifications/tools/list_changed")
			}
		}
		before.wantBelow(t, "open", 2*count*10, 2*count*(64<<10)) // for both ends of each connection
		leave()
		streams = nil
		synctest.Wait()
		server.client.CloseIdleConnections()
		time.Sleep(2 * time.Minute)
		before.wantBelow(t, "gone", 10, 32<<20) // net/http and the test keep buffers of connections
	})
}

// TestQueueOfTheGone: requests of disconnected clients do not queue in a busy session, and a connected client is
// served.
func TestQueueOfTheGone(t *testing.T) {
	t.Parallel()
	for _, sse := range []bool{false, true} {
		t.Run("SSE "+strconv.FormatBool(sse), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := fixtureServer(t, nil)
				srv.Limits.MaxConcurrentCalls, srv.Limits.MaxQueuedCalls = 1, 1
				h := newHandler(t, srv)
				if sse {
					h = newSSEHandler(t, srv)
				}
				var open atomic.Int32
				server := serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					open.Add(1)
					defer open.Add(-1)
					h.ServeHTTP(w, r)
				}))
				header := map[string]string{}
				if sse {
					client := server.connect(t.Context())
					server = server.at(client.endpoint)
					server.do(t.Context(), http.MethodPost, hello("2024-11-05"), nil)
				} else {
					header["Mcp-Session-Id"] = server.begin("2025-11-25").id
				}
				post := func(ctx context.Context, body string) {
					if response, err := server.client.Do(server.request(ctx, http.MethodPost, body, header)); err == nil {
						response.Body.Close()
					}
				}
				ctx, leave := context.WithCancel(t.Context())
				for i := range 200 {
					go post(ctx, request(strconv.Itoa(i+1), "tools/call", `"name":"sleep","arguments":{"ms":60000}`))
				}
				synctest.Wait()
				leave()
				synctest.Wait()
				if left := open.Load(); left > 50 {
					t.Errorf("%d requests are open, want at most 50", left)
				}
				began := time.Now()
				post(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				if waited := time.Since(began); waited > 0 {
					t.Errorf("a notification waited %v, want no wait", waited)
				}
				shutdown(h, 0)
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestBatchInAQueue: while some calls of a batch are queued, the client receives the messages of those that run.
func TestBatchInAQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		srv.Limits.MaxConcurrentCalls, srv.Limits.MaxQueuedCalls = 1, 1
		addTool(t, srv, "talk", func(ctx context.Context) string {
			for range 20 {
				mcptool.Logger(ctx).ErrorContext(ctx, strings.Repeat("x", 10<<10))
			}
			return "done"
		})
		client := serve(t, srv).begin("2025-03-26")
		answers := make(chan string, 1)
		go func() {
			call := func(id string) string { return request(id, "tools/call", `"name":"talk"`) }
			answers <- bodyOf(t, client.send(t.Context(), "["+call("1")+","+call("2")+","+call("3")+"]"))
		}()
		select {
		case answer := <-answers:
			if strings.Count(answer, `"text":"done"`) != 3 {
				t.Error("not all calls of the batch succeeded")
			}
		case <-time.After(time.Minute):
			t.Error("no response to the batch within a minute")
		}
		client.shutdown(0)
		synctest.Wait()
	})
}
