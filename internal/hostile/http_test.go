package hostile_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// httpClient sends handwritten requests to an HTTP server over pipes, so it allocates little itself.
type httpClient struct {
	t       *testing.T
	era     era
	listen  *listener
	server  *http.Server
	handler *streamhttp.Handler
	session string

	mu   sync.Mutex
	open map[net.Conn]bool
}

// grace is the grace period of calls at shutdown, the same as with stdio.
const grace = 2 * time.Second

func openHTTP(t *testing.T, e era, srv *runtime.Server) client {
	t.Helper()
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	c := &httpClient{
		t: t, era: e, handler: handler, open: map[net.Conn]bool{},
		listen: &listener{conns: make(chan net.Conn), closed: make(chan struct{})},
		server: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, // as in the package documentation
		},
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := c.server.Serve(c.listen); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		c.vanish()
		c.end()
		c.server.Close()
		<-served
		time.Sleep(time.Second) // net/http keeps a connection open for half a second after refusing its request
	})
	if !e.modern {
		if a := c.send(e.initialize()); a.err != nil {
			t.Fatal(a.err)
		}
		c.send(initialized)
	}
	return c
}

// end begins to shut the handler down.
func (c *httpClient) end() { shutdown(c.handler) }

// shutdown begins to shut h down.
func shutdown(h *streamhttp.Handler) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	go func() {
		defer cancel()
		_ = h.Shutdown(ctx)
	}()
}

// dial opens a connection, which vanish closes.
func (c *httpClient) dial() net.Conn {
	ours, theirs := net.Pipe()
	select {
	case c.listen.conns <- placed{theirs}:
	case <-c.listen.closed:
		ours.Close()
		return ours
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[ours] = true
	return ours
}

func (c *httpClient) hangUp(conn net.Conn) {
	conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}

// heading returns the head of a request with the body m, without the final empty line.
func (c *httpClient) heading(m message) string {
	head := "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	if c.era.modern {
		head += "MCP-Protocol-Version: " + c.era.version + "\r\nMcp-Method: " + m.method + "\r\n"
		if m.name != "" {
			head += "Mcp-Name: " + m.name + "\r\n"
		}
	} else if c.session != "" {
		head += "MCP-Protocol-Version: " + c.era.version + "\r\nMcp-Session-Id: " + c.session + "\r\n"
	}
	head += m.header
	if m.chunked {
		return head + "Transfer-Encoding: chunked\r\n"
	}
	return head + "Content-Length: " + strconv.Itoa(m.size()) + "\r\n"
}

func (c *httpClient) send(m message) answer {
	conn := c.dial()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		c.write(conn, m) // a server that refuses a body does not read all of it
	}()
	defer func() {
		c.hangUp(conn)
		<-wrote
	}()
	return c.read(bufio.NewReader(conn))
}

// write writes a request that contains m until the server stops reading.
func (c *httpClient) write(conn net.Conn, m message) {
	if _, err := io.WriteString(conn, c.heading(m)+"\r\n"); err != nil {
		return
	}
	if !m.chunked {
		_ = m.writeTo(conn)
		return
	}
	chunks := httputil.NewChunkedWriter(conn)
	if m.writeTo(chunks) == nil && chunks.Close() == nil {
		_, _ = io.WriteString(conn, "\r\n")
	}
}

// unfinished sends only the head of m and waits for the response.
func (c *httpClient) unfinished(m message) answer {
	conn := c.dial()
	defer c.hangUp(conn)
	if _, err := io.WriteString(conn, c.heading(m)+"\r\n"+string(m.head)); err != nil {
		return answer{err: err}
	}
	return c.read(bufio.NewReader(conn))
}

func (c *httpClient) repeat(m message, times int, each func(answer)) {
	conn := c.dial()
	defer c.hangUp(conn)
	r := bufio.NewReader(conn)
	for range times {
		c.write(conn, m)
		each(c.read(r))
	}
}

func (c *httpClient) crawl(m message) (ended func() []crawled) {
	const connections = 100
	inPieces := m.slowly()
	inPieces.chunked = true
	ways := []struct {
		what  string
		write func(conn net.Conn)
	}{
		{"a header", func(conn net.Conn) { _ = message{head: []byte(c.heading(m)), slow: true}.writeTo(conn) }},
		{"a body", func(conn net.Conn) { c.write(conn, m.slowly()) }},
		{"a body in chunks", func(conn net.Conn) { c.write(conn, inPieces) }},
	}
	done := make(chan crawled, connections*len(ways))
	for _, way := range ways {
		for range connections {
			conn := c.dial()
			began := time.Now()
			go way.write(conn)
			go func() {
				defer c.hangUp(conn)
				a := c.read(bufio.NewReader(conn))
				done <- crawled{way.what, time.Since(began), a}
			}()
		}
	}
	return func() (all []crawled) {
		for range cap(done) {
			all = append(all, <-done)
		}
		return all
	}
}

// read reads a response.
func (c *httpClient) read(r *bufio.Reader) (a answer) {
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{err: err}
	}
	a.status = response.StatusCode
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		body = lastEvent(body)
	}
	if len(body) == 0 {
		a.err = fmt.Errorf("status %d", a.status)
		return a
	}
	a.read(body)
	return a
}

// lastEvent returns the data of the last event of a stream.
func lastEvent(stream []byte) (data []byte) {
	for line := range bytes.Lines(stream) {
		if text, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(text) > 1 {
			data = text[:len(text)-1]
		}
	}
	return data
}

func (c *httpClient) vanish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		conn.Close()
	}
	clear(c.open)
}

// shutdownMost is how long a program waits for its HTTP server to shut down.
const shutdownMost = 5 * time.Second

func (c *httpClient) shutdown() {
	c.end()
	ctx, cancel := context.WithTimeout(context.Background(), shutdownMost)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close()
	}
}

// listener accepts connections made with net.Pipe.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Addr() net.Addr { return loopback }

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}

// placed is a connection with a loopback remote address.
type placed struct{ net.Conn }

func (placed) LocalAddr() net.Addr { return loopback }
