package swap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/sse"
)

// A joining returns the id of a session in a server, "" if it has none there, or why the server cannot serve the session.
type joining func() (id string, err error)

// setJoined sets the outcome of the handshake of a client itself.
func (srv *server) setJoined(s *session, id string, err error) {
	srv.front.mu.Lock()
	defer srv.front.mu.Unlock()
	srv.joined[s] = func() (string, error) { return id, err }
}

// sessionID returns the id of a session in the server, where it repeats the state of the session first if the server does
// not know it.
func (srv *server) sessionID(s *session) (string, error) {
	if s.id == "" {
		return "", nil
	}
	srv.front.mu.Lock()
	join := srv.joined[s]
	if join == nil {
		join = sync.OnceValues(func() (string, error) { return srv.repeat(s) })
		srv.joined[s] = join
	}
	srv.front.mu.Unlock()
	return join()
}

// repeat repeats the state of a session.
func (srv *server) repeat(s *session) (id string, err error) {
	f := srv.front
	limit := f.options.Start
	ctx, cancel := context.WithTimeoutCause(srv.alive, limit, fmt.Errorf("the server does not answer initialize within %v", limit))
	defer cancel()
	defer func() {
		if err != nil && srv.alive.Err() == nil {
			f.options.Logf("%v", err)
		}
	}()
	f.mu.Lock()
	hello, isFirst := s.handshake()
	f.mu.Unlock()
	if hello == nil || isFirst { // the client does it
		return "", nil
	}
	response, id, err := srv.send(ctx, s, hello, nil)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	repeats, err := f.repeatsFor(s, response)
	header := http.Header{"Mcp-Protocol-Version": {s.revision}, "Mcp-Session-Id": {id}}
	f.mu.Unlock()
	for _, m := range repeats {
		response, _, err = srv.send(ctx, s, m, header)
		if err != nil {
			break
		}
		if response.Error != nil {
			f.options.Logf(refusesRepeated, m.Method, response.Error)
		}
	}
	return id, err
}

// send sends a message of the front for a session, and returns the response to a request.
func (srv *server) send(ctx context.Context, s *session, m *message, header http.Header) (response *message, id string, err error) {
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
	take := func(text []byte) bool {
		got := parse(text)
		isAnswer := got.Kind == envelope.Response && got.key() == m.key()
		if isAnswer {
			response = got
		}
		return isAnswer
	}
	if isEvents(resp) {
		events := sse.NewReader(resp.Body, maxMessage)
		event, err := events.Next()
		for err == nil && !take(event.Data) {
			event, err = events.Next()
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
	return srv.front.upstream.RoundTrip(out)
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
