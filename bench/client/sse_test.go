package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestSSE talks to a server over the transport of revision 2024-11-05.
func TestSSE(t *testing.T) {
	t.Parallel()
	srv, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(streamhttp.NewSSEHandler(srv))
	t.Cleanup(web.Close)
	begun, progress := make(chan struct{}, 10), 0
	c := dial(t, client.Target{URL: web.URL, SSE: true}, client.Options{Notify: func(method string, _ json.RawMessage) {
		if method == "notifications/progress" {
			progress++
			begun <- struct{}{}
		}
	}})
	if s := c.Server(); s.Revision != "2024-11-05" || s.Name != "petshop" || c.Era() != client.Legacy || c.PID() != 0 || c.ExitCode() != -1 {
		t.Errorf("the server is %+v", s)
	}
	got, err := c.Call(t.Context(), "add", json.RawMessage(`{"a":1,"b":2}`))
	if err != nil || got.IsError || got.Content[0].Text != `{"sum":3}` {
		t.Errorf("%v, %+v", err, got)
	}
	if _, err := c.Call(t.Context(), "report", nil); err != nil || progress != 2 {
		t.Errorf("%v, progress %d times", err, progress)
	}
	<-begun
	<-begun
	refused := (*client.RPCError)(nil)
	if _, err := c.Request(t.Context(), "no/such", nil); !errors.As(err, &refused) || refused.Code != -32601 {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 2)
	go func() {
		_, err := c.Call(ctx, "wait", nil)
		failed <- err
	}()
	<-begun
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that is cancelled: %v", err)
	}
	go func() {
		_, err := c.Call(t.Context(), "wait", nil)
		failed <- err
	}()
	<-begun
	web.CloseClientConnections()
	lost := (*client.UnreachableError)(nil)
	if err := <-failed; !errors.As(err, &lost) || !strings.Contains(err.Error(), "its stream has ended") {
		t.Errorf("a call whose stream ends: %v", err)
	}
	if _, err := c.Tools(t.Context()); !errors.As(err, &lost) {
		t.Errorf("without a stream: %v", err)
	}
}

// TestNoSSE checks that a server without that transport gives an error that
// says so.
func TestNoSSE(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, stream, want string }{
		{"another event", "data: {}\n\n", `event ""`},
		{"another host", "event: endpoint\ndata: http://127.0.0.2/messages\n\n", "on another host"},
		{"no event", "", "no event"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprint(w, test.stream)
			}))
			defer web.Close()
			_, err := client.Dial(t.Context(), client.Target{URL: web.URL, SSE: true}, client.Options{})
			if isOneLine(t, err, test.want); errors.As(err, new(*client.UnreachableError)) != true {
				t.Errorf("the error is %v", err)
			}
		})
	}
	for _, o := range []client.Options{{Era: client.Modern}, {Revision: "2020-01-01"}} {
		if _, err := client.Dial(t.Context(), client.Target{URL: "http://127.0.0.1/", SSE: true}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if _, err := client.Dial(t.Context(), client.Target{Command: []string{"x"}, SSE: true}, client.Options{}); err == nil {
		t.Error("a command is accepted")
	}
}
