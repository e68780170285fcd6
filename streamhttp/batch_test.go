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

// batchServer is a server with sessions and with the transport of revision 2024-11-05, at /sse. The tool large returns
// share/8 bytes, and block returns when its call is cancelled.
func batchServer(t *testing.T) *memory {
	t.Helper()
	srv := fixtureServer(t, nil)
	addTool(t, srv, "large", func(context.Context) string { return strings.Repeat("x", share/8) })
	addTool(t, srv, "block", func(ctx context.Context) string { <-ctx.Done(); return "" })
	srv.Limits.MaxMessageBytes, srv.Limits.MaxMemoryBytes = share, 4*share
	mux := http.NewServeMux()
	mux.Handle("/sse", streamhttp.NewSSEHandler(srv))
	mux.Handle("/mcp", streamhttp.NewHandler(srv))
	return serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: r.Header.Get("Caller")})))
	}))
}

// batchSession begins a session of ann's that has batches, and returns the headers of its requests.
func (m *memory) batchSession(accept string) map[string]string {
	m.t.Helper()
	response := m.do(m.t.Context(), http.MethodPost, hello("2025-03-26"), map[string]string{"Caller": "ann"})
	bodyOf(m.t, response)
	return map[string]string{"Caller": "ann", "Mcp-Session-Id": response.header.Get("Mcp-Session-Id"), "Accept": accept}
}

// batchOf returns a batch with a call of each of the tools; their ids count from 1.
func batchOf(tools ...string) string {
	calls := make([]string, len(tools))
	for i, tool := range tools {
		calls[i] = request(strconv.Itoa(i+1), "tools/call", `"name":"`+tool+`"`)
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// times returns a slice that has tool n times.
func times(n int, tool string) []string { return strings.Fields(strings.Repeat(tool+" ", n)) }

// wantBatch checks that the answer to a batch has n responses, one for each id, of which so many are results and all others say
// that there was no memory for the result.
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
			t.Errorf("the error of %d is %d %s", a.ID, a.Error.Code, a.Error.Message)
		}
	}
	if len(answers) != n || len(seen) != n || results != 0 {
		t.Errorf("%d responses for %d ids, want %d; %d results too few", len(answers), len(seen), n, results)
	}
}

// TestLargeBatches: the results in the answer to a batch count against the share of its caller, each for itself: there are
// errors in the place of those for which there is no memory, and all of it is given back when the answer was written, or the
// client has disconnected.
func TestLargeBatches(t *testing.T) {
	t.Parallel()
	const calls, results = 32, 5 // each counts twice, and the last one is beyond the share
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
					t.Errorf("when the answers were read ann's messages have status %d", status)
				}
				conn := m.raw(rawPost(batch, header))
				readUntil(t, conn, "xxxx")
				synctest.Wait()
				if status := m.echoAs("ann", share/2); status != http.StatusServiceUnavailable {
					t.Errorf("while an answer is not read ann's messages have status %d", status)
				}
				if status := m.echoAs("bob", share); status != http.StatusOK {
					t.Errorf("meanwhile bob's messages have status %d", status)
				}
				// What is left of the share allows some results more, and however few there are, none of the calls goes without
				// an answer.
				text := bodyOf(t, m.do(t.Context(), http.MethodPost, batch, header))
				wantBatch(t, text, calls, strings.Count(text, `"result"`))
				if strings.Count(text, `"result"`) >= results {
					t.Error("the second batch has as many results as the first")
				}
				conn.Close()
				synctest.Wait()
				if status := m.echoAs("ann", share); status != http.StatusOK {
					t.Errorf("after ann has disconnected its messages have status %d", status)
				}
			})
		})
	}
}

// TestBatchesThatWait: the results of a batch count while others of its calls run, and no longer when these were cancelled,
// or the session has ended.
func TestBatchesThatWait(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tools   []string
		results int
		leaves  bool // the client disconnects first
		end     func(m *memory, header map[string]string)
	}{
		{"one cancelled", []string{"large", "large", "large", "block"}, 3, false, cancelBlocked(4)},
		{"all cancelled", []string{"block", "block"}, 0, false, cancelBlocked(1, 2)},
		{"the client has disconnected", []string{"large", "large", "large", "block"}, 3, true, cancelBlocked(4)},
		{"the session is deleted", []string{"large", "large", "large", "block"}, 3, true, func(m *memory, header map[string]string) {
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
					t.Errorf("while a call of the batch runs ann's messages have status %d", status)
				}
				if status := m.echoAs("bob", share); status != http.StatusOK {
					t.Errorf("meanwhile bob's messages have status %d", status)
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
					t.Errorf("in the end ann's messages have status %d", status)
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

// TestLargeBatchesOfSSE: as TestLargeBatches, where the POST is answered before the batch is.
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
		data := func() string { // of the next event
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
			t.Errorf("while an answer is not read ann's messages have status %d", status)
		}
		rest, err := lines.ReadString('\n')
		if refused := strings.Count(rest, "the answer cannot be sent: too much is in flight"); err != nil || refused != 32-5 {
			t.Errorf("%v, and %d errors in an answer of %d bytes", err, refused, len(rest))
		}
		post(request("9", "ping", ""))
		data() // which comes when the batch is written
		synctest.Wait()
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("when it was read ann's messages have status %d", status)
		}
		post(batchOf(append(times(32, "large"), "block")...))
		if status := m.echoAs("ann", share/2); status != http.StatusServiceUnavailable {
			t.Errorf("while a call of a batch runs ann's messages have status %d", status)
		}
		conn.Close()
		synctest.Wait()
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("after ann has disconnected its messages have status %d", status)
		}
	})
}
