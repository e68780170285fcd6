package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// newGrowing returns a server whose tool grow adds a tool.
func newGrowing() (*runtime.Server, error) {
	srv, err := newServer()
	if err != nil {
		return nil, err
	}
	return srv, srv.Tools.Add(tool(func(_ context.Context, in addIn) (addOut, error) {
		return addOut{}, srv.Tools.Add(tool(add, mcptool.Name(fmt.Sprintf("grown_%d", in.A)), mcptool.Description("Adds")))
	}, mcptool.Name("grow"), mcptool.Description("Adds a tool")))
}

// growing serves newGrowing over stdio.
func growing() {
	srv, err := newGrowing()
	if err == nil {
		err = stdio.Serve(context.Background(), srv)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// growingTargets returns targets for newGrowing over each transport.
func growingTargets(t *testing.T) map[string]client.Target {
	t.Helper()
	srv, err := newGrowing()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/mcp", handler)
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return map[string]client.Target{"stdio": child("growing"), "http": {URL: web.URL + "/mcp"}}
}

// TestSubscribe checks that each subscription gets changes until it is closed, and none afterwards.
func TestSubscribe(t *testing.T) {
	grown := 0
	for name, to := range growingTargets(t) {
		for _, era := range []client.Era{client.Legacy, client.Modern} {
			t.Run(name+" "+string(era), func(t *testing.T) {
				c := dial(t, to, client.Options{Era: era})
				grow := func() {
					t.Helper()
					grown++
					if got, err := c.Call(t.Context(), "grow", json.RawMessage(fmt.Sprintf(`{"a":%d,"b":0}`, grown))); err != nil || got.IsError {
						t.Fatalf("%v, %+v", err, got)
					}
				}
				var all [2]*client.Subscription
				for i := range all {
					s, err := c.Subscribe(t.Context(), "")
					if err != nil {
						t.Fatal(err)
					}
					all[i] = s
				}
				grow()
				for i, s := range all {
					select {
					case _, ok := <-s.Changed():
						if !ok {
							t.Errorf("subscription %d has ended: %v", i, s.Err())
						}
					case <-time.After(patient):
						t.Fatal("no change")
					}
				}
				for range 2 {
					if err := all[0].Close(); err != nil {
						t.Error(err)
					}
				}
				if _, ok := <-all[0].Changed(); ok {
					t.Error("a change after Close")
				}
				grow()
				if _, ok := <-all[1].Changed(); !ok {
					t.Error("the other subscription has ended, too")
				}
				if err := all[1].Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestSubscriptionEnds has the server refuse, fail to acknowledge, or end a subscription.
func TestSubscriptionEnds(t *testing.T) {
	t.Parallel()
	const acknowledged = "data: " + `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":%t},"_meta":{"io.modelcontextprotocol/subscriptionId":%[2]d}}}` + "\n\n"
	const result = "data: " + `{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete"}}` + "\n\n"
	for _, test := range []struct {
		name           string
		answer         func(id int64) string
		refused, ended string // substrings of errors
	}{
		{"refused", func(id int64) string {
			return fmt.Sprintf("data: "+`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"what?"}}`+"\n\n", id)
		}, "what?", ""},
		{"not acknowledged", func(id int64) string { return fmt.Sprintf(result, id) }, "does not acknowledge", ""},
		{"acknowledged without tools", func(id int64) string { return fmt.Sprintf(acknowledged, false, id) }, "does not acknowledge", ""},
		{"ended in good order", func(id int64) string { return fmt.Sprintf(acknowledged, true, id) + fmt.Sprintf(result, id) }, "", ""},
		{"broken off", func(id int64) string { return fmt.Sprintf(acknowledged, true, id) }, "", "the stream ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, client.Target{URL: fakeHTTP(t, test.answer)}, client.Options{Era: client.Modern})
			s, err := c.Subscribe(t.Context(), "")
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for range s.Changed() {
				t.Error("a change")
			}
			if err := s.Err(); (err != nil) != (test.ended != "") || err != nil && !strings.Contains(err.Error(), test.ended) {
				t.Errorf("it has ended: %v", err)
			}
		})
	}
}

// fakeHTTP returns the URL of a server of the modern era that answers all requests but server/discover with the event
// stream returned by answer.
func fakeHTTP(t *testing.T, answer func(id int64) string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     int64
			Method string
		}
		body, err := io.ReadAll(r.Body)
		if err := errors.Join(err, json.Unmarshal(body, &m)); err != nil {
			t.Error(err)
		}
		text := answer(m.ID)
		if w.Header().Set("Content-Type", "text/event-stream"); m.Method == "server/discover" {
			w.Header().Set("Content-Type", "application/json")
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, m.ID, modernHello)
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(web.Close)
	return web.URL
}
