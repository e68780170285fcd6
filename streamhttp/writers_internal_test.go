package streamhttp

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// Formats of answers.
var (
	anyFormat  = acceptable{json: true, events: true}
	jsonOnly   = acceptable{json: true}
	eventsOnly = acceptable{events: true}
)

// TestReplyRules checks that a reply meets the rules of [engine.Writer], and for a subscription those of [engine.Conn]. It
// drops notifications if the client accepts no event streams.
func TestReplyRules(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]acceptable{"JSON or events": anyFormat, "JSON": jsonOnly, "events": eventsOnly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := enginetest.Kind{DropsNotifications: !format.events}
			enginetest.TestWriter(t, kind, func(tb testing.TB) enginetest.Client[engine.Writer] {
				tb.Helper()
				return connect(tb, format, false, answerWithReply)
			})
		})
	}
	t.Run("subscription", func(t *testing.T) {
		t.Parallel()
		enginetest.TestConn(t, enginetest.Kind{Single: true}, func(tb testing.TB) enginetest.Client[engine.Conn] {
			tb.Helper()
			return connect(tb, eventsOnly, false, subscribeWithReply)
		})
	})
}

// answerWithReply serves a request with a reply, until Respond has returned, as [stateless.answer] does.
func answerWithReply(h *Handler, q *request, opened chan<- engine.Writer) {
	p := &answeringReply{newReply(q, &h.streams), make(chan struct{})}
	defer p.abandon()
	opened <- p
	select {
	case <-p.returned:
	case <-h.life.closing.Done():
	}
}

// answeringReply is a reply whose Respond closes a channel when it returns.
type answeringReply struct {
	*reply
	returned chan struct{}
}

func (p *answeringReply) Respond(msg []byte, end engine.End) error {
	defer close(p.returned)
	return p.reply.Respond(msg, end)
}

// subscribeWithReply serves a request with a reply, until it has the response, as [stateless.listen] does.
func subscribeWithReply(h *Handler, q *request, opened chan<- engine.Conn) {
	p := newReply(q, &h.streams)
	p.done = make(chan struct{})
	defer p.abandon()
	opened <- p
	select {
	case <-p.done:
	case <-h.life.closing.Done():
	}
}

// TestLegacyReplyRules checks that a legacyReply meets the rules of [engine.Writer].
func TestLegacyReplyRules(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		format acceptable
		replay int
	}{
		"JSON or events":                 {anyFormat, 1 << 20},
		"JSON":                           {jsonOnly, 1 << 20},
		"events":                         {eventsOnly, 1 << 20},
		"events that cannot be replayed": {eventsOnly, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := enginetest.Kind{DropsNotifications: !tt.format.events}
			enginetest.TestWriter(t, kind, func(tb testing.TB) enginetest.Client[engine.Writer] {
				tb.Helper()
				return connect(tb, tt.format, true, func(h *Handler, q *request, opened chan<- engine.Writer) {
					s := open(tb, h, tt.replay)
					x := newLegacyReply(s, q, &h.streams)
					opened <- x
					x.deliver()
				})
			})
		})
	}
}

// TestReplayLogRules checks that the general stream of a replayLog meets the rules of [engine.Conn].
func TestReplayLogRules(t *testing.T) {
	t.Parallel()
	for name, replay := range map[string]int{"with replay": 1 << 20, "without replay": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.TestConn(t, enginetest.Kind{Probes: true}, func(tb testing.TB) enginetest.Client[engine.Conn] {
				tb.Helper()
				return connect(tb, eventsOnly, true, func(h *Handler, q *request, opened chan<- engine.Conn) {
					s := open(tb, h, replay)
					stream, reader := s.replay.listen()
					opened <- s.replay
					h.streams.pump(q.r.Context(), nil, beginEvents(q.w), s, stream, reader)
				})
			})
		})
	}
}

// open begins a session that keeps this many bytes of messages for clients that resume.
func open(tb testing.TB, h *Handler, replay int) *session {
	tb.Helper()
	s, err := h.sessions.open(context.Background(), "a", new(runtime.Access), newReplayLog(replay), nil)
	if err != nil {
		tb.Error(err)
	}
	return s
}

// connect serves one request with serve, which passes on the Writer that it has opened, and returns the client. It is a
// stream if serve ends when the client has left.
func connect[W engine.Writer](tb testing.TB, format acceptable, isStream bool, serve func(h *Handler, q *request, opened chan<- W)) enginetest.Client[W] {
	tb.Helper()
	h, err := NewHandler(&runtime.Server{Tools: new(mcptool.Registry), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	opened, left, served := make(chan W, 1), make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		context.AfterFunc(r.Context(), func() { close(left) })
		message := transport.Read(h.srv, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		serve(h, &request{w: w, r: r, accept: format, message: message}, opened)
	}))
	ctx, stop := context.WithCancel(context.Background())
	client := new(httpClient)
	done := make(chan struct{})
	go func() {
		defer close(done)
		client.post(ctx, server.URL)
	}()
	writer := <-opened
	leave := func() {
		stop()
		if <-left; isStream {
			<-served
		}
	}
	tb.Cleanup(func() {
		leave()
		h.life.close()
		<-served
		<-done
		server.Close()
	})
	return enginetest.Client[W]{Writer: writer, Received: client.received, Leave: leave}
}

// httpClient is a client that keeps the messages of its response.
type httpClient struct {
	mu       sync.Mutex
	messages []string
}

// post sends a request, and reads the response until its end.
func (c *httpClient) post(ctx context.Context, url string) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	response, err := http.DefaultClient.Do(r)
	if err != nil { // the client has left
		return
	}
	defer response.Body.Close()
	if response.Header.Get("Content-Type") != typeEvents {
		if body, _ := io.ReadAll(response.Body); len(body) > 0 {
			c.add(string(body))
		}
		return
	}
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if msg, ok := strings.CutPrefix(line, "data: "); ok {
			c.add(strings.TrimSuffix(msg, "\n"))
		}
	}
}

func (c *httpClient) add(msg string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, msg)
}

func (c *httpClient) received() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.messages)
}
