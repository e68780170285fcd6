package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A rawSender sends messages that a correct client does not send, on the connection of a client, and receives responses
// that clients do not expect: errors without an id, and responses to batches. It sends one message at a time, because
// the responses cannot be matched to messages.
type rawSender struct {
	sending sync.Mutex

	mu     sync.Mutex
	answer chan []byte // buffered for the response; nil if none is expected
	late   int         // number of responses that timed out, which was reported
}

// malformedID is the id of malformed messages with an id.
const malformedID = `"malformed"`

// isByHand reports whether a response, with m as its first message, belongs to a raw message.
func isByHand(text []byte, m *message) bool {
	id := string(m.ID)
	return id == "" || id == "null" || id == malformedID || bytes.HasPrefix(text, []byte("["))
}

// answered handles a response, and reports whether it is expected.
func (r *rawSender) answered(text []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.answer != nil:
		r.answer <- bytes.Clone(text)
		r.answer = nil
	case r.late > 0:
		r.late--
	default:
		return false
	}
	return true
}

// await sets whether a response is expected, or has timed out.
func (r *rawSender) await(answer chan []byte, isLate bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if isLate && r.answer != nil {
		r.late++
	}
	r.answer = answer
}

// sendRaw sends a message on the stream of the client.
func (v *session) sendRaw(ctx context.Context, text []byte) error {
	if stream, ok := v.Stream(); ok {
		return stream.Write(append(bytes.Clone(text), '\n'))
	}
	response, err := v.post(ctx, text, v.header("", ""))
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err == nil && response.StatusCode != http.StatusAccepted {
		err = &client.StatusError{Status: response.StatusCode, Text: shorten(answer)}
	}
	return err
}

// askRaw sends a message on the stream of the client, and returns the response.
func (v *session) askRaw(ctx context.Context, text []byte) ([]message, error) {
	v.raw.sending.Lock()
	defer v.raw.sending.Unlock()
	answer := make(chan []byte, 1)
	v.raw.await(answer, false)
	if err := v.sendRaw(ctx, text); err != nil {
		v.raw.await(nil, false)
		return nil, err
	}
	var dead <-chan struct{} // nil over HTTP
	stream, ok := v.Stream()
	if ok {
		dead = stream.Dead()
	}
	select {
	case text := <-answer:
		return parse(text)
	case <-ctx.Done():
		v.raw.await(nil, true)
		return nil, context.Cause(ctx)
	case <-dead:
		return nil, stream.Err()
	}
}

// askBatch sends a batch and returns the responses.
func (v *session) askBatch(ctx context.Context, text []byte) ([]message, error) {
	if v.wire == nil {
		return v.askRaw(ctx, text)
	}
	response, err := v.post(ctx, text, v.header("", ""))
	if err != nil {
		return nil, err
	}
	return readMessages(response)
}

// rawRequest returns the text of a request as sent by the client.
func (v *session) rawRequest(method string, params object) ([]byte, error) {
	p, err := v.PrepareRequest(method, encode(params))
	if err != nil {
		return nil, err
	}
	id := v.begin()
	v.end(id)
	return p.Append(nil, id), nil
}

// header returns the headers of a message as sent by the client, for a method and a name.
func (v *session) header(method, name string) http.Header {
	v.wire.mu.Lock()
	defer v.wire.mu.Unlock()
	h := v.wire.header.Clone()
	if v.rev == modern {
		h.Set("Mcp-Method", method)
		h.Del("Mcp-Name")
		if name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	return h
}

// delete ends the session once more, after a DELETE of the client without a response, which the server may have received.
func (v *session) delete(ctx context.Context) error {
	r, err := v.newPost(ctx, nil, v.header("", ""))
	if err != nil {
		return err
	}
	r.Method = http.MethodDelete
	response, err := (&http.Client{Transport: v.wire.base}).Do(r)
	if err != nil {
		return err
	}
	if code := response.StatusCode; code != http.StatusNoContent && code != http.StatusNotFound {
		err = fmt.Errorf("second DELETE of a session: %s", response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// newPost returns a request that posts a message to the URL of the client.
func (v *session) newPost(ctx context.Context, msg []byte, header http.Header) (*http.Request, error) {
	v.wire.mu.Lock()
	defer v.wire.mu.Unlock()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.wire.url, bytes.NewReader(msg))
	if err != nil {
		return nil, err
	}
	r.Header = header
	return r, nil
}

// post sends a message over HTTP.
func (v *session) post(ctx context.Context, msg []byte, header http.Header) (*http.Response, error) {
	r, err := v.newPost(ctx, msg, header)
	if err != nil {
		return nil, err
	}
	return (&http.Client{Transport: v.wire.base}).Do(r)
}

// readMessages reads all messages of an HTTP response.
func readMessages(response *http.Response) ([]message, error) {
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if mediaType(response) != eventStream {
		all, err := parse(text)
		if err != nil {
			err = fmt.Errorf("%w in %s %s", err, response.Status, shorten(text))
		}
		return all, err
	}
	var all []message
	for line := range strings.Lines(string(text)) {
		data, _ := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if data == strings.TrimSpace(line) {
			continue // another field
		}
		some, err := parse([]byte(data))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
