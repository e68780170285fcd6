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

// accepts lists values of Accept.
var accepts = []string{"application/json", "text/event-stream", "application/json, text/event-stream"}

// post calls the tool, and sends the error of reading the body, or nil.
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

// wantEnd checks that a request ends without an error within a minute.
func wantEnd(t *testing.T, what string, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(time.Minute):
		t.Errorf("%s: the request did not end before the tool returned", what)
	}
}

// TestSteeredBodyEnds: the response to a cancelled call, or to one whose session has ended, ends before the tool
// returns.
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
					tool.legacyClient.begin("2025-11-25") // the client can continue
					tool.release <- struct{}{}
				}
			}
		}
	})
}

// TestSteeredExits: a call whose tool exits its goroutine is answered in all revisions. An event stream may lack its
// last chunk.
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

// TestSteeredAbandoned: a session with a running call expires if its client has gone, and the cause of the call reports
// it.
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
				t.Fatalf("%s: the call was stopped while its client waited: %v", what, cause)
			default:
			}
			disconnect()
			<-ended
			select {
			case cause := <-tool.causes:
				if !errors.Is(cause, runtime.ErrDisconnected) {
					t.Errorf("%s: context.Cause = %v", what, cause)
				}
			case <-time.After(2 * time.Hour):
				t.Errorf("%s: the session did not expire", what)
				tool.legacyClient.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": tool.id})
			}
		}
	})
}

// TestSteeredShutdown: the shutdown of an HTTP server does not wait for a tool that ignores its context.
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

// TestSteeredConnectionEnds: while the tool runs, the connection of a call ends if the client does not read, or reads
// the stream on another connection.
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
				t.Errorf("an aborted response looks complete: %q", text)
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
