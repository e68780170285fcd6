package streamhttp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// readUntil reads byte by byte until one of the texts occurs, and returns everything read.
func readUntil(t *testing.T, r io.Reader, texts ...string) string {
	t.Helper()
	var read []byte
	for !slices.ContainsFunc(texts, func(text string) bool { return strings.HasSuffix(string(read), text) }) {
		read = append(read, 0)
		if _, err := io.ReadFull(r, read[len(read)-1:]); err != nil {
			t.Fatalf("%v after %s", err, read)
		}
	}
	return string(read)
}

// TestUnreadAnswersOfSSE is TestUnreadAnswers for revision 2024-11-05, with one stream per session.
func TestUnreadAnswersOfSSE(t *testing.T) {
	t.Parallel()
	const size = share / 2
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		calls := 0
		addTool(t, srv, "large", func(context.Context) string { calls++; return strings.Repeat("x", size) })
		srv.Limits.MaxMessageBytes, srv.Limits.MaxMemoryBytes = share, 4*share
		mux := http.NewServeMux()
		mux.Handle("/sse", newSSEHandler(t, srv))
		mux.Handle("/mcp", newHandler(t, srv))
		m := serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mux.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: r.Header.Get("Caller")})))
		}))
		// open begins a session whose client reads only the first event.
		open := func(caller string) (post func(body string), stream io.ReadCloser) {
			conn := m.raw("GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nCaller: " + caller + "\r\n\r\n")
			lines := bufio.NewReaderSize(conn, 16)
			endpoint := ""
			for !strings.HasPrefix(endpoint, "data: ") {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				endpoint = strings.TrimSpace(line)
			}
			post = func(body string) {
				if status := m.at(strings.TrimPrefix(endpoint, "data: ")).do(t.Context(), http.MethodPost, body, map[string]string{"Caller": caller}).status; status != http.StatusAccepted {
					t.Errorf("status %d", status)
				}
				synctest.Wait()
			}
			post(hello("2024-11-05"))
			return post, struct {
				io.Reader
				io.Closer
			}{lines, conn}
		}
		leave := make([]io.Closer, 16)
		for i := range leave { // eight times the share in total
			post, stream := open("ann")
			post(request("1", "tools/call", `"name":"large"`))
			readUntil(t, stream, "xxxx", "try again later")
			post(request("2", "ping", "")) // waits until the response is written
			leave[i] = stream
		}
		if calls != len(leave) {
			t.Errorf("%d calls, want %d", calls, len(leave))
		}
		post, stream := open("ann")
		post(request("7", "tools/call", `"name":"large"`))
		if got := readUntil(t, stream, "xxxx", "try again later"); !strings.Contains(got, `"id":7,"error":{"code":-32603,"message":"the answer cannot be sent: too much is in flight from this caller`) {
			t.Errorf("response beyond the share: %s", got)
		}
		if status := m.echoAs("ann", 8<<10); status != http.StatusServiceUnavailable {
			t.Errorf("message beyond the share: ann gets status %d, want 503", status)
		}
		for _, other := range []string{"bob", "cat", "dan"} {
			if status := m.echoAs(other, share); status != http.StatusOK {
				t.Errorf("%s gets status %d, want 200", other, status)
			}
		}
		stream.Close()
		for _, stream := range leave {
			stream.Close()
		}
		synctest.Wait()
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("after ann disconnected: status %d, want 200", status)
		}
	})
}
