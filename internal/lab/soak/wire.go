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

// A wire is what a client sends its requests over HTTP through. It breaks connections where it is told to, and
// knows what the client has sent last. It is safe for concurrent use.
type wire struct {
	rev   revision
	base  *http.Transport
	wrong func(message []byte, err error)

	pausedUntil atomic.Pointer[time.Time] // when streams that belong to no request are read again; nil for now

	mu     sync.Mutex
	url    string      // of the client's last message
	header http.Header // of it
	isGone bool        // nothing gets through any more
	stream *body       // the last one that belongs to no request
}

// A fault is what happens to the connections of a request.
type fault struct {
	until  time.Time     // when they break; zero for never
	after  int           // how many messages the client gets before the first one breaks and is to be resumed; 0 for all
	isSlow bool          // the answer is read slowly, through a small buffer
	isMute bool          // the answer is not read
	begun  chan<- string // has room for the media type of the answer, "" if there is no answer
}

// begins says that the answer to the first request has begun.
func (f *fault) begins(mediaType string) {
	if f == nil || f.begun == nil {
		return
	}
	select {
	case f.begun <- mediaType:
	default: // it was another request
	}
}

type faultKey struct{}

// withFault marks the context of a request, whose connections have no fault unless it is marked already.
func withFault(ctx context.Context) context.Context {
	if ctx.Value(faultKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, faultKey{}, &fault{})
}

var (
	// errCut means that a connection was broken on purpose.
	errCut = errors.New("the connection was cut")
	// errDropped means that a stream was, which the client opens again.
	errDropped = errors.New("the stream was dropped")
)

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	f, _ := r.Context().Value(faultKey{}).(*fault) // nil for a handshake, and for a stream that belongs to no request
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
		w.wrong(nil, fmt.Errorf("the server ended the stream of a request before its answer, which is not of revision %s", w.rev))
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
	if w.rev == revisions[0] && r.Method == http.MethodPost { // so that what was sent is cancelled, and not half of it
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
	if r.Method == http.MethodDelete && response.StatusCode != http.StatusNoContent {
		w.wrong(nil, fmt.Errorf("a session is ended with %s", response.Status))
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

// leave breaks the stream that belongs to no request, and lets nothing through any more: the server gets no end of the session.
func (w *wire) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isGone = true
	if w.stream != nil {
		w.stream.cut(errCut)
	}
}

// dropStream breaks the stream that belongs to no request, and waits until the client has opened it again.
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

// slowTransport has connections that take little before they are read.
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

// A body is one of a response.
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
		return 0, errCut // what has arrived could be read until the connection is closed
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

// torn is an event stream whose connection breaks after so many messages. The client is to resume it soon.
type torn struct {
	body io.Closer
	in   *bufio.Reader
	left int
	line []byte // what is left of it
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

// mediaType returns of what kind an answer is.
func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // none is another one
	return kind
}
