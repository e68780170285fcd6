package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestServerDies checks that a call says why its server is gone, and that the next call starts it again.
func TestServerDies(t *testing.T) {
	for _, era := range []client.Era{client.Modern, client.Legacy} {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			b := open(t, child("shop"), era, page.Options{})
			b.connect()
			c := b.call("tool", "crash", `{}`)
			if c.State != "failed" || !strings.Contains(c.Error, "exit status 3") || !strings.Contains(c.Error, "the shop is on fire") {
				t.Errorf("the call is %+v", c)
			}
			if s := b.awaitState(func(s *state) bool { return s.Error != "" }); !strings.Contains(s.Error, "exit status 3") || len(s.Tools) == 0 {
				t.Errorf("the state has the error %q and %d tools", s.Error, len(s.Tools))
			}
			if c := b.call("tool", "add", `{"a":1}`); c.State != "done" {
				t.Errorf("the next call is %+v", c)
			}
			b.awaitState(func(s *state) bool { return s.Error == "" && !s.Connecting })
		})
	}
}

// TestServerRestarts checks that the page connects again to a server over HTTP that was restarted.
func TestServerRestarts(t *testing.T) {
	for _, era := range []client.Era{client.Modern, client.Legacy} {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			var handler atomic.Pointer[http.Handler]
			start := func() {
				srv, err := newShop()
				if err != nil {
					t.Fatal(err)
				}
				h, err := streamhttp.NewHandler(srv)
				if err != nil {
					t.Fatal(err)
				}
				served := http.Handler(h)
				handler.Store(&served)
			}
			start()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
			t.Cleanup(web.Close)
			b := open(t, client.Target{URL: web.URL}, era, page.Options{})
			b.connect()
			if c := b.call("tool", "add", `{"a":1}`); c.State != "done" {
				t.Errorf("the first call is %+v", c)
			}
			down := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusBadGateway) }))
			handler.Store(&down)
			if c := b.call("tool", "add", `{"a":1}`); c.State != "failed" || !strings.Contains(c.Error, "502") {
				t.Errorf("the call of no server is %+v", c)
			}
			b.awaitState(func(s *state) bool { return strings.Contains(s.Error, "502") })
			start()
			if c := b.call("tool", "add", `{"a":1}`); c.State != "done" {
				t.Errorf("the call after the restart is %+v", c)
			}
		})
	}
}

// TestReconnect checks that a running call keeps its connection when the page connects again.
func TestReconnect(t *testing.T) {
	t.Parallel()
	b := open(t, child("shop"), client.Modern, page.Options{})
	b.connect()
	c := b.begin("tool", "ask", `{}`)
	b.await(c.ID, asking)
	post[struct{}](b, "api/reconnect", `{}`)
	if other := b.call("tool", "add", `{"a":1}`); other.State != "done" {
		t.Errorf("a call on the new connection is %+v", other)
	}
	post[page.Call](b, "api/calls/1/answer", `{"action":"accept","content":{"name":"Rex"}}`)
	if c = b.await(c.ID, ended); c.State != "done" || !strings.Contains(string(c.Result), "Rex") {
		t.Errorf("the call on the old connection is %+v", c)
	}
}

// TestShow checks that a new build is shown and connected to.
func TestShow(t *testing.T) {
	t.Parallel()
	target, dials := serveShop(t), new(atomic.Int32)
	b := open(t, target, client.Modern, page.Options{Dial: func(ctx context.Context, o client.Options) (*client.Client, error) {
		dials.Add(1)
		return client.Dial(ctx, target, o)
	}})
	events := b.events()
	dialed := func(n int32) {
		t.Helper()
		for end := time.Now().Add(patient); dials.Load() != n; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the page has connected %d times, want %d", dials.Load(), n)
			}
		}
	}
	for i, test := range []struct {
		build page.Build
		dials int32
	}{
		{page.Build{State: "building", Version: 1}, 0},
		{page.Build{State: "broken", Version: 1, Text: "x.go:1: <oops>"}, 0},
		{page.Build{State: "ok", Version: 2, Changes: []string{"add: removed"}}, 1},
		{page.Build{State: "ok", Version: 2}, 1},
		{page.Build{State: "broken", Version: 3}, 1},
		{page.Build{State: "ok", Version: 4}, 2},
	} {
		test.build.Time = time.Unix(int64(i), 0).UTC()
		b.page.Show(test.build)
		b.awaitEvent(events, func(e event) bool {
			got := get[state](b, "api/state").Build
			return e.name == "state" && got != nil && got.Time.Equal(test.build.Time) && got.State == test.build.State && got.Text == test.build.Text
		})
		dialed(test.dials)
		if s := get[state](b, "api/state"); s.Build == nil || s.Build.Version != test.build.Version || len(s.Build.Changes) != len(test.build.Changes) {
			t.Errorf("the build is %+v, want %+v", s.Build, test.build)
		}
	}
}

// TestCallsDuringBuild checks that calls wait for a build, and are not answered by the version before a broken one.
func TestCallsDuringBuild(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	b.page.Show(page.Build{State: "building"})
	first, other := b.begin("tool", "add", `{"a":1}`).ID, b.begin("tool", "add", `{"a":1}`)
	post[page.Call](b, "api/calls/2/cancel", `{}`)
	if other = b.await(other.ID, ended); other.State != "cancelled" {
		t.Errorf("the cancelled call is %+v", other)
	}
	if c := get[page.Call](b, "api/calls/1"); c.State != "running" {
		t.Errorf("during the build, the call is %+v", c)
	}
	if all := get[[]page.Message](b, "api/messages"); len(all) != 0 {
		t.Errorf("the page has connected before the end of the build: %+v", all)
	}
	b.page.Show(page.Build{State: "ok", Version: 1})
	if c := b.await(first, ended); c.State != "done" {
		t.Errorf("after the build, the call is %+v", c)
	}
	b.page.Show(page.Build{State: "broken", Text: "x.go:1: oops"})
	if c := b.call("tool", "add", `{"a":1}`); c.State != "failed" || !strings.Contains(c.Error, "cannot be used, so the call has not run:\nx.go:1: oops") {
		t.Errorf("after a broken build, the call is %+v", c)
	}
	b.page.Show(page.Build{State: "broken", Text: "x.go:1: oops", KeepLast: true})
	if c := b.call("tool", "add", `{"a":1}`); c.State != "done" {
		t.Errorf("with KeepLast, the call is %+v", c)
	}
}

// TestUnreachable checks the error for a server that does not start.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	b := open(t, client.Target{Command: []string{"sh", "-c", "echo token=s3cret-value >&2; exit 4"}}, client.Auto, page.Options{Redact: func(text string) string { return strings.ReplaceAll(text, "s3cret-value", "(hidden)") }})
	if s := get[state](b, "api/state"); s.Server != nil || s.Error != "" || s.Tools == nil || s.Connecting {
		t.Errorf("the state before the first use is %+v", s)
	}
	if err := b.page.Connect(t.Context()); exitCode(err) != 4 {
		t.Errorf("Connect returns %v", err)
	}
	s := get[state](b, "api/state")
	if !strings.Contains(s.Error, "exit status 4") || !strings.Contains(s.Error, "token=(hidden)") || strings.Contains(s.Error, "s3cret") {
		t.Errorf("the error is %q", s.Error)
	}
	if c := b.call("tool", "add", `{}`); c.State != "failed" || !strings.Contains(c.Error, "exit status 4") || strings.Contains(c.Error, "s3cret") {
		t.Errorf("the call is %+v", c)
	}
}

// exitCode returns the exit status that an error names.
func exitCode(err error) (code int) {
	if lost := (*client.UnreachableError)(nil); errors.As(err, &lost) {
		_, text, _ := strings.Cut(lost.What, "exit status ")
		_, _ = fmt.Sscan(text, &code)
	}
	return code
}

// TestMessages checks the recorded messages and the transcript.
func TestMessages(t *testing.T) {
	t.Parallel()
	var saved []page.Message
	b := open(t, serveShop(t), client.Modern, page.Options{
		Redact: func(text string) string { return strings.ReplaceAll(text, "s3cret", "(hidden)") },
		Save: func(w io.Writer, messages []page.Message) error {
			saved = messages
			_, err := io.WriteString(w, "a transcript")
			return err
		},
	})
	if s := b.connect(); !s.Transcript {
		t.Error("the state does not offer a transcript")
	}
	events := b.events()
	b.awaitEvent(events, func(e event) bool { return e.name == "message" }) // of the connection
	c := b.call("prompt", "review", `{"lang":"go","text":"s3cret"}`)
	if !strings.Contains(string(c.Result), "s3cret") {
		t.Errorf("the result is %s", c.Result)
	}
	var of []page.Message
	all := get[[]page.Message](b, "api/messages")
	for i, m := range all {
		if m.N != i+1 || m.Time.IsZero() || m.Bytes == 0 || strings.Contains(m.Text, "s3cret") {
			t.Errorf("message %d is %+v", i, m)
		}
		if m.Call == c.ID {
			of = append(of, m)
		}
	}
	if len(of) != 2 || of[0].Direction != "toServer" || of[1].Direction != "toClient" || of[0].Method != "prompts/get" || of[1].Method != "prompts/get" || !strings.Contains(of[1].Text, "Review this go: (hidden)") {
		t.Errorf("the messages of the call are %+v", of)
	}
	if first := all[0]; first.Method != "server/discover" || first.Direction != "toServer" || first.Call != 0 {
		t.Errorf("the first message is %+v", first)
	}
	if e := b.awaitEvent(events, func(e event) bool { return e.name == "message" }); e.data != "{}" {
		t.Errorf("the event is %s", e.data)
	}
	n := len(all)
	if rest := get[[]page.Message](b, "api/messages?after="+itoa(n-1)); len(rest) != 1 || rest[0].N != n {
		t.Errorf("the messages after %d are %+v", n-1, rest)
	}
	if rest := get[[]page.Message](b, "api/messages?after=99999"); len(rest) != 0 {
		t.Errorf("the messages after the last are %+v", rest)
	}
	resp, text := b.send(http.MethodGet, "api/transcript", "")
	if string(text) != "a transcript" || len(saved) < n || saved[0].Method != "server/discover" || !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the transcript of %d messages is %s %q", len(saved), resp.Header, text)
	}
}

// TestTranscriptOfNewConnection checks that a transcript begins with the handshake of the newest connection.
func TestTranscriptOfNewConnection(t *testing.T) {
	t.Parallel()
	var saved []page.Message
	b := open(t, child("noisy"), client.Legacy, page.Options{Save: func(_ io.Writer, messages []page.Message) error {
		saved = messages
		return nil
	}})
	b.connect()
	first := len(get[[]page.Message](b, "api/messages"))
	post[struct{}](b, "api/reconnect", `{}`)
	b.call("tool", "-rf", `{}`)
	b.send(http.MethodGet, "api/transcript", "")
	if len(saved) == 0 || saved[0].N <= first || saved[0].Method != "initialize" || saved[len(saved)-1].Method == "" {
		t.Errorf("the messages after %d are %+v", first, saved)
	}
	isNoise := func(m page.Message) bool { return m.Text == "Welcome <b>" }
	if all := get[[]page.Message](b, "api/messages"); slices.ContainsFunc(saved, isNoise) || !slices.ContainsFunc(all, isNoise) {
		t.Errorf("a line that is no message is in the transcript, or not shown: %+v", all)
	}
}

// TestSlowBrowser checks that a browser that does not read its stream does not hold up others, and gets the newest state.
func TestSlowBrowser(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	slow, quick := b.events(), b.events()
	b.awaitEvent(slow, func(e event) bool { return e.name == "state" })
	for range 12 {
		c := b.begin("tool", "large", `{"a":450000}`)
		b.awaitEvent(quick, func(e event) bool {
			var got page.Call
			return e.name == "call" && json.Unmarshal([]byte(e.data), &got) == nil && got.ID == c.ID && got.State == "done"
		})
	}
	for e := range slow { // now it reads, unless that took so long that the page has ended the stream
		var got page.Call
		if e.name == "call" && json.Unmarshal([]byte(e.data), &got) == nil && got.ID == 12 && got.State == "done" {
			return
		}
	}
}

// TestManyStreams checks the maximum number of event streams.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	for range 64 {
		b.events()
	}
	b.fails(http.MethodGet, "api/events", "", http.StatusServiceUnavailable, "64 event streams are open")
}

// TestClose checks that nothing is running after Close, whatever the page did.
func TestClose(t *testing.T) { //nolint:paralleltest // it looks at all goroutines
	for _, to := range []client.Target{child("shop"), child("silent")} {
		b := open(t, to, client.Legacy, page.Options{})
		b.connect()
		b.events()
		b.begin("tool", "ask", `{}`)
		b.begin("tool", "wait", `{}`)
		b.page.Show(page.Build{State: "ok", Version: 1})
		b.begin("tool", "wait", `{}`)
		post[struct{}](b, "api/reconnect", `{}`)
		if err := b.page.Close(); err != nil {
			t.Error(err)
		}
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		for stack := range strings.SplitSeq(string(buf), "\n\n") {
			if strings.Contains(stack, "runtime.goexit1(") {
				continue // its func has returned
			}
			if strings.Contains(stack, "/internal/page.(") || strings.Contains(stack, "/measure/client.") {
				t.Errorf("a goroutine is running after Close:\n%s", stack)
			}
		}
	}
}
