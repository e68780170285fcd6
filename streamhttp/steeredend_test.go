package streamhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// accepts are the forms of answers that clients accept.
var accepts = []string{"application/json", "text/event-stream", "application/json, text/event-stream"}

// post calls the tool, and returns the body of the answer, and the error of reading it.
func (q *steered) post(ctx context.Context, what, accept string) <-chan error {
	ended := make(chan error, 1)
	r := q.request(ctx, http.MethodPost, request(`"a"`, "tools/call", `"_meta":{"progressToken":"p"},"name":"steered","arguments":{"do":"`+what+`"}`),
		map[string]string{"Mcp-Session-Id": q.id, "Accept": accept})
	go func() {
		response, err := q.client.Do(r)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		ended <- err
	}()
	synctest.Wait()
	return ended
}

// wantEnd reports it if a request does not end without an error within a minute.
func wantEnd(t *testing.T, what string, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(time.Minute):
		t.Errorf("%s: the request does not end before the tool returns", what)
	}
}

// TestSteeredBodyEnds: the response to a call that the client has cancelled, or whose session has ended, ends before the
// tool returns.
func TestSteeredBodyEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, accept := range accepts {
			for _, what := range []string{"wait", "report"} {
				for _, end := range []string{"cancel", "delete"} {
					tool := newSteered(t)
					ended := tool.post(t.Context(), what, accept)
					if end == "cancel" {
						tool.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
					} else {
						tool.legacyClient.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": tool.id})
					}
					wantEnd(t, what+", "+end+", "+accept, ended)
					tool.legacyClient.begin("2025-11-25") // the client can go on
					tool.release <- struct{}{}
				}
			}
		}
	})
}

// TestSteeredExits: a call whose tool has ended the goroutine is answered in all revisions. An event stream may lack its last
// chunk then.
func TestSteeredExits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, accept := range accepts {
			for _, what := range []string{"exit", "report and exit"} {
				tool := newSteered(t)
				wantEnd(t, what+", "+accept, tool.post(t.Context(), what, accept))
				params := `,"name":"steered","arguments":{"do":"` + what + `"}`
				body := strings.Replace(modern("1", "tools/call", params), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
				answer := tool.legacyClient.do(t.Context(), http.MethodPost, body, heading("tools/call", "steered", "Accept", accept))
				isStream := answer.header.Get("Content-Type") == "text/event-stream"
				if text, err := io.ReadAll(answer.body); err != nil && !isStream || !strings.Contains(string(text), "failed with an internal error") {
					t.Errorf("%s, %s, revision 2026-07-28: %v after %s", what, accept, err, text)
				}
			}
		}
	})
}

// TestSteeredAbandoned: a session expires whose client has gone, although a call of it runs, and the call can tell why.
func TestSteeredAbandoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, what := range []string{"heed", "report and heed"} {
			tool := newSteered(t, streamhttp.SessionIdle(time.Hour))
			ctx, disconnect := context.WithCancel(t.Context())
			ended := tool.post(ctx, what, accepts[2])
			time.Sleep(2 * time.Hour)
			select {
			case cause := <-tool.causes:
				t.Fatalf("%s: the call is stopped while its client waits: %v", what, cause)
			default:
			}
			disconnect()
			<-ended
			select {
			case cause := <-tool.causes:
				if !errors.Is(cause, runtime.ErrDisconnected) {
					t.Errorf("%s: the cause is %v", what, cause)
				}
			case <-time.After(2 * time.Hour):
				t.Errorf("%s: the session does not expire", what)
				tool.legacyClient.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": tool.id})
			}
		}
	})
}

// TestSteeredShutdown: the shutdown of an HTTP server does not wait for a tool that ignores that its time is over.
func TestSteeredShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		ended := tool.post(t.Context(), "wait", accepts[2])
		grace, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := tool.handler.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		limit, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := tool.server.Shutdown(limit); err != nil {
			t.Error(err)
		}
		wantEnd(t, "a call during the shutdown", ended)
		tool.release <- struct{}{}
	})
}

// TestSteeredConnectionEnds: the connection of a call ends when its client reads nothing, or reads the stream on another
// connection, although the tool runs.
func TestSteeredConnectionEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		conn := tool.raw(rawPost(request(`"a"`, "tools/call", `"_meta":{"progressToken":"p"},"name":"steered","arguments":{"do":"report"}`),
			map[string]string{"Mcp-Session-Id": tool.id}))
		time.Sleep(time.Minute) // without reading
		ended := make(chan error, 1)
		go func() {
			text, err := io.ReadAll(conn)
			if strings.HasSuffix(string(text), "0\r\n\r\n") {
				t.Errorf("a response that was cut off looks complete: %q", text)
			}
			ended <- err
		}()
		wantEnd(t, "a client that reads nothing", ended)
		tool.release <- struct{}{}

		first := eventsOf(tool.do(t.Context(), "b", "report"))
		begin := first.want(t, "")
		first.want(t, `"progress":1`)
		second := eventsOf(tool.listen(t.Context(), begin.id))
		second.want(t, "")
		second.want(t, `"progress":1`)
		first.wantEnd(t)
		tool.release <- struct{}{}
		second.want(t, `"progress":2`)
		second.want(t, "done")
		second.wantEnd(t)
	})
}
