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

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// stoppedServer returns a server with two tools that return the error of their context: wait, which sends the cause to
// ended, and ask, which asks the user.
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

// TestDelete: after DELETE, the responses to running calls report that the client ended the session, not a shutdown.
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
			t.Errorf("status %d, want 204", response.status)
		}
		for range 2 {
			if body := <-answers; !strings.Contains(body, reason) || strings.Contains(body, "shutting down") {
				t.Errorf("got %s, want %s", body, reason)
			}
		}
		if cause := <-ended; !errors.Is(cause, runtime.ErrDisconnected) || !strings.Contains(cause.Error(), "the client has ended the session") {
			t.Errorf("context.Cause = %v", cause)
		}
	})
}

// TestIdleSessionEnds: when an idle session expires, the cause of its running calls reports it.
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
			t.Errorf("context.Cause = %v", cause)
		}
	})
}

// TestDeleteWhileTaskRuns: DELETE ends a waiting tasks/result. The task continues.
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

// TestQuestionsOfGoneClient: an elicitation fails when its client has had no stream for a minute. Other calls and the
// session continue. A client with another stream, or one that reconnects, is not considered gone.
func TestQuestionsOfGoneClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		listens bool // the client has a general stream
		returns bool // the client sends a ping every 50 seconds
		isGone  bool
	}{
		{"gone", false, false, true},
		{"has another stream", true, false, false},
		{"returns", false, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, told, waited := fixtureServer(t, nil), make(chan error, 1), make(chan error, 1)
				for name, fn := range map[string]func(context.Context) error{
					"ask": func(ctx context.Context) error {
						err := mcptool.Confirm(ctx, "Sure?")
						told <- err
						return err
					},
					"wait": func(ctx context.Context) error {
						time.Sleep(20 * time.Minute)
						waited <- ctx.Err()
						return nil
					},
				} {
					tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) { return mcptool.Text{}, fn(ctx) }, mcptool.Name(name))
					if err == nil {
						err = srv.Tools.Add(tool)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				server := serve(t, srv)
				able := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
				client := legacyClient{server, server.do(t.Context(), http.MethodPost, able, nil).header.Get("Mcp-Session-Id")}
				bodyOf(t, client.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
				if test.listens {
					events := client.listen(t.Context(), "")
					go func() { _, _ = io.Copy(io.Discard, events.body) }()
				}
				ctx, leave := context.WithCancel(t.Context())
				for _, name := range []string{"ask", "wait"} {
					go func() {
						r := client.request(ctx, http.MethodPost, request(`"`+name+`"`, "tools/call", `"name":"`+name+`"`), map[string]string{"Mcp-Session-Id": client.id})
						if response, err := client.client.Do(r); err == nil {
							_, _ = io.Copy(io.Discard, response.Body) // until the client disconnects
							response.Body.Close()
						}
					}()
				}
				time.Sleep(10 * time.Minute)
				if len(told) > 0 {
					t.Fatalf("Confirm returned before the client disconnected: %v", <-told)
				}
				leave()
				gone := time.Now()
				ping := func() {
					if got := bodyOf(t, client.send(t.Context(), request("9", "ping", ""))); !strings.Contains(got, `"id":9,"result"`) {
						t.Errorf("ping: %s", got)
					}
				}
				for range 3 {
					time.Sleep(50 * time.Second)
					if test.returns {
						ping()
					}
				}
				synctest.Wait()
				if (len(told) > 0) != test.isGone {
					t.Fatalf("%v after the disconnect: Confirm returned: %t", time.Since(gone), len(told) > 0)
				}
				if test.isGone {
					if err := <-told; !errors.Is(err, mcptool.ErrNoAnswer) {
						t.Errorf("Confirm: %v", err)
					}
				}
				ping()
				if err := <-waited; err != nil {
					t.Errorf("the other call ended with %v", err)
				}
				server.shutdown(0)
			})
		})
	}
}

// TestQuestionAfterClientIsGone: an elicitation whose client has been gone for a minute fails within another minute,
// even if sessions do not expire.
func TestQuestionAfterClientIsGone(t *testing.T) {
	t.Parallel()
	for name, idle := range map[string]time.Duration{"sessions expire": time.Hour, "sessions do not expire": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, told := fixtureServer(t, nil), make(chan error, 1)
				addTool(t, srv, "ask", func(ctx context.Context) string {
					mcptool.Logger(ctx).ErrorContext(ctx, "begun") // opens a stream, which the client can resume
					time.Sleep(90 * time.Second)
					told <- mcptool.Confirm(ctx, "Sure?")
					return "done"
				})
				server := serve(t, srv, streamhttp.SessionIdle(idle))
				able := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
				client := legacyClient{server, server.do(t.Context(), http.MethodPost, able, nil).header.Get("Mcp-Session-Id")}
				ctx, leave := context.WithCancel(t.Context())
				go func() {
					r := client.request(ctx, http.MethodPost, request("1", "tools/call", `"name":"ask"`), map[string]string{"Mcp-Session-Id": client.id})
					if response, err := client.client.Do(r); err == nil {
						_, _ = io.Copy(io.Discard, response.Body) // until the client disconnects
						response.Body.Close()
					}
				}()
				time.Sleep(time.Second)
				leave()
				time.Sleep(150 * time.Second)
				synctest.Wait()
				select {
				case err := <-told:
					if !errors.Is(err, mcptool.ErrNoAnswer) {
						t.Errorf("Confirm: %v", err)
					}
				default:
					t.Error("Confirm has not returned after a minute")
				}
				server.shutdown(0)
			})
		})
	}
}
