package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// steered is a tool whose calls do what their arguments specify, and a client of it in a session of revision
// 2025-11-25.
type steered struct {
	legacyClient
	release chan struct{} // a waiting call returns when it receives
	causes  chan error    // receives the cause of each call that heeds its context
}

type steeredIn struct {
	Do string `json:"do,omitempty" doc:"what the call does beyond returning"`
}

func (q *steered) run(ctx context.Context, in steeredIn) (mcptool.Text, error) {
	switch in.Do {
	case "wait": // ignores the context
		<-q.release
	case "heed": // the context
		<-ctx.Done()
		q.causes <- context.Cause(ctx)
		return mcptool.Text{}, ctx.Err()
	case "report and heed":
		mcptool.Progress(ctx, 1, 0, "")
		<-ctx.Done()
		q.causes <- context.Cause(ctx)
		return mcptool.Text{}, ctx.Err()
	case "report":
		mcptool.Progress(ctx, 1, 0, "")
		<-q.release
		mcptool.Progress(ctx, 2, 0, "")
	case "report late":
		<-q.release
		mcptool.Progress(ctx, 1, 0, "")
	case "ask":
		if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
			return mcptool.Text{}, err
		}
	case "exit":
		goruntime.Goexit()
	case "report and exit":
		mcptool.Progress(ctx, 1, 0, "")
		goruntime.Goexit()
	case "panic":
		panic("broken")
	}
	return mcptool.Text{Text: "done"}, nil
}

func newSteered(t *testing.T, options ...streamhttp.Option) *steered {
	t.Helper()
	q := &steered{release: make(chan struct{}), causes: make(chan error, 1)}
	tool, err := mcptool.New(q.run, mcptool.Name("steered"))
	if err != nil {
		t.Fatal(err)
	}
	tools := new(mcptool.Registry)
	if err := tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	server := serve(t, &runtime.Server{Tools: tools}, options...)
	able := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
	q.legacyClient = legacyClient{server, server.do(t.Context(), http.MethodPost, able, nil).header.Get("Mcp-Session-Id")}
	q.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return q
}

// do calls the tool and waits for the response.
func (q *steered) do(ctx context.Context, id, what string) answer {
	return q.send(ctx, request(`"`+id+`"`, "tools/call", `"_meta":{"progressToken":"p"},"name":"steered","arguments":{"do":"`+what+`"}`))
}

// begin calls the tool in a goroutine, which sends the body of the response.
func (q *steered) begin(t *testing.T, id, what string) <-chan string {
	t.Helper()
	body := make(chan string, 1)
	go func() { body <- bodyOf(t, q.do(t.Context(), id, what)) }()
	synctest.Wait()
	return body
}

// TestSteeredSends: messages of a call reach the client at once, before the response.
func TestSteeredSends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		stream := eventsOf(tool.do(t.Context(), "a", "report"))
		stream.want(t, "")
		stream.want(t, `"progress":1`)
		tool.release <- struct{}{}
		stream.want(t, `"progress":2`)
		stream.want(t, `done`)
		stream.wantEnd(t)

		stream = eventsOf(tool.do(t.Context(), "b", "ask"))
		stream.want(t, "")
		question := stream.want(t, "elicitation/create").data
		_, rest, _ := strings.Cut(question, `"id":`)
		id, _, _ := strings.Cut(rest, ",")
		tool.send(t.Context(), `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"confirm":true}}}`)
		stream.want(t, `"id":"b","result":{"content":[{"type":"text","text":"done"`)
		stream.wantEnd(t)
	})
}

// TestSteeredEndsEarly: after cancelling a call or ending the session, the client does not wait for a tool that ignores
// it.
func TestSteeredEndsEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		cancelled := make(chan answer, 1)
		go func() { cancelled <- tool.do(t.Context(), "a", "wait") }()
		synctest.Wait()
		tool.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		response := <-cancelled
		if response.status != http.StatusOK || response.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("cancelled call: status %d, header %v", response.status, response.header)
		}
		tool.release <- struct{}{}
		eventsOf(response).wantEnd(t)

		waiting := tool.begin(t, "b", "wait")
		reporting := eventsOf(tool.do(t.Context(), "c", "report"))
		reporting.want(t, "")
		reporting.want(t, `"progress":1`)
		tool.legacyClient.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": tool.id})
		const reason = "the client has ended the session"
		if body := <-waiting; !strings.Contains(body, reason) {
			t.Errorf("got %s, want %s", body, reason)
		}
		reporting.want(t, reason)
		tool.release <- struct{}{}
		tool.release <- struct{}{}
		reporting.wantEnd(t)
	})
}

// TestSteeredWait: waiting calls do not delay other requests.
func TestSteeredWait(t *testing.T) {
	t.Parallel()
	const calls = 50
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		var answers []<-chan string
		for i := range calls {
			answers = append(answers, tool.begin(t, fmt.Sprint(i), "wait"))
		}
		if body := bodyOf(t, tool.send(t.Context(), request("1", "ping", ""))); body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("ping during waiting calls: %s", body)
		}
		time.Sleep(time.Second)
		if body := bodyOf(t, tool.do(t.Context(), "other", "")); !strings.Contains(body, "done") {
			t.Errorf("call during waiting calls: %s", body)
		}
		for range calls {
			tool.release <- struct{}{}
		}
		for i, answer := range answers {
			if body := <-answer; !strings.Contains(body, fmt.Sprintf(`"id":"%d"`, i)) || !strings.Contains(body, "done") {
				t.Errorf("call %d: %s", i, body)
			}
		}
	})
}

// TestSteeredFails: a call whose tool exits its goroutine or panics is answered, and the client can continue, also on
// the same connection.
func TestSteeredFails(t *testing.T) {
	t.Parallel()
	const failed = "failed with an internal error"
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		for what, want := range map[string]string{"exit": failed, "panic": failed, "": "done"} {
			if body := bodyOf(t, tool.do(t.Context(), "a", what)); !strings.Contains(body, want) {
				t.Errorf("%s: %s", what, body)
			}
			if body := bodyOf(t, tool.call(t.Context(), "steered", `{"do":"`+what+`"}`)); !strings.Contains(body, want) {
				t.Errorf("%s in revision 2026-07-28: %s", what, body)
			}
		}
	})
}

// TestSteeredDisconnected: a client that disconnects before the call has sent a message does not cancel the call, and
// nothing is kept for the client.
func TestSteeredDisconnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		ctx, disconnect := context.WithCancel(t.Context())
		r := tool.request(ctx, http.MethodPost, request("1", "tools/call", `"_meta":{"progressToken":"p"},"name":"steered","arguments":{"do":"report late"}`),
			map[string]string{"Mcp-Session-Id": tool.id})
		ended := make(chan error, 1)
		go func() {
			response, err := tool.client.Do(r)
			if err == nil {
				response.Body.Close()
			}
			ended <- err
		}()
		synctest.Wait()
		disconnect()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the request ended with %v", err)
		}
		synctest.Wait()
		tool.release <- struct{}{} // the tool is still waiting
		synctest.Wait()
		if response := tool.listen(t.Context(), "1-0"); response.status != http.StatusBadRequest {
			t.Errorf("stream of the disconnected client: status %d", response.status)
		}
	})
}

// abortingWriter panics at the first event with progress, which aborts the response.
type abortingWriter struct{ *httptest.ResponseRecorder }

func (w abortingWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "progress") {
		panic(http.ErrAbortHandler)
	}
	return w.ResponseRecorder.Write(p)
}

// TestSteeredAborted: a panic with http.ErrAbortHandler ends only the request.
func TestSteeredAborted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newSteered(t)
		r := tool.request(t.Context(), http.MethodPost, request("1", "tools/call", `"_meta":{"progressToken":"p"},"name":"steered","arguments":{"do":"report"}`),
			map[string]string{"Mcp-Session-Id": tool.id})
		r.RemoteAddr = "127.0.0.1:1"
		aborted := make(chan error)
		go func() {
			defer func() {
				err, _ := recover().(error)
				aborted <- err
			}()
			tool.server.Handler.ServeHTTP(abortingWriter{httptest.NewRecorder()}, r)
		}()
		tool.release <- struct{}{}
		if err := <-aborted; !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("the handler panicked with %v", err)
		}
	})
}
