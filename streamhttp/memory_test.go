package streamhttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// memory is an HTTP server and a client of it that are connected in memory, so that tests need no ports and can use a
// fake clock. The server's address is 127.0.0.1:80.
type memory struct {
	t       *testing.T
	path    string // of requests
	listen  *pipeListener
	client  *http.Client
	server  *http.Server
	handler *streamhttp.Handler // nil if another handler wraps it
}

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}

// newHandler returns a handler of [streamhttp.NewHandler]. Mistakes end the test.
func newHandler(tb testing.TB, srv *runtime.Server, opts ...streamhttp.Option) *streamhttp.Handler {
	tb.Helper()
	h, err := streamhttp.NewHandler(srv, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// newSSEHandler is newHandler for [streamhttp.NewSSEHandler].
func newSSEHandler(tb testing.TB, srv *runtime.Server, opts ...streamhttp.Option) *streamhttp.Handler {
	tb.Helper()
	h, err := streamhttp.NewSSEHandler(srv, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// serve starts a server that ends with the test.
func serve(t *testing.T, srv *runtime.Server, opts ...streamhttp.Option) *memory {
	t.Helper()
	return serveAt(t, loopback, srv, opts...)
}

// serveAt is serve with the address addr.
func serveAt(t *testing.T, addr net.Addr, srv *runtime.Server, opts ...streamhttp.Option) *memory {
	t.Helper()
	return serveHandlerAt(t, addr, newHandler(t, srv, opts...))
}

// serveHandlerAt is serveAt for any handler.
func serveHandlerAt(t *testing.T, addr net.Addr, handler http.Handler) *memory {
	t.Helper()
	l := &pipeListener{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
	var open sync.WaitGroup // counts the connections
	m := &memory{t: t, path: "/mcp", listen: l, server: &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				open.Add(1)
			}
			if state == http.StateClosed || state == http.StateHijacked {
				open.Done()
			}
		},
	}}
	m.handler, _ = handler.(*streamhttp.Handler)
	m.client = &http.Client{Transport: &http.Transport{DialContext: l.dial}}
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := m.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		m.client.CloseIdleConnections()
		m.server.Close()
		<-served
		open.Wait() // net/http keeps a connection open for half a second after it refused a body
	})
	return m
}

// shutdown begins to shut down the handler, which cancels calls after grace.
func (m *memory) shutdown(grace time.Duration) { shutdown(m.handler, grace) }

func shutdown(h *streamhttp.Handler, grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	go func() {
		defer cancel()
		_ = h.Shutdown(ctx)
	}()
}

// at returns m with another path, and optionally query, for its requests.
func (m *memory) at(path string) *memory {
	other := *m
	other.path = path
	return &other
}

// raw opens a connection and writes text, which may be malformed, to it. The connection is closed when the test ends.
func (m *memory) raw(text string) net.Conn {
	m.t.Helper()
	conn, err := m.listen.dial(m.t.Context(), "", "")
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		m.t.Fatal(err)
	}
	return conn
}

// rawPost returns the text of a POST request.
func rawPost(body string, header map[string]string) string {
	text := "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	for name, value := range header {
		text += name + ": " + value + "\r\n"
	}
	return text + "\r\n" + body
}

// pipeListener accepts one end of a pipe for each dial, which returns the other.
type pipeListener struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once // closes closed
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Addr() net.Addr { return l.addr }

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- placed{theirs, l.addr}:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// placed is a connection with a local address.
type placed struct {
	net.Conn
	addr net.Addr
}

func (c placed) LocalAddr() net.Addr { return c.addr }

// fixtureServer returns the server of internal/testing/fixture with these settings.
func fixtureServer(t *testing.T, settings map[string]string) *runtime.Server {
	t.Helper()
	srv, err := fixture.Server(settings)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// addTool adds a tool without arguments that returns a text.
func addTool(t *testing.T, srv *runtime.Server, name string, fn func(context.Context) string) {
	t.Helper()
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) { return mcptool.Text{Text: fn(ctx)}, nil }, mcptool.Name(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
}

// answer is a response. Its body is closed when the test ends.
type answer struct {
	status int
	header http.Header
	body   io.Reader
	closes bool // the server closes the connection after it
}

// request makes a request. A header with the value "" removes the default.
func (m *memory) request(ctx context.Context, method, body string, header map[string]string) *http.Request {
	m.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+m.path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	for name, value := range header {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	return r
}

// do sends a request. header is as for request.
func (m *memory) do(ctx context.Context, method, body string, header map[string]string) answer {
	m.t.Helper()
	response, err := m.client.Do(m.request(ctx, method, body, header))
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { response.Body.Close() })
	return answer{response.StatusCode, response.Header, response.Body, response.Close}
}

// modernMeta is the _meta of a modern request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modern returns the body of a modern request. params follow _meta, and begin with a comma.
func modern(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + modernMeta + params + `}}`
}

// heading returns the headers of a modern request and more, which are pairs of names and values.
func heading(method, name string, more ...string) map[string]string {
	h := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = more[i+1]
	}
	return h
}

// call sends a modern tools/call with id 1.
func (m *memory) call(ctx context.Context, tool, arguments string) answer {
	m.t.Helper()
	return m.do(ctx, http.MethodPost, modern("1", "tools/call", `,"name":"`+tool+`","arguments":`+arguments), heading("tools/call", tool))
}

// bodyOf reads a body to its end.
func bodyOf(t *testing.T, response answer) string {
	t.Helper()
	body, err := io.ReadAll(response.body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// answerOf returns the id and the error code of a JSON response. The code is 0 for a result.
func answerOf(t *testing.T, body string) (id string, code int) {
	t.Helper()
	var answer struct {
		ID    json.RawMessage
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return string(answer.ID), answer.Error.Code
}

// event is one server-sent event.
type event struct{ name, id, retry, data string }

// events reads server-sent events.
type events struct {
	lines    *bufio.Reader
	comments int
}

func eventsOf(response answer) *events { return &events{lines: bufio.NewReader(response.body)} }

// next returns the next event; at the end of the stream the error is [io.EOF].
func (s *events) next() (e event, err error) {
	for seen := false; ; {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return event{}, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n" && seen:
			return e, nil
		case line == "\n":
			continue
		case name == "":
			s.comments++
			continue
		case name == "data":
			e.data += value
		case name == "event":
			e.name = value
		case name == "id":
			e.id = value
		case name == "retry":
			e.retry = value
		default:
			return event{}, errors.New("unknown field: " + line)
		}
		seen = true
	}
}

// want reads the next event and checks that its data contains part.
func (s *events) want(t *testing.T, part string) event {
	t.Helper()
	e, err := s.next()
	if err != nil {
		t.Fatalf("no event: %v; want %s", err, part)
	}
	if !strings.Contains(e.data, part) {
		t.Fatalf("event %+v; want %s", e, part)
	}
	return e
}

// wantEnd checks that the stream has ended.
func (s *events) wantEnd(t *testing.T) {
	t.Helper()
	if e, err := s.next(); !errors.Is(err, io.EOF) {
		t.Fatalf("got %+v, %v; want the end of the stream", e, err)
	}
}
