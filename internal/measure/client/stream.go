package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

const (
	// resumeDelay is the default delay before a stream is resumed; a server can set another one, but not less than
	// minResume.
	resumeDelay = time.Second
	minResume   = 10 * time.Millisecond
	// maxResume is the maximum number of consecutive resumptions without new events.
	maxResume = 5
	// attendWait is how long the handshake waits for the session stream to open. Some servers do not send the response
	// header before the first event.
	attendWait = time.Second
)

// follow reads the response stream of a request up to the response. It resumes the stream if the server ends it
// earlier, as legacy servers may.
func (w *httpConnection) follow(ctx context.Context, r *request, resp *http.Response) ([]byte, error) {
	stream := &events{retry: resumeDelay}
	stream.open(resp.Body)
	for idle := 0; ; idle++ {
		seen := stream.lastID
		answer, err := w.until(ctx, stream, r.id)
		if answer != nil {
			return answer, w.readRest(ctx, r.method, stream)
		}
		if ctx.Err() != nil || !isEnd(err) {
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
		defer func() { _ = body.Close() }() // the body was already read
		stream.open(body)
	}
}

// readRest reports the messages after the response to method, if Options.Unexpected is set.
func (w *httpConnection) readRest(ctx context.Context, method string, stream *events) error {
	for w.in.unexpected != nil {
		message, err := stream.nextMessage()
		if isEnd(err) {
			return nil
		}
		if err != nil {
			return w.bodyError(ctx, method, err)
		}
		w.in.unexpected(message, "it follows the answer to "+method)
	}
	return nil
}

// until reads a stream up to the response with the given id, or with any.
func (w *httpConnection) until(ctx context.Context, stream *events, id int64) ([]byte, error) {
	for {
		text, err := stream.nextMessage()
		if err != nil {
			return nil, err
		}
		switch m := w.in.read(text); {
		case m.kind != envelope.Response || m.id != id && id != anyID:
			w.in.other(ctx, m)
		case m.err != nil:
			return nil, m.err
		default:
			return m.text, nil
		}
	}
}

// pause waits for d before a stream is resumed.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// resume requests the events after lastID, or opens the session stream if lastID is "". If the server has no such
// stream, the error is an *UnreachableError that wraps a *StatusError.
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
	if resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream" {
		return resp.Body, nil
	}
	text, _ := readAll(resp.Body) // the status is enough without a body
	_ = resp.Body.Close()
	return nil, w.responseError(resp, text)
}

// attend listens to the session stream, if the server has one.
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

// listen reads the session stream and resumes it after an interruption, until the server refuses it, it repeatedly ends
// at once, or w is closed.
func (w *httpConnection) listen(opened func()) {
	stream := &events{retry: resumeDelay}
	for idle := 0; idle < maxResume; idle++ {
		seen, began := stream.lastID, time.Now()
		body, err := w.resume(w.ctx, stream.lastID)
		if err != nil {
			return
		}
		opened()
		stream.open(body)
		_, err = w.until(w.ctx, stream, 0) // no request has the id 0, so this reads to the end
		_ = body.Close()
		if stream.lastID != seen || time.Since(began) > resumeDelay {
			idle = 0
		}
		if !isEnd(err) || pause(w.ctx, stream.retry) != nil {
			return
		}
	}
}
