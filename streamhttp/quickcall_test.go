package streamhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// quickTool is a tool whose calls are quick as a rule, and a client of it.
type quickTool struct {
	legacyClient
	release chan struct{} // the calls that wait return when they have received from it
	causes  chan error    // gets why the calls that heed it were stopped
}

type quickIn struct {
	Do string `json:"do,omitempty" doc:"what the call does beyond returning"`
}

// run says which goroutine runs it, after it has done what it is to do.
func (q *quickTool) run(ctx context.Context, in quickIn) (mcptool.Text, error) {
	switch in.Do {
	case "wait": // and ignore that the call ends
		<-q.release
	case "heed": // that the call ends
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
	case "slow":
		time.Sleep(time.Second)
	}
	if strings.Contains(string(debug.Stack()), "streamhttp.(*handler).ServeHTTP") {
		return mcptool.Text{Text: "in the goroutine of the request"}, nil
	}
	return mcptool.Text{Text: "in another goroutine"}, nil
}

// quickSetup is what a quickTool is served with.
type quickSetup struct {
	handler []streamhttp.Option
	tool    []mcptool.Option
	audit   *slog.Logger
}

// newQuickTool returns a tool that is expected to be quick.
func newQuickTool(t *testing.T, setup quickSetup) *quickTool {
	t.Helper()
	q := &quickTool{release: make(chan struct{}), causes: make(chan error, 1)}
	tool, err := mcptool.New(q.run, append(setup.tool, mcptool.Name("quick"))...)
	if err != nil {
		t.Fatal(err)
	}
	tools := new(mcptool.Registry)
	if err := tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	server := serve(t, &runtime.Server{Tools: tools, Audit: setup.audit}, setup.handler...)
	able := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
	q.legacyClient = legacyClient{server, server.do(t.Context(), http.MethodPost, able, nil).header.Get("Mcp-Session-Id")}
	q.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	q.warm(t)
	return q
}

// warm makes the tool one that is expected to be quick.
func (q *quickTool) warm(t *testing.T) {
	t.Helper()
	for i := range 9 {
		bodyOf(t, q.do(t.Context(), fmt.Sprint("w", i), ""))
	}
}

// do calls the tool.
func (q *quickTool) do(ctx context.Context, id, what string) answer {
	return q.send(ctx, request(`"`+id+`"`, "tools/call", `"_meta":{"progressToken":"p"},"name":"quick","arguments":{"do":"`+what+`"}`))
}

// begin calls the tool in a goroutine, which sends the body of the answer.
func (q *quickTool) begin(t *testing.T, id, what string) <-chan string {
	t.Helper()
	body := make(chan string, 1)
	go func() { body <- bodyOf(t, q.do(t.Context(), id, what)) }()
	synctest.Wait()
	return body
}

// TestQuickCallGoroutine: a quick call of a session runs in the goroutine of its request, and others in one of their own.
func TestQuickCallGoroutine(t *testing.T) {
	t.Parallel()
	const here, elsewhere = "in the goroutine of the request", "in another goroutine"
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			what string
			tool *quickTool
			want string
		}{
			{"a quick tool", newQuickTool(t, quickSetup{}), here},
			{"a tool with a timeout", newQuickTool(t, quickSetup{tool: []mcptool.Option{mcptool.Timeout(time.Minute)}}), elsewhere},
			{"a connection that ends before the call", newQuickTool(t, quickSetup{handler: []streamhttp.Option{streamhttp.Poll(time.Minute, time.Second)}}), elsewhere},
			{"an audited tool", newQuickTool(t, quickSetup{audit: slog.New(slog.NewJSONHandler(new(bytes.Buffer), nil))}), elsewhere},
		} {
			if body := bodyOf(t, test.tool.do(t.Context(), "a", "")); !strings.Contains(body, test.want) {
				t.Errorf("%s: %s", test.what, body)
			}
		}
		tool := newQuickTool(t, quickSetup{})
		for version, want := range map[int]string{1: here, 2: elsewhere} {
			r := tool.request(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"quick"`), map[string]string{"Mcp-Session-Id": tool.id})
			r.ProtoMajor, r.RemoteAddr = version, "127.0.0.1:1"
			w := ownRecorder{httptest.NewRecorder()}
			tool.server.Handler.ServeHTTP(w, r)
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("in HTTP/%d: %s", version, w.Body)
			}
		}
		around := map[string]func(http.Handler) http.Handler{
			"a ResponseWriter of middleware": func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })
			},
			"a deadline of middleware": func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
					defer cancel()
					next.ServeHTTP(w, r.WithContext(ctx))
				})
			},
		}
		for what, middleware := range around {
			handler := tool.server.Handler
			behind := legacyClient{serveHandlerAt(t, loopback, middleware(handler)), tool.id}
			body := bodyOf(t, behind.send(t.Context(), request("1", "tools/call", `"name":"quick"`)))
			if !strings.Contains(body, elsewhere) {
				t.Errorf("%s: %s", what, body)
			}
		}
		bodyOf(t, tool.do(t.Context(), "a", "slow"))
		if body := bodyOf(t, tool.do(t.Context(), "b", "")); !strings.Contains(body, elsewhere) {
			t.Errorf("after a slow call: %s", body)
		}
	})
}

// TestQuickCallSends: what a call sends before its answer reaches the client at once, also if the goroutine of the request
// runs it.
func TestQuickCallSends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newQuickTool(t, quickSetup{})
		stream := eventsOf(tool.do(t.Context(), "a", "report"))
		stream.want(t, "")
		stream.want(t, `"progress":1`)
		tool.release <- struct{}{}
		stream.want(t, `"progress":2`)
		stream.want(t, `in the goroutine of the request`)
		stream.wantEnd(t)
		if body := bodyOf(t, tool.do(t.Context(), "next", "")); !strings.Contains(body, "in another goroutine") {
			t.Errorf("after a call that sends something: %s", body)
		}

		tool.warm(t)
		stream = eventsOf(tool.do(t.Context(), "b", "ask"))
		stream.want(t, "")
		question := stream.want(t, "elicitation/create").data
		_, rest, _ := strings.Cut(question, `"id":`)
		id, _, _ := strings.Cut(rest, ",")
		tool.send(t.Context(), `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"confirm":true}}}`)
		stream.want(t, `"id":"b","result":{"content":[{"type":"text","text":"in the goroutine of the request"`)
		stream.wantEnd(t)
	})
}

// TestQuickCallEndsEarly: a client that cancels a call, or ends its session, does not wait for a tool that ignores that.
func TestQuickCallEndsEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newQuickTool(t, quickSetup{})
		cancelled := make(chan answer, 1)
		go func() { cancelled <- tool.do(t.Context(), "a", "wait") }()
		synctest.Wait()
		tool.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		response := <-cancelled
		if response.status != http.StatusOK || response.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("a cancelled call is answered with %d %v", response.status, response.header)
		}
		tool.release <- struct{}{}
		eventsOf(response).wantEnd(t)

		tool.warm(t)
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

// TestQuickCallsTurnSlow: calls that were expected to be quick, and are not, hold up nothing else.
func TestQuickCallsTurnSlow(t *testing.T) {
	t.Parallel()
	const calls = 50
	synctest.Test(t, func(t *testing.T) {
		tool := newQuickTool(t, quickSetup{})
		var answers []<-chan string
		for i := range calls {
			answers = append(answers, tool.begin(t, fmt.Sprint(i), "wait"))
		}
		if body := bodyOf(t, tool.send(t.Context(), request("1", "ping", ""))); body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("a ping meanwhile: %s", body)
		}
		time.Sleep(time.Second)
		if body := bodyOf(t, tool.do(t.Context(), "other", "")); !strings.Contains(body, "in another goroutine") {
			t.Errorf("a call meanwhile: %s", body)
		}
		for range calls {
			tool.release <- struct{}{}
		}
		for i, answer := range answers {
			if body := <-answer; !strings.Contains(body, fmt.Sprintf(`"id":"%d"`, i)) || !strings.Contains(body, "in the goroutine of the request") {
				t.Errorf("call %d: %s", i, body)
			}
		}
	})
}

// TestQuickCallFails: a tool that ends the goroutine of the request, or panics, is answered, and the client can go on, also on
// the same connection.
func TestQuickCallFails(t *testing.T) {
	t.Parallel()
	const failed = "failed on the server's side"
	synctest.Test(t, func(t *testing.T) {
		tool := newQuickTool(t, quickSetup{})
		for what, want := range map[string]string{"exit": failed, "panic": failed, "": "in the goroutine of the request"} {
			tool.warm(t)
			if body := bodyOf(t, tool.do(t.Context(), "a", what)); !strings.Contains(body, want) {
				t.Errorf("%s: %s", what, body)
			}
			if body := bodyOf(t, tool.call(t.Context(), "quick", `{"do":"`+what+`"}`)); !strings.Contains(body, want) {
				t.Errorf("%s in revision 2026-07-28: %s", what, body)
			}
		}
	})
}

// TestQuickCallDisconnected: a client that disconnects before the call has sent anything does not end the call, and nothing is
// kept for it.
func TestQuickCallDisconnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newQuickTool(t, quickSetup{})
		ctx, disconnect := context.WithCancel(t.Context())
		r := tool.request(ctx, http.MethodPost, request("1", "tools/call", `"_meta":{"progressToken":"p"},"name":"quick","arguments":{"do":"report late"}`),
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
		tool.release <- struct{}{} // the tool still waits for it
		synctest.Wait()
		if response := tool.listen(t.Context(), "r1-0"); response.status != http.StatusBadRequest {
			t.Errorf("a stream for the client that has gone: status %d", response.status)
		}
	})
}

// ownRecorder is a recorder with the methods of the ResponseWriter of net/http, but without a connection.
type ownRecorder struct{ *httptest.ResponseRecorder }

func (ownRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, http.ErrNotSupported
}
func (ownRecorder) FlushError() error       { return nil }
func (ownRecorder) EnableFullDuplex() error { return nil }

// abortingWriter ends the response by a panic at the first event with progress, and panics again when its connection is to
// be ended.
type abortingWriter struct{ ownRecorder }

func (abortingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { panic(http.ErrAbortHandler) }

func (w abortingWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "progress") {
		panic(http.ErrAbortHandler)
	}
	return w.ResponseRecorder.Write(p)
}

// TestQuickCallAborted: such panics, in the goroutine that delivers, end nothing but the request, in whose goroutine they
// continue.
func TestQuickCallAborted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := newQuickTool(t, quickSetup{})
		r := tool.request(t.Context(), http.MethodPost, request("1", "tools/call", `"_meta":{"progressToken":"p"},"name":"quick","arguments":{"do":"report"}`),
			map[string]string{"Mcp-Session-Id": tool.id})
		r.RemoteAddr = "127.0.0.1:1"
		aborted := make(chan error)
		go func() {
			defer func() {
				err, _ := recover().(error)
				aborted <- err
			}()
			tool.server.Handler.ServeHTTP(abortingWriter{ownRecorder{httptest.NewRecorder()}}, r)
		}()
		tool.release <- struct{}{}
		if err := <-aborted; !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("the handler panicked with %v", err)
		}
	})
}
