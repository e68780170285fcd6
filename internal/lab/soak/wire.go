package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A wire is the HTTP transport of a client. It breaks connections on request, and records the client's last message. It
// is safe for concurrent use.
type wire struct {
	rev   revision
	base  *http.Transport
	wrong func(message []byte, err error)

	pausedUntil atomic.Pointer[time.Time] // when session streams are read again; nil for now
	isDeleted   atomic.Bool               // the server has confirmed the end of the session

	mu     sync.Mutex
	url    string      // of the client's last message
	header http.Header // of the client's last message
	isGone bool        // nothing is transmitted any more
	stream *body       // the last session stream
}

// A fault describes the faults in the connections of a request.
type fault struct {
	until  time.Time     // when they break; zero for never
	after  int           // number of messages before the first one breaks and must be resumed; 0 for all
	isSlow bool          // read the response slowly, through a small buffer
	isMute bool          // do not read the response
	begun  chan<- string // buffered; receives the media type of the response, "" without one
}

// begins signals the start of the response to the first request.
func (f *fault) begins(mediaType string) {
	if f == nil || f.begun == nil {
		return
	}
	select {
	case f.begun <- mediaType:
	default: // another request
	}
}

type faultKey struct{}

// withFault adds a fault to the context of a request, a zero one unless it already has one.
func withFault(ctx context.Context) context.Context {
	if ctx.Value(faultKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, faultKey{}, &fault{})
}

var (
	// errCut means that a connection was broken on purpose.
	errCut = errors.New("the connection was cut")
	// errDropped means that a stream was broken on purpose; the client reopens it.
	errDropped = errors.New("the stream was dropped")
)

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	f, _ := r.Context().Value(faultKey{}).(*fault) // nil for a handshake, and for a session stream
	isResumed := r.Header.Get("Last-Event-Id") != ""
	w.mu.Lock()
	isGone := w.isGone
	if r.Method == http.MethodPost {
		w.url, w.header = r.URL.String(), r.Header.Clone()
	}
	w.mu.Unlock()
	if isGone {
		return nil, errCut
	}
	if isResumed && f != nil && f.after == 0 && w.rev != "2025-11-25" {
		w.wrong(nil, fmt.Errorf("the server ended the stream of a request before its response, which revision %s does not allow", w.rev))
	}
	ctx, cut := context.WithCancelCause(r.Context())
	transport := w.base
	if f != nil && !f.until.IsZero() {
		timer := time.AfterFunc(time.Until(f.until), func() { cut(errCut) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	}
	if f != nil && f.isSlow {
		transport = slowTransport
	}
	if w.rev == revisions[0] && r.Method == http.MethodPost { // so that messages are complete before they are cancelled
		ctx = context.WithoutCancel(ctx)
	}
	response, err := transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		f.begins("")
		if errors.Is(context.Cause(ctx), errCut) {
			err = errCut
		}
		cut(nil)
		return nil, err
	}
	f.begins(mediaType(response))
	if r.Method == http.MethodDelete {
		w.isDeleted.Store(response.StatusCode == http.StatusNoContent)
		if response.StatusCode != http.StatusNoContent {
			w.wrong(nil, fmt.Errorf("DELETE of a session: %s", response.Status))
		}
	}
	b := &body{ReadCloser: response.Body, ctx: ctx, cut: cut, fault: f}
	switch {
	case f != nil && f.after > 0 && !isResumed:
		b.ReadCloser = &torn{body: response.Body, in: bufio.NewReader(response.Body), left: f.after}
	case f == nil && r.Method == http.MethodGet:
		b.pausedUntil = &w.pausedUntil
		w.mu.Lock()
		w.stream = b
		w.mu.Unlock()
	}
	response.Body = b
	return response, nil
}

// leave breaks the session stream and blocks all further requests, so that the server does not see the end of the
// session.
func (w *wire) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isGone = true
	if w.stream != nil {
		w.stream.cut(errCut)
	}
}

// dropStream breaks the session stream, and waits until the client has reopened it.
func (w *wire) dropStream(ctx context.Context) error {
	current := func() *body {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.stream
	}
	for dropped := (*body)(nil); ; {
		switch stream := current(); {
		case dropped == nil && stream != nil:
			stream.cut(errDropped)
			dropped = stream
		case stream != dropped:
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// slowTransport has connections with small receive buffers.
var slowTransport = &http.Transport{
	DisableKeepAlives: true,
	DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(32 << 10)
		}
		return conn, err
	},
}

// A body is the body of a response.
type body struct {
	io.ReadCloser
	ctx         context.Context // of the request
	cut         context.CancelCauseFunc
	fault       *fault // nil for none
	pausedUntil *atomic.Pointer[time.Time]
	reads       int
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	switch f := b.fault; {
	case f != nil && f.isMute:
		<-b.ctx.Done()
		return 0, errCut // data that has arrived stays readable until the connection is closed
	case f != nil && f.isSlow && b.reads < 20:
		b.reads++
		time.Sleep(20 * time.Millisecond)
		p = p[:min(len(p), 4<<10)]
	}
	n, err := b.ReadCloser.Read(p)
	if b.pausedUntil != nil {
		if until := b.pausedUntil.Load(); until != nil {
			time.Sleep(time.Until(*until))
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		switch cause := context.Cause(b.ctx); {
		case errors.Is(cause, errCut):
			err = errCut
		case errors.Is(cause, errDropped):
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	defer b.cut(nil)
	return b.ReadCloser.Close()
}

// torn is an event stream with a connection that breaks after a number of messages. The client should resume it soon.
type torn struct {
	body io.Closer
	in   *bufio.Reader
	left int
	line []byte // the rest of the current line
}

// Read implements [io.Reader].
func (t *torn) Read(p []byte) (int, error) {
	if len(t.line) == 0 {
		if t.left == 0 {
			return 0, errors.Join(io.ErrUnexpectedEOF, t.body.Close())
		}
		line, err := t.in.ReadBytes('\n')
		if err != nil {
			return copy(p, line), err
		}
		if bytes.HasPrefix(line, []byte("data: ")) {
			if t.left--; t.left == 0 {
				line = append(line, "retry: 10\n\n"...)
			}
		}
		t.line = line
	}
	n := copy(p, t.line)
	t.line = t.line[n:]
	return n, nil
}

// Close implements [io.Closer].
func (t *torn) Close() error { return t.body.Close() }

// eventStream is the media type of event streams.
const eventStream = "text/event-stream"

// mediaType returns the media type of a response.
func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // "" on error
	return kind
}
