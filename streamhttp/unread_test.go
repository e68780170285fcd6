package streamhttp_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestUnreadAnswers: a caller that does not read its responses can hold its share plus one response. The excess does
// not reduce the shares of others, and everything is released when the caller disconnects.
func TestUnreadAnswers(t *testing.T) {
	t.Parallel()
	const size = share / 2
	for _, test := range []struct {
		name    string
		old     bool // use sessions
		streams bool // the response is a stream
	}{{"requests", false, false}, {"streams", false, true}, {"sessions", true, false}, {"streams of sessions", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := fixtureServer(t, nil)
				addTool(t, srv, "large", func(ctx context.Context) string {
					if test.streams {
						mcptool.Progress(ctx, 1, 2, "")
					}
					return strings.Repeat("x", size)
				})
				m := serveCallers(t, srv)
				const named = `"name":"large","_meta":{"progressToken":1}`
				call := func() string {
					if !test.old {
						header := heading("tools/call", "large", "Caller", "ann", "Accept", "application/json, text/event-stream")
						return rawPost(strings.Replace(modern("1", "tools/call", `,"name":"large"`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1), header)
					}
					hello := m.do(t.Context(), http.MethodPost, hello("2025-11-25"), map[string]string{"Caller": "ann"})
					bodyOf(t, hello)
					return rawPost(request("1", "tools/call", named), map[string]string{
						"Caller": "ann", "Mcp-Session-Id": hello.header.Get("Mcp-Session-Id"), "Accept": "application/json, text/event-stream",
					})
				}
				leave := make([]func() error, 16)
				for i := range leave { // eight times the share in total
					conn := m.raw(call())
					leave[i] = conn.Close
					if test.streams {
						readUntil(t, conn, "xxxx", "try again later") // the response has begun, but is not read to its end
					}
					synctest.Wait()
				}
				response, err := m.client.Do(m.request(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"large"`), heading("tools/call", "large", "Caller", "ann")))
				if err != nil {
					t.Fatal(err)
				}
				text := make([]byte, 200)
				n, _ := response.Body.Read(text)
				response.Body.Close()
				if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "1" ||
					!strings.Contains(string(text[:n]), `"id":1,"error":{"code":-32603,"message":"the answer cannot be sent: too much is in flight from this caller`) {
					t.Errorf("response beyond the share: status %d: %s", response.StatusCode, text[:n])
				}
				if status := m.echoAs("ann", 0); status != http.StatusOK {
					t.Errorf("short response: ann gets status %d, want 200", status)
				}
				if status := m.echoAs("ann", 8<<10); status != http.StatusServiceUnavailable {
					t.Errorf("message beyond the share: ann gets status %d, want 503", status)
				}
				for _, other := range []string{"bob", "cat", "dan"} {
					if status := m.echoAs(other, share); status != http.StatusOK {
						t.Errorf("%s gets status %d, want 200", other, status)
					}
				}
				for _, close := range leave {
					close()
				}
				synctest.Wait()
				if test.old {
					return // sessions keep unread responses, see TestReplayIsShared
				}
				if status := m.echoAs("ann", share); status != http.StatusOK {
					t.Errorf("after ann disconnected: status %d, want 200", status)
				}
			})
		})
	}
}

// TestNotificationsWithoutMemory: when messages of other callers use up the memory, a client still gets its
// notifications, and its session continues.
func TestNotificationsWithoutMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		m := serveCallers(t, srv)
		response := m.do(t.Context(), http.MethodPost, hello("2025-11-25"), map[string]string{"Caller": "ann"})
		bodyOf(t, response)
		header := map[string]string{"Caller": "ann", "Mcp-Session-Id": response.header.Get("Mcp-Session-Id")}
		bodyOf(t, m.do(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, header))
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		stream, err := m.client.Do(m.request(ctx, http.MethodGet, "", header)) //nolint:bodyclose // closed below
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		var events []byte
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			events, _ = io.ReadAll(stream.Body) // until ann disconnects
		}()
		for _, other := range []string{"bob", "cat", "dan", "eve"} {
			for _, size := range []int{share, 8 << 10} { // the first 4 KiB of each do not count
				defer m.unfinished(other, size).Close()
			}
		}
		for i := range 50 { // more than the 4 KiB that do not count
			addTool(t, srv, "new"+strconv.Itoa(i), func(context.Context) string { return "" })
			time.Sleep(time.Second)
		}
		leave()
		<-ended
		if n := strings.Count(string(events), "tools/list_changed"); n != 50 {
			t.Errorf("got %d notifications", n)
		}
		pong := m.do(t.Context(), http.MethodPost, request("1", "ping", ""), header)
		if bodyOf(t, pong); pong.status != http.StatusOK {
			t.Errorf("ping: status %d", pong.status)
		}
	})
}
