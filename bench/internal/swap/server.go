package swap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// A server is a process that serves all clients over HTTP.
type server struct {
	*process.Running
	front      *Front
	addr       string
	generation int

	alive   context.Context // ends when it must not be used, with the reason as its cause
	kill    context.CancelCauseFunc
	newest  context.Context // ends when it was replaced, or with alive
	replace context.CancelFunc

	mu      sync.Mutex
	pending map[pendingKey]*message // the requests that it has to answer, and those whose input it waits for
}

// A pendingKey is the key of a request. Owner is the session, or in the modern era, where other clients may have the
// same id, the request.
type pendingKey struct {
	owner any
	id    string
}

// stateKey returns the key of the request that follows a response which requires input.
func stateKey(state []byte) pendingKey { return pendingKey{id: string(state)} }

// listen starts a version that listens, and makes it current.
func (f *Front) listen(ctx context.Context, v Version) error {
	if !f.join() {
		return errClosed
	}
	p, err := f.start(v)
	if err != nil {
		f.work.Done()
		return err
	}
	srv := &server{Running: p, front: f, addr: v.Addr, pending: map[pendingKey]*message{}}
	srv.alive, srv.kill = context.WithCancelCause(f.ctx)
	srv.newest, srv.replace = context.WithCancel(srv.alive)
	f.mu.Lock()
	f.http.generation++
	srv.generation = f.http.generation
	f.http.servers[srv] = struct{}{}
	f.mu.Unlock()
	go srv.run()
	if err := srv.awaitListening(ctx); err != nil {
		srv.kill(err)
		return err
	}
	f.mu.Lock()
	old := f.http.current
	f.http.current = srv
	f.mu.Unlock()
	if old != nil {
		old.replace()
		old.settle()
	}
	return nil
}

// awaitListening returns when the server accepts connections.
func (srv *server) awaitListening(ctx context.Context) error {
	limit := srv.front.options.Start
	late := time.After(limit)
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", srv.addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-srv.alive.Done():
			return context.Cause(srv.alive)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			why := fmt.Sprintf("the server does not listen on %s within %v, the address that replaces {addr} in its command", srv.addr, limit)
			return errors.New(srv.front.explain(why, srv.Running))
		}
	}
}

// run waits for the end of the server, and stops it.
func (srv *server) run() {
	f, read := srv.front, make(chan struct{})
	defer f.work.Done()
	go func() {
		_, _ = io.Copy(f.options.Stderr, srv.Out) // until the last writer has exited
		srv.OutEnded()
		close(read)
	}()
	var late <-chan time.Time
	for replaced := srv.newest.Done(); srv.alive.Err() == nil; {
		select {
		case <-srv.Exited():
			<-read
			why := f.ended(srv.Running)
			if srv.newest.Err() == nil {
				f.options.Logf("%s", why)
			}
			srv.kill(errors.New(why))
		case <-replaced:
			replaced, late = nil, time.After(f.options.Grace)
		case <-late:
			srv.kill(errors.New(tooLate(f.options.Grace)))
			srv.Kill()
		case <-srv.alive.Done():
		}
	}
	f.mu.Lock()
	delete(f.http.servers, srv)
	f.mu.Unlock()
	srv.Terminate()    // the end of stdin means nothing to it
	_ = srv.Stop(read) // the pipes close
}

// settle ends a replaced server that has answered everything.
func (srv *server) settle() {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if len(srv.pending) == 0 && srv.newest.Err() != nil {
		srv.kill(errors.New("the server was replaced by a new build"))
	}
}

// add adds a request to answer.
func (srv *server) add(key pendingKey, m *message) {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	srv.pending[key] = m
}

// remove removes a request that needs no answer any more, and returns it; nil if there is none.
func (srv *server) remove(key pendingKey) *message {
	srv.mu.Lock()
	m := srv.pending[key]
	delete(srv.pending, key)
	srv.mu.Unlock()
	srv.settle()
	return m
}

// has reports whether the server has to answer a request.
func (srv *server) has(key pendingKey) bool {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return srv.pending[key] != nil
}

// holds reports whether the server waits for the input that a request has.
func (srv *server) holds(m *message) bool {
	return m.Params.State != nil && srv.alive.Err() == nil && srv.has(stateKey(m.Params.State))
}

// A membership is the state of a session in a server.
type membership struct {
	mu   sync.Mutex // held during the handshake
	done bool
	id   string // of the session in the server; "" if it has none
	err  error  // why it cannot serve the session
}

// set sets the outcome of the handshake of the client itself.
func (j *membership) set(id string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done, j.id, j.err = true, id, err
}

// sessionID returns the id of a session in the server, where it repeats the state of the session first if the server
// does not know it.
func (srv *server) sessionID(s *httpSession) (string, error) {
	if s.id == "" {
		return "", nil
	}
	j := s.membership(srv)
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.done {
		j.id, j.err = srv.repeat(s)
		if j.done = true; j.err != nil && srv.alive.Err() == nil {
			srv.front.options.Logf("%v", j.err)
		}
	}
	return j.id, j.err
}

// repeat repeats the state of a session.
func (srv *server) repeat(s *httpSession) (id string, err error) {
	limit := srv.front.options.Start
	ctx, cancel := context.WithTimeoutCause(srv.alive, limit, fmt.Errorf("the server does not answer initialize within %v", limit))
	defer cancel()
	s.mu.Lock()
	hello, isFirst := s.state.handshake()
	s.mu.Unlock()
	if hello == nil || isFirst { // the server refuses a client without a session
		return "", nil
	}
	response, id, err := srv.post(ctx, s, hello, nil)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	err = s.state.agree(response)
	srv.front.hint(s.state.undeclared(response))
	repeats := s.state.repeats()
	header := http.Header{"Mcp-Protocol-Version": {s.state.revision}, "Mcp-Session-Id": {id}}
	s.mu.Unlock()
	for _, m := range repeats {
		if err == nil {
			response, _, err = srv.post(ctx, s, m, header)
		}
		if err == nil && response.Error != nil {
			srv.front.options.Logf(refusesRepeated, m.Method, response.Error)
		}
	}
	return id, err
}

// post sends a message of the front for a session, and returns the response to a request.
func (srv *server) post(ctx context.Context, s *httpSession, m *message, header http.Header) (response *message, id string, err error) {
	r := s.origin.Clone(ctx)
	maps.Copy(r.Header, header)
	resp, err := srv.do(r, m.text, header.Get("Mcp-Session-Id"))
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, "", err
	}
	defer func() { _ = resp.Body.Close() }() // the body was read
	response = &message{}
	take := func(text []byte) []byte {
		if got := parse(text); got.Kind == envelope.Response && got.key() == m.key() {
			response = got
		}
		return text
	}
	if isEvents(resp) {
		for stream := newEvents(resp.Body, take); response.Kind == envelope.Malformed && err == nil; {
			_, err = stream.next()
		}
	} else if text, err := readAll(resp.Body); err == nil {
		take(text)
	}
	if m.Kind == envelope.Request && response.Kind == envelope.Malformed {
		return nil, "", fmt.Errorf("the server does not answer %s (%s)", m.Method, resp.Status)
	}
	return response, resp.Header.Get("Mcp-Session-Id"), nil
}

// hopByHop are the headers of a connection and not of a message.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// do sends a request of a client to the server, with another body and another session. Host and Origin stay.
func (srv *server) do(r *http.Request, body []byte, session string) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.RequestURI, out.URL.Scheme, out.URL.Host = "", "http", srv.addr
	out.Body, out.ContentLength = http.NoBody, 0
	if body != nil {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	for _, name := range append(hopByHop, "Mcp-Session-Id", "Accept-Encoding") { // messages are changed, so they come uncompressed
		out.Header.Del(name)
	}
	if session != "" {
		out.Header.Set("Mcp-Session-Id", session)
	}
	return srv.front.http.transport.RoundTrip(out)
}

// isEvents reports whether a response is an event stream.
func isEvents(resp *http.Response) bool {
	return resp.StatusCode/100 == 2 && mediaType(resp) == "text/event-stream"
}

// mediaType returns the media type of a body; "" if there is none.
func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" on error
	return kind
}

// readAll reads a body of at most maxMessage bytes.
func readAll(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxMessage+1))
	if err == nil && len(data) > maxMessage {
		return nil, fmt.Errorf("a message of more than %d MiB", maxMessage>>20)
	}
	return data, err
}
