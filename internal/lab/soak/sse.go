package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// An sseTransport lets a client of Streamable HTTP talk to a server over HTTP with SSE, the transport of revision
// 2024-11-05: it returns the responses from the event stream of the server as the responses to the POST requests, and
// the other messages as the session stream of the client. It is safe for concurrent use.
type sseTransport struct {
	base http.RoundTripper

	opening  sync.Once
	err      error // of opening the stream
	endpoint string
	ctx      context.Context // ends with the stream, and its cause is why
	end      context.CancelCauseFunc
	rest     *io.PipeReader // messages that are not responses to waiting requests, as an event stream

	mu      sync.Mutex
	waiting map[string]chan []byte // by id of a request
}

func newSSETransport(base http.RoundTripper) *sseTransport {
	s := &sseTransport{base: base, waiting: map[string]chan []byte{}}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	return s
}

// CloseIdleConnections closes the event stream. A client without a session stream calls it when it closes.
func (s *sseTransport) CloseIdleConnections() { s.end(errors.New("the client has closed")) }

// RoundTrip implements [http.RoundTripper].
func (s *sseTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.opening.Do(func() { s.err = s.open(r) })
	switch {
	case s.err != nil:
		return nil, s.err
	case s.ctx.Err() != nil:
		return nil, context.Cause(s.ctx) //nolint:contextcheck // the end of the stream, not of the request
	case r.Method == http.MethodGet:
		context.AfterFunc(r.Context(), func() { // the client closes
			s.CloseIdleConnections()
			_ = s.rest.Close() // returns nil
		})
		return answer(r, eventStream, s.rest), nil
	default:
		return s.post(r)
	}
}

// open opens the event stream and reads the URL for messages.
func (s *sseTransport) open(first *http.Request) error {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, first.URL.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", eventStream)
	response, err := s.base.RoundTrip(r) //nolint:bodyclose // closed at the end of the stream
	if err != nil {
		return err
	}
	in := bufio.NewReader(response.Body)
	name, data, err := readEvent(in)
	if err == nil && name != "endpoint" {
		err = fmt.Errorf("the stream begins with the event %q, not with endpoint", name)
	}
	if err != nil {
		return errors.Join(err, response.Body.Close())
	}
	endpoint, err := first.URL.Parse(string(data))
	if err != nil {
		return errors.Join(err, response.Body.Close())
	}
	s.endpoint = endpoint.String()
	rest, to := io.Pipe()
	s.rest = rest
	go func() {
		err := s.read(in, to)
		s.end(fmt.Errorf("the stream has ended: %w", err))
		_ = to.CloseWithError(errors.Join(err, response.Body.Close())) // returns nil
	}()
	return nil
}

// read dispatches messages until the stream ends.
func (s *sseTransport) read(in *bufio.Reader, rest io.Writer) error {
	for {
		_, data, err := readEvent(in)
		if err != nil {
			return err
		}
		var m envelope.Message
		var waiting chan []byte
		if m.Read(data, maxDepth) == nil && m.Kind == envelope.Response {
			waiting = s.take(string(m.ID))
		}
		if waiting != nil {
			waiting <- data // buffered
			continue
		}
		if _, err := fmt.Fprintf(rest, "data: %s\n\n", data); err != nil {
			return err
		}
		// The client reads this line after it has handled the message: before the response that follows.
		if _, err := io.WriteString(rest, ":\n"); err != nil {
			return err
		}
	}
}

// maxDepth is the maximum nesting depth of messages.
const maxDepth = 512

// take returns the channel of a request that is waiting, and removes it; nil if there is none.
func (s *sseTransport) take(id string) chan []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.waiting[id]
	delete(s.waiting, id)
	return waiting
}

// post sends a message, and waits for the response if it is a request.
func (s *sseTransport) post(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, s.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header
	var m envelope.Message
	got := make(chan []byte, 1)
	isRequest := m.Read(body, maxDepth) == nil && m.Kind == envelope.Request
	if id := string(m.ID); isRequest {
		s.mu.Lock()
		s.waiting[id] = got
		s.mu.Unlock()
		defer s.take(id)
	}
	response, err := s.base.RoundTrip(out)
	if err != nil || !isRequest || response.StatusCode/100 != 2 {
		return response, err
	}
	if err := response.Body.Close(); err != nil {
		return nil, err
	}
	select {
	case data := <-got:
		return answer(r, "application/json", io.NopCloser(bytes.NewReader(data))), nil
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	case <-s.ctx.Done():
		return nil, context.Cause(s.ctx) //nolint:contextcheck // the end of the stream, not of the request
	}
}

// answer returns a successful response to r.
func answer(r *http.Request, mediaType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {mediaType}}, Body: body, ContentLength: -1, Request: r,
	}
}

// readEvent reads a server-sent event with one line of data.
func readEvent(in *bufio.Reader) (name string, data []byte, err error) {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return "", nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			name = string(value)
		}
		if value, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = value
		}
		if len(line) == 0 && data != nil {
			return name, data, nil
		}
	}
}
