package streamhttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// stoppedServer returns a server with tools that end with the error of their context: wait, and ask, which asks its user.
// It tells why the context of wait has ended.
func stoppedServer(t *testing.T) (srv *runtime.Server, ended chan error) {
	t.Helper()
	srv, ended = fixtureServer(t, nil), make(chan error, 1)
	for name, fn := range map[string]func(context.Context) error{
		"wait": func(ctx context.Context) error {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return ctx.Err()
		},
		"ask": func(ctx context.Context) error { return mcptool.Confirm(ctx, "Sure?") },
	} {
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) { return mcptool.Text{}, fn(ctx) }, mcptool.Name(name))
		if err == nil {
			err = srv.Tools.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return srv, ended
}

// TestDelete: a client that ends its session with DELETE reads that in the answers to its calls, and not that the server
// is shutting down.
func TestDelete(t *testing.T) {
	t.Parallel()
	const reason = "the call was stopped: the client has ended the session"
	synctest.Test(t, func(t *testing.T) {
		srv, ended := stoppedServer(t)
		server := serve(t, srv)
		able := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
		client := legacyClient{server, server.do(t.Context(), http.MethodPost, able, nil).header.Get("Mcp-Session-Id")}
		client.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		answers := make(chan string, 2)
		for _, name := range []string{"wait", "ask"} {
			go func() {
				answers <- bodyOf(t, client.send(t.Context(), request(`"`+name+`"`, "tools/call", `"name":"`+name+`"`)))
			}()
		}
		synctest.Wait()
		if response := client.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": client.id}); response.status != http.StatusNoContent {
			t.Errorf("status %d", response.status)
		}
		for range 2 {
			if body := <-answers; !strings.Contains(body, reason) || strings.Contains(body, "shutting down") {
				t.Errorf("got %s, want %s in it", body, reason)
			}
		}
		if cause := <-ended; !errors.Is(cause, runtime.ErrDisconnected) || !strings.Contains(cause.Error(), "the client has ended the session") {
			t.Errorf("the cause is: %v", cause)
		}
	})
}

// TestIdleSessionEnds: a call of a session that nobody uses any more can tell why it is stopped.
func TestIdleSessionEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, ended := stoppedServer(t)
		client := serve(t, srv, streamhttp.SessionIdle(time.Minute)).begin("2025-06-18")
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		r := client.request(ctx, http.MethodPost, request("1", "tools/call", `"name":"wait"`), map[string]string{"Mcp-Session-Id": client.id})
		go func() {
			if response, err := client.client.Do(r); err == nil {
				response.Body.Close()
			}
		}()
		synctest.Wait()
		leave()
		if cause := <-ended; !errors.Is(cause, runtime.ErrDisconnected) || !strings.Contains(cause.Error(), "the session was idle") {
			t.Errorf("the cause is: %v", cause)
		}
	})
}

// TestDeleteWhileTaskRuns: so does a client that waits for the result of a task, which goes on.
func TestDeleteWhileTaskRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, map[string]string{"tasks": "yes"})).begin("2025-11-25")
		created := bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"must","task":{},"arguments":{"ms":2000}`)))
		_, rest, _ := strings.Cut(created, `"taskId":"`)
		id, _, _ := strings.Cut(rest, `"`)
		answer := make(chan string, 1)
		go func() {
			answer <- bodyOf(t, client.send(t.Context(), request("2", "tasks/result", `"taskId":"`+id+`"`)))
		}()
		synctest.Wait()
		client.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": client.id})
		if body := <-answer; !strings.Contains(body, `"id":2,"error":{"code":-32603,"message":"the client has ended the session"}`) {
			t.Errorf("got %s", body)
		}
		time.Sleep(3 * time.Second) // for the task
	})
}
