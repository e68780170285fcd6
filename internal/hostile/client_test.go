package hostile_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// client is a connected client that has completed the handshake, if its era has one.
type client interface {
	// send sends m and returns its response. Messages in flight at the same time must have different ids.
	send(m message) answer
	// repeat sends m several times over one connection and calls each with the responses.
	repeat(m message, times int, each func(answer))
	// crawl starts to send m at one byte per second in every possible way. The returned func waits until the server
	// disconnects or m is sent, and returns how long that took and the responses.
	crawl(m message) (ended func() []crawled)
	// vanish closes all connections.
	vanish()
	// shutdown shuts the server down as its program would and returns when it has shut down.
	shutdown()
}

// crawled is the outcome of a slowly sent message.
type crawled struct {
	what   string
	took   time.Duration
	answer answer
}

// answer is the response to a message.
type answer struct {
	status int // HTTP status, 0 for stdio
	size   int // of the message in bytes
	text   string
	err    error // set if there is no response

	ID    json.RawMessage
	Error *struct {
		Code    int
		Message string
	}
	Result *struct {
		IsError bool
		Content []struct{ Text string }
	}
}

// read decodes the response into a.
func (a *answer) read(msg []byte) {
	a.size, a.text = len(msg), string(msg)
	if a.err = json.Unmarshal(msg, a); a.err != nil {
		return
	}
	if a.Error == nil && a.Result == nil {
		a.err = fmt.Errorf("no answer: %.200s", msg)
	}
}

// said returns the text for the model.
func (a *answer) said() string {
	switch {
	case a.Error != nil:
		return a.Error.Message
	case a.Result != nil && len(a.Result.Content) == 1:
		return a.Result.Content[0].Text
	default:
		return fmt.Sprintf("%.200s (%v)", a.text, a.err)
	}
}

// A way is how a client reaches a server: the transport and the era.
type way struct {
	name string
	era
	http bool
	open func(t *testing.T, e era, srv *runtime.Server) client
}

// ways are all combinations.
func ways() []way {
	var all []way
	for _, e := range []era{{"2025-11-25", false}, {"2026-07-28", true}} {
		all = append(all,
			way{"stdio " + e.version, e, false, openStdio},
			way{"HTTP " + e.version, e, true, openHTTP})
	}
	return all
}

// typical reports whether w is how most clients of its revision connect.
func (w way) typical() bool { return w.http == w.modern }

// waysNow returns all ways at night, and otherwise the typical ones: what a message costs hardly depends on the way, and four
// ways take twice as long.
func waysNow() []way {
	if testscale.IsNightly() {
		return ways()
	}
	return slices.DeleteFunc(ways(), func(w way) bool { return !w.typical() })
}

// newServer returns a server with these tools, default limits, and a log.
func newServer(t *testing.T, log io.Writer, tools ...*mcptool.Tool) *runtime.Server {
	t.Helper()
	registry := new(mcptool.Registry)
	if err := registry.Add(mcptool.Tools(tools)); err != nil {
		t.Fatal(err)
	}
	return &runtime.Server{Name: "hostile", Version: "1", Tools: registry, Tasks: tasks.New(nil), Logger: slog.New(slog.NewJSONHandler(log, nil))}
}

// counter counts the bytes written to it.
type counter struct{ bytes int64 }

func (c *counter) Write(p []byte) (int, error) {
	atomic.AddInt64(&c.bytes, int64(len(p)))
	return len(p), nil
}

// alive checks that the server still answers c.
func alive(t *testing.T, after string, c client, e era) {
	t.Helper()
	if a := c.send(e.call(`"alive"`, "take", `{"text":"x"}`, "", 0, "")); a.said() != "took 1" {
		t.Errorf("%s: then a normal call is answered with %s", after, a.said())
	}
}
