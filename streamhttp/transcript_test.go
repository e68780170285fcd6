package streamhttp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/transcript"
	"github.com/mcptool-go/mcptool/runtime"
)

// Reasons why HTTP does not play some transcripts.
const (
	noSession = "it speaks outside of a session, which HTTP refuses in its own words; see TestLegacyStatus"
	noCancel  = "it cancels a modern request with a message; over HTTP its connection is closed; see TestModernDisconnect"
	alone     = "modern requests over HTTP share nothing, neither ids nor queues nor limits"
)

// apart maps the transcripts that HTTP does not play to the reasons.
var apart = map[string]string{
	"base/empty": noSession, "batch/before-initialize": noSession, "batch/modern": noSession, "lifecycle/before-initialize": noSession,
	"cancel/modern": noCancel, "changes/cancelled": noCancel, "changes/updates-cancelled": noCancel,
	"changes/limit":    alone,
	"call/queue":       "a full queue blocks one connection, but not others",
	"era/meta-types":   "a version that is not a string does not match its header, which is checked first",
	"shutdown/streams": "over HTTP the end of the stream replaces notifications/cancelled (A-04); see TestShutdown",
}

// TestTranscripts plays the engine's transcripts over this transport.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	all, err := transcript.Load(os.DirFS("../testdata/transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(apart)
	for _, tr := range all {
		if _, ok := left[tr.Name]; ok {
			delete(left, tr.Name)
			continue
		}
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := &httpConn{messages: make(chan []byte, 1<<14)}
				conn.memory = serve(t, fixtureServer(t, tr.Server))
				if err := tr.Play(t.Context(), conn); err != nil {
					t.Error(err)
				}
				_ = conn.CloseSend()
				conn.open.Wait()
			})
		})
	}
	if len(left) > 0 {
		t.Errorf("unknown transcripts in apart: %v", slices.Sorted(maps.Keys(left)))
	}
}

// httpConn is a client that sends each line as a separate POST and merges all responses into one stream of messages. In
// a session it also listens with GET.
type httpConn struct {
	*memory
	session  string
	version  string         // version header of a client without a session id; "" with one
	open     sync.WaitGroup // requests
	messages chan []byte
	closed   bool
}

// Send implements [transcript.Conn]. It returns once the server has processed the line as far as possible without time
// passing, which keeps lines in order.
func (c *httpConn) Send(line []byte) error {
	var m struct {
		Method string
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	_ = json.Unmarshal(line, &m) // invalid messages get no headers
	header := map[string]string{"Mcp-Session-Id": c.session, "MCP-Protocol-Version": c.version}
	if raw, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]; ok {
		var version string
		_ = json.Unmarshal(raw, &version)
		header = heading(m.Method, "", "MCP-Protocol-Version", version)
		transport := runtime.Internal(private.Key{})
		if name, ok := transport.Subject(transport.Read(new(runtime.Server), line)); ok { // another test compares the methods with the specification
			header["Mcp-Name"] = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
	}
	c.open.Go(func() { c.exchange(http.MethodPost, string(line), header) })
	synctest.Wait()
	return nil
}

// exchange sends a request and passes on the response.
func (c *httpConn) exchange(method, body string, header map[string]string) {
	r, err := http.NewRequestWithContext(context.Background(), method, "http://127.0.0.1"+c.path, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := c.client.Do(r)
	if err != nil {
		c.t.Error(err)
		return
	}
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" && c.version == "" {
		c.session = id
		c.open.Go(func() {
			c.exchange(http.MethodGet, "", map[string]string{"Mcp-Session-Id": id, "Accept": "text/event-stream"})
		})
	}
	if response.Header.Get("Content-Type") == "text/event-stream" {
		c.receive(eventsOf(answer{body: response.Body}))
		return
	}
	if msg, err := io.ReadAll(response.Body); err == nil && len(bytes.TrimSpace(msg)) > 0 {
		c.messages <- msg
	}
}

// receive passes on the events of a stream.
func (c *httpConn) receive(stream *events) {
	for e, err := stream.next(); err == nil; e, err = stream.next() {
		if e.data != "" {
			c.messages <- []byte(e.data)
		}
	}
}

// Receive implements [transcript.Conn].
func (c *httpConn) Receive(ctx context.Context) ([]byte, error) {
	select {
	case msg, ok := <-c.messages:
		if !ok {
			return nil, io.EOF
		}
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// CloseSend implements [transcript.Conn]. It shuts down the server, which corresponds to the end of the only connection
// in other transports.
func (c *httpConn) CloseSend() error {
	if !c.closed {
		c.closed = true
		c.shutdown(2 * time.Second)
		go func() {
			c.open.Wait()
			close(c.messages)
		}()
	}
	return nil
}
