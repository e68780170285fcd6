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

	"github.com/mcptool-go/mcptool/bench/client"
)

// A rawSender sends, beside a client and on its connection, what a correct client does not send, and awaits what no
// client awaits: errors without an id, and the answers to batches. It sends one message after the other, because the
// answers do not say what they answer.
type rawSender struct {
	sending sync.Mutex

	mu     sync.Mutex
	answer chan []byte // has room for the answer; nil if none is awaited
	late   int         // answers that did not come in time, which was reported
}

// malformedID is the id of malformed messages that have one.
const malformedID = `"malformed"`

// isByHand reports whether an answer, whose first message is m, belongs to a message sent by hand.
func isByHand(text []byte, m *message) bool {
	id := string(m.ID)
	return id == "" || id == "null" || id == malformedID || bytes.HasPrefix(text, []byte("["))
}

// answered takes an answer, and reports whether it is due.
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

// await says that an answer is expected, or that it is late.
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

// askRaw sends a message on the stream of the client, and returns what it is answered with.
func (v *session) askRaw(ctx context.Context, text []byte) ([]message, error) {
	v.raw.sending.Lock()
	defer v.raw.sending.Unlock()
	answer := make(chan []byte, 1)
	v.raw.await(answer, false)
	if err := v.sendRaw(ctx, text); err != nil {
		v.raw.await(nil, false)
		return nil, err
	}
	var dead <-chan struct{} // never, over HTTP
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

// askBatch sends a batch, and returns the answers to it.
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

// rawRequest returns the text of a request as the client sends it.
func (v *session) rawRequest(method string, params object) ([]byte, error) {
	p, err := v.PrepareRequest(method, encode(params))
	if err != nil {
		return nil, err
	}
	id := v.begin()
	v.end(id)
	return p.Append(nil, id), nil
}

// header returns the headers of a message as the client sends them, for a method about something of that name.
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

// newPost returns a request with a message to where the client sends its messages.
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

// readMessages reads the messages of an answer over HTTP, to its end.
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
			continue // it is another field
		}
		some, err := parse([]byte(data))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
