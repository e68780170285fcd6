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

// Why HTTP does not play some transcripts.
const (
	noSession = "it speaks outside of a session, which HTTP refuses in its own words; see TestLegacyStatus"
	noCancel  = "it cancels a modern request with a message; over HTTP its connection is closed; see TestModernDisconnect"
	alone     = "modern requests over HTTP share nothing, neither ids nor queues nor limits"
)

// apart are the transcripts that HTTP does not play.
var apart = map[string]string{
	"base/empty": noSession, "batch/before-initialize": noSession, "batch/modern": noSession, "lifecycle/before-initialize": noSession,
	"cancel/modern": noCancel, "changes/cancelled": noCancel, "changes/updates-cancelled": noCancel,
	"changes/limit":    alone,
	"call/queue":       "a full queue holds up a connection, and others pass it",
	"era/meta-types":   "a version that is no string does not match its header, which is found first",
	"shutdown/streams": "over HTTP the end of a stream says what notifications/cancelled says elsewhere (A-04); see TestShutdown",
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
		t.Errorf("there are no transcripts %v", slices.Sorted(maps.Keys(left)))
	}
}

// httpConn is a client for which every line is a POST of its own, and all that comes back is
// one stream of messages. In a session it also listens with GET.
type httpConn struct {
	*memory
	session  string
	version  string         // of the requests of a client that sends no session id; "" for one that does
	open     sync.WaitGroup // requests
	messages chan []byte
	closed   bool
}

// Send implements [transcript.Conn]. It returns when the server has the line, and nothing more
// happens without time passing: that keeps lines in their order.
func (c *httpConn) Send(line []byte) error {
	var m struct {
		Method string
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	_ = json.Unmarshal(line, &m) // lines that are no messages have no headers
	header := map[string]string{"Mcp-Session-Id": c.session, "MCP-Protocol-Version": c.version}
	if raw, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]; ok {
		var version string
		_ = json.Unmarshal(raw, &version)
		header = heading(m.Method, "", "MCP-Protocol-Version", version)
		transport := runtime.Internal(private.Key{})
		if name, ok := transport.Subject(transport.Read(new(runtime.Server), line)); ok { // which methods have one is held against the specification
			header["Mcp-Name"] = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
	}
	c.open.Go(func() { c.exchange(http.MethodPost, string(line), header) })
	synctest.Wait()
	return nil
}

// exchange sends a request and passes on what comes back.
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

// receive passes on what comes on a stream.
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

// CloseSend implements [transcript.Conn]. Here it is the server that ends: that is what
// the end of the only connection is to others.
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
