package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

const (
	// resumeDelay is how long to wait before the rest of a stream is asked for, unless the
	// server says so; minResume is how long at least.
	resumeDelay = time.Second
	minResume   = 10 * time.Millisecond
	// maxResume is how often the rest is asked for when nothing new comes.
	maxResume = 5
	// attendWait is how long the handshake waits for the stream of a session to be open.
	// Some servers send not even a header before they have something to say.
	attendWait = time.Second
)

// follow reads the stream that a request was answered with, until the answer. A server of
// the legacy era may end it before that; the rest is then asked for.
func (w *httpConnection) follow(ctx context.Context, r *request, resp *http.Response) ([]byte, error) {
	stream := newEvents(resp.Body)
	for idle := 0; ; idle++ {
		seen := stream.lastID
		answer, err := w.until(stream, r.id)
		if answer != nil {
			return answer, w.readRest(ctx, r.method, stream)
		}
		if ctx.Err() != nil || !isEnd(err) || errors.Is(err, errTooLong) {
			return nil, w.bodyError(ctx, r.method, err)
		}
		if stream.lastID != seen {
			idle = 0
		}
		if stream.lastID == "" || idle == maxResume {
			return nil, w.unreachable(fmt.Sprintf("the stream ended before %s was answered", r.method), err)
		}
		if err := pause(ctx, stream.retry); err != nil {
			return nil, err
		}
		body, err := w.resume(ctx, stream.lastID)
		if err != nil {
			return nil, err
		}
		defer func() { _ = body.Close() }() // what is to be known of it was read
		stream.in.Reset(body)
	}
}

// readRest reports what is behind the answer to method on its stream, if somebody wants to know.
func (w *httpConnection) readRest(ctx context.Context, method string, stream *events) error {
	for w.unexpected != nil {
		message, err := stream.nextMessage()
		if isEnd(err) {
			return nil
		}
		if err != nil {
			return w.bodyError(ctx, method, err)
		}
		w.unexpected(message, "it follows the answer to "+method)
	}
	return nil
}

// until reads a stream until the answer to a request.
func (w *httpConnection) until(stream *events, id int64) ([]byte, error) {
	for {
		message, err := stream.nextMessage()
		if err != nil {
			return nil, err
		}
		of, kind := kindOf(message)
		if kind == envelope.Response && of == id {
			return message, nil
		}
		w.inbox(kind, message)
	}
}

// pause waits until the rest of a stream may be asked for.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// resume asks for what follows the event lastID; for what has no request if it is "". The
// error is a *StatusError in an *UnreachableError if there is no stream.
func (w *httpConnection) resume(ctx context.Context, lastID string) (io.ReadCloser, error) {
	req, err := w.newRequest(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if lastID != "" {
		req.Header.Set("Last-Event-Id", lastID)
	}
	resp, err := w.do(req)
	if err != nil {
		return nil, err
	}
	kind := mediaType(resp)
	if resp.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return resp.Body, nil
	}
	text, _ := readAll(resp.Body) // the status says it, too
	_ = resp.Body.Close()
	return nil, w.responseError(resp, kind, text)
}

// attend listens to the stream of a session, if the server has one.
func (w *httpConnection) attend() {
	open := make(chan struct{})
	opened := sync.OnceFunc(func() { close(open) })
	w.work.Go(func() {
		defer opened()
		w.listen(opened)
	})
	select {
	case <-open:
	case <-time.After(attendWait):
	}
}

// listen reads the stream of a session, and again when it breaks, until the server has none
// any more, or only such that break at once, or w is closed.
func (w *httpConnection) listen(opened func()) {
	stream := newEvents(nil)
	for idle := 0; idle < maxResume; idle++ {
		seen, began := stream.lastID, time.Now()
		body, err := w.resume(w.ctx, stream.lastID)
		if err != nil {
			return
		}
		opened()
		stream.in.Reset(body)
		_, err = w.until(stream, 0) // nobody has the id 0, so it reads to the end
		_ = body.Close()
		if stream.lastID != seen || time.Since(began) > resumeDelay {
			idle = 0
		}
		if !isEnd(err) || pause(w.ctx, stream.retry) != nil {
			return
		}
	}
}
