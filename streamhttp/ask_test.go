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
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestAskNobody: an elicitation fails at once if it cannot reach the client of the session.
func TestAskNobody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, accept string
		opts         []streamhttp.Option
		log          bool          // the call opens a stream before the elicitation
		stays        time.Duration // when the client disconnects; the elicitation follows after 1s
		asked        bool
	}{
		{name: "JSON only", accept: "application/json", stays: time.Hour},
		{name: "disconnected before the stream", accept: "*/*", stays: time.Millisecond},
		{name: "disconnected, no replay", accept: "*/*", opts: []streamhttp.Option{streamhttp.Replay(0)}, log: true, stays: time.Millisecond},
		{name: "disconnected, replay", accept: "*/*", log: true, stays: time.Millisecond, asked: true},
		{name: "connected", accept: "*/*", stays: time.Hour, asked: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told := make(chan error, 1)
				srv := fixtureServer(t, nil)
				addTool(t, srv, "ask", func(ctx context.Context) string {
					if test.log {
						mcptool.Logger(ctx).ErrorContext(ctx, "so far")
					}
					time.Sleep(time.Second)
					told <- mcptool.Confirm(ctx, "Sure?")
					return "done"
				})
				server := serve(t, srv, test.opts...)
				able := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
				client := legacyClient{server, server.do(t.Context(), http.MethodPost, able, nil).header.Get("Mcp-Session-Id")}
				ctx, leave := context.WithTimeout(t.Context(), test.stays)
				defer leave()
				go func() {
					r := client.request(ctx, http.MethodPost, request("1", "tools/call", `"name":"ask"`), map[string]string{"Mcp-Session-Id": client.id, "Accept": test.accept})
					if response, err := client.client.Do(r); err == nil {
						<-ctx.Done()
						response.Body.Close()
					}
				}()
				time.Sleep(2 * time.Second)
				if test.asked {
					client.send(t.Context(), `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}`)
					synctest.Wait()
				}
				select {
				case err := <-told:
					if errors.Is(err, mcptool.ErrNoAnswer) == test.asked || test.asked && err != nil {
						t.Errorf("Confirm: %v", err)
					}
				default:
					t.Error("Confirm has not returned")
				}
			})
		})
	}
}
