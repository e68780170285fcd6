package streamhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// patience is the time after which a client that does not read is disconnected.
const patience = 30 * time.Second

// large is the size of a response that no buffer can hold.
const large = 1 << 20

// loudServer returns a server with tools that send more than any buffer holds. ended receives the cause of the context
// of loud.
func loudServer(t *testing.T) (srv *runtime.Server, ended chan error) {
	t.Helper()
	srv, ended = fixtureServer(t, nil), make(chan error, 1)
	srv.ClientLog = runtime.ClientLogAll
	addTool(t, srv, "large", func(context.Context) string { return strings.Repeat("x", large) })
	addTool(t, srv, "loud", func(ctx context.Context) string {
		for range 50 {
			mcptool.Logger(ctx).ErrorContext(ctx, strings.Repeat("x", 10<<10))
		}
		ended <- context.Cause(ctx)
		return "that was all"
	})
	return srv, ended
}

// wantCut checks that the server closes conn, which is not read, after patience.
func wantCut(t *testing.T, conn net.Conn) {
	t.Helper()
	closed := make(chan time.Time, 1)
	time.Sleep(patience - time.Second)
	synctest.Wait()
	go func() {
		time.Sleep(2 * time.Second)
		_, _ = io.Copy(io.Discard, conn)
		closed <- time.Now()
	}()
	began := time.Now()
	if at := <-closed; at.Sub(began) != 2*time.Second {
		t.Errorf("the connection was closed after another %v, want 2s", at.Sub(began))
	}
}

// TestSlowReader: a client that does not read is disconnected after a while, whatever it was sent, and does not delay
// others.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	session := func(c legacyClient) map[string]string { return map[string]string{"Mcp-Session-Id": c.id} }
	logged := strings.Replace(modern("1", "tools/call", `,"name":"loud"`), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1)
	for _, test := range []struct {
		name string
		send func(c legacyClient) string
		ends error // cause of the tool's context
	}{
		{"a modern answer", func(legacyClient) string {
			return rawPost(modern("1", "tools/call", `,"name":"large"`), heading("tools/call", "large"))
		}, nil},
		{"a modern stream", func(legacyClient) string {
			return rawPost(logged, heading("tools/call", "loud"))
		}, runtime.ErrDisconnected},
		{"an answer in a session", func(c legacyClient) string {
			return rawPost(request("1", "tools/call", `"name":"large"`), session(c))
		}, nil},
		{"a stream in a session", func(c legacyClient) string {
			return rawPost(request("1", "tools/call", `"name":"loud"`), session(c))
		}, nil},
		{"a stream of no call", func(c legacyClient) string {
			return "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: " + c.id + "\r\n\r\n"
		}, nil},
		{"a subscription", func(legacyClient) string {
			return rawPost(modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`), heading("subscriptions/listen", ""))
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, ended := loudServer(t)
				client := serve(t, srv, streamhttp.KeepAlive(0)).begin("2025-11-25")
				conn := client.raw(test.send(client))
				synctest.Wait()
				began := time.Now()
				if body := bodyOf(t, client.call(t.Context(), "learn", `{"add":["new"]}`)); !strings.Contains(body, `"resultType"`) {
					t.Error(body)
				}
				if body := bodyOf(t, client.send(t.Context(), request("2", "tools/call", `"name":"echo","arguments":{}`))); !strings.Contains(body, `"id":2,"result"`) {
					t.Error(body)
				}
				if took := time.Since(began); took > 0 {
					t.Errorf("other requests waited %v, want no wait", took)
				}
				wantCut(t, conn)
				select {
				case cause := <-ended:
					if !errors.Is(cause, test.ends) {
						t.Errorf("the call ended with %v, want %v", cause, test.ends)
					}
				default:
					if strings.Contains(test.name, "stream") && !strings.Contains(test.name, "no call") {
						t.Error("the call has not ended")
					}
				}
			})
		})
	}
}

// TestSlowReaderOfSmallAnswers: a client that does not read small responses is disconnected as well. The deadline does
// not affect the next request on a connection whose client reads.
func TestSlowReaderOfSmallAnswers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a call":          rawPost(modern("1", "tools/call", `,"name":"echo","arguments":{}`), heading("tools/call", "echo")),
		"a refused call":  rawPost(modern("1", "tools/call", `,"name":"none"`), heading("tools/call", "none")),
		"a health check":  "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"an unknown path": "GET /none HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := begin(t, fixtureServer(t, nil))
				conn := server.raw(text)
				synctest.Wait()
				wantCut(t, conn)
				server.stop()
				if err := <-server.served; err != nil {
					t.Error(err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		server := begin(t, fixtureServer(t, nil))
		for range 3 { // on the same connection
			if answer := bodyOf(t, server.call(t.Context(), "sleep", `{"ms":90000}`)); !strings.Contains(answer, "slept") {
				t.Errorf("got %s", answer)
			}
			time.Sleep(patience + time.Second)
		}
		server.stop()
		if err := <-server.served; err != nil {
			t.Error(err)
		}
	})
}

// TestSlowReaderResumes: a client that was too slow can resume its stream, as far as events are kept.
func TestSlowReaderResumes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, _ := loudServer(t)
		client := serve(t, srv).begin("2025-11-25")
		stream := eventsOf(client.send(t.Context(), request("1", "tools/call", `"name":"loud"`)))
		first := stream.want(t, "")
		time.Sleep(patience + time.Second)
		again := eventsOf(client.listen(t.Context(), first.id))
		for range 100 {
			if e, err := again.next(); err != nil {
				t.Fatal(err)
			} else if strings.Contains(e.data, `"id":1,"result"`) {
				return
			}
		}
		t.Error("no response on the resumed stream")
	})
}

// TestSlowSender: a body that does not arrive is refused after the server's ReadTimeout.
func TestSlowSender(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		status     string
		after      time.Duration
	}{
		{"no body", "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n", "400", time.Minute},
		{"half a body", "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"id\"", "400", time.Minute},
		{"half a chunk", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{", "400", time.Minute},
		{"a body that is too large", "Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{", "413", 0},
		{"half a header", "Mcp-Name", "", 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serve(t, fixtureServer(t, nil)).raw("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + test.text)
				began := time.Now()
				answer, err := io.ReadAll(conn)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took < test.after || took > test.after+time.Second {
					t.Errorf("the connection ended after %v, want %v", took, test.after)
				}
				if !strings.HasPrefix(string(answer), strings.TrimSuffix("HTTP/1.1 "+test.status, "HTTP/1.1 ")) {
					t.Errorf("got %s, want status %s", answer, test.status)
				}
			})
		})
	}
}
