package streamhttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// batchServer returns a server with sessions and, at /sse, the transport of revision 2024-11-05. The tool large returns
// share/8 bytes, and block returns when its call is cancelled.
func batchServer(t *testing.T) *memory {
	t.Helper()
	srv := fixtureServer(t, nil)
	addTool(t, srv, "large", func(context.Context) string { return strings.Repeat("x", share/8) })
	addTool(t, srv, "block", func(ctx context.Context) string { <-ctx.Done(); return "" })
	srv.Limits.MaxMessageBytes, srv.Limits.MaxMemoryBytes = share, 4*share
	mux := http.NewServeMux()
	mux.Handle("/sse", newSSEHandler(t, srv))
	mux.Handle("/mcp", newHandler(t, srv))
	return serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: r.Header.Get("Caller")})))
	}))
}

// batchSession begins a session of ann in a revision with batches, and returns the headers for its requests.
func (m *memory) batchSession(accept string) map[string]string {
	m.t.Helper()
	response := m.do(m.t.Context(), http.MethodPost, hello("2025-03-26"), map[string]string{"Caller": "ann"})
	bodyOf(m.t, response)
	return map[string]string{"Caller": "ann", "Mcp-Session-Id": response.header.Get("Mcp-Session-Id"), "Accept": accept}
}

// batchOf returns a batch of calls to the tools, with ids from 1.
func batchOf(tools ...string) string {
	calls := make([]string, len(tools))
	for i, tool := range tools {
		calls[i] = request(strconv.Itoa(i+1), "tools/call", `"name":"`+tool+`"`)
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// times returns a slice of n copies of tool.
func times(n int, tool string) []string { return strings.Fields(strings.Repeat(tool+" ", n)) }

// wantBatch checks that text has n responses with distinct ids, of which results are results, and that the others
// report that the caller is over its memory share.
func wantBatch(t *testing.T, text string, n, results int) {
	t.Helper()
	_, array, _ := strings.Cut(text, "[")
	var answers []struct {
		ID     int
		Result json.RawMessage
		Error  struct {
			Code    int
			Message string
		}
	}
	if err := json.NewDecoder(strings.NewReader("[" + array)).Decode(&answers); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	seen := map[int]bool{}
	for _, a := range answers {
		seen[a.ID] = true
		switch {
		case a.Result != nil:
			results--
		case a.Error.Code != -32603 || !strings.HasPrefix(a.Error.Message, "the answer cannot be sent: too much is in flight from this caller"):
			t.Errorf("response %d: error %d %s", a.ID, a.Error.Code, a.Error.Message)
		}
	}
	if len(answers) != n || len(seen) != n || results != 0 {
		t.Errorf("%d responses with %d ids, want %d; %d results missing", len(answers), len(seen), n, results)
	}
}

// TestLargeBatches: each result of a batch counts against its caller's memory share. Results beyond the share become
// errors, and the memory is released once the response is written or the client disconnects.
func TestLargeBatches(t *testing.T) {
	t.Parallel()
	const calls, results = 32, 5 // each counts twice; the fifth exceeds the share
	for _, accept := range []string{"application/json", "text/event-stream", "application/json, text/event-stream"} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := batchServer(t)
				header := m.batchSession(accept)
				batch := batchOf(times(calls, "large")...)
				for range 3 {
					wantBatch(t, bodyOf(t, m.do(t.Context(), http.MethodPost, batch, header)), calls, results)
					synctest.Wait()
				}
				if status := m.echoAs("ann", share); status != http.StatusOK {
					t.Errorf("after the responses were read: ann gets status %d, want 200", status)
				}
				conn := m.raw(rawPost(batch, header))
				readUntil(t, conn, "xxxx")
				synctest.Wait()
				if status := m.echoAs("ann", share/2); status != http.StatusServiceUnavailable {
					t.Errorf("during an unread response: ann gets status %d, want 503", status)
				}
				if status := m.echoAs("bob", share); status != http.StatusOK {
					t.Errorf("during an unread response: bob gets status %d, want 200", status)
				}
				// The rest of the share allows fewer results, but each call is still answered.
				text := bodyOf(t, m.do(t.Context(), http.MethodPost, batch, header))
				wantBatch(t, text, calls, strings.Count(text, `"result"`))
				if strings.Count(text, `"result"`) >= results {
					t.Error("the second batch has as many results as the first, want fewer")
				}
				conn.Close()
				synctest.Wait()
				if status := m.echoAs("ann", share); status != http.StatusOK {
					t.Errorf("after ann disconnected: status %d, want 200", status)
				}
			})
		})
	}
}

// TestBatchesThatWait: finished results of a batch count while other calls of the batch run, until these are cancelled
// or the session ends.
func TestBatchesThatWait(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tools   []string
		results int
		leaves  bool // the client disconnects first
		end     func(m *memory, header map[string]string)
	}{
		{"one call cancelled", []string{"large", "large", "large", "block"}, 3, false, cancelBlocked(4)},
		{"all calls cancelled", []string{"block", "block"}, 0, false, cancelBlocked(1, 2)},
		{"disconnected client", []string{"large", "large", "large", "block"}, 3, true, cancelBlocked(4)},
		{"deleted session", []string{"large", "large", "large", "block"}, 3, true, func(m *memory, header map[string]string) {
			m.do(m.t.Context(), http.MethodDelete, "", header)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := batchServer(t)
				header := m.batchSession("application/json, text/event-stream")
				conn := m.raw(rawPost(batchOf(test.tools...), header))
				synctest.Wait()
				if test.leaves {
					conn.Close()
					synctest.Wait()
				}
				if status := m.echoAs("ann", share/2); (status == http.StatusServiceUnavailable) != (test.results > 0) {
					t.Errorf("while a call of the batch runs: ann gets status %d", status)
				}
				if status := m.echoAs("bob", share); status != http.StatusOK {
					t.Errorf("while a call of the batch runs: bob gets status %d", status)
				}
				test.end(m, header)
				if test.results > 0 && !test.leaves {
					response, err := http.ReadResponse(bufio.NewReader(conn), nil)
					if err != nil {
						t.Fatal(err)
					}
					text, err := io.ReadAll(response.Body)
					if err != nil || response.Body.Close() != nil {
						t.Fatal(err)
					}
					wantBatch(t, string(text), test.results, test.results)
				}
				synctest.Wait()
				if status := m.echoAs("ann", share); status != http.StatusOK {
					t.Errorf("after the batch: ann gets status %d", status)
				}
				conn.Close()
			})
		})
	}
}

// cancelBlocked cancels the calls with these ids.
func cancelBlocked(ids ...int) func(m *memory, header map[string]string) {
	return func(m *memory, header map[string]string) {
		for _, id := range ids {
			m.do(m.t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+strconv.Itoa(id)+`}}`, header)
		}
	}
}

// TestLargeBatchesOfSSE is TestLargeBatches for HTTP with SSE, which answers the POST before the batch completes.
func TestLargeBatchesOfSSE(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := batchServer(t)
		conn := m.raw("GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nCaller: ann\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		lines := bufio.NewReaderSize(response.Body, 16)
		data := func() string { // returns the data of the next event
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
					return data
				}
			}
		}
		at := m.at(data())
		post := func(body string) {
			t.Helper()
			if status := at.do(t.Context(), http.MethodPost, body, map[string]string{"Caller": "ann"}).status; status != http.StatusAccepted {
				t.Errorf("status %d", status)
			}
			synctest.Wait()
		}
		post(hello("2025-03-26"))
		data()
		post(batchOf(times(32, "large")...))
		readUntil(t, lines, "xxxx")
		if status := m.echoAs("ann", share/2); status != http.StatusServiceUnavailable {
			t.Errorf("during an unread response: ann gets status %d, want 503", status)
		}
		rest, err := lines.ReadString('\n')
		if refused := strings.Count(rest, "the answer cannot be sent: too much is in flight"); err != nil || refused != 32-5 {
			t.Errorf("%v, %d errors in a response of %d bytes; want %d errors", err, refused, len(rest), 32-5)
		}
		post(request("9", "ping", ""))
		data() // arrives after the batch
		synctest.Wait()
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("after the response was read: ann gets status %d, want 200", status)
		}
		post(batchOf(append(times(32, "large"), "block")...))
		if status := m.echoAs("ann", share/2); status != http.StatusServiceUnavailable {
			t.Errorf("while a call of a batch runs: ann gets status %d, want 503", status)
		}
		conn.Close()
		synctest.Wait()
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("after ann disconnected: status %d, want 200", status)
		}
	})
}
