package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
)

// An httpClient is a client over Streamable HTTP, where each message has a connection of its own, and those of a
// session an id in common.
type httpClient struct {
	rev     revision
	http    *http.Client
	base    string
	session string // "" for none
	last    atomic.Int64

	abandonedLarge atomic.Bool // a large answer was asked for and not read
}

// openHTTPClient begins a session, if the revision has them.
func openHTTPClient(ctx context.Context, rev revision, c *http.Client, base string) (*httpClient, error) {
	p := &httpClient{rev: rev, http: c, base: base}
	if rev == modern {
		return p, nil
	}
	response, err := p.post(ctx, request(rev, p.last.Add(1), "initialize", initializeParams(rev)))
	if err != nil {
		return nil, err
	}
	p.session = response.Header.Get("Mcp-Session-Id")
	r, err := p.read(ctx, response)
	if err == nil {
		err = checkRevision(r, rev)
	}
	if err == nil && p.session == "" {
		err = errors.New("initialize is answered without a session")
	}
	if err != nil {
		return nil, err
	}
	return p, p.notify(ctx, notification(rev, "notifications/initialized", nil))
}

// unexpected is an HTTP answer that should have been another one.
type unexpected struct{ what, is string }

func (u *unexpected) Error() string { return fmt.Sprintf("%s is %s", u.what, u.is) }

// header returns the header of a request.
func (p *httpClient) header(method string, params json.RawMessage) http.Header {
	h := http.Header{}
	if p.session != "" {
		h.Set("Mcp-Session-Id", p.session)
	}
	if p.rev >= "2025-06-18" {
		h.Set("Mcp-Protocol-Version", string(p.rev))
	}
	if p.rev == modern {
		h.Set("Mcp-Method", method)
		var named struct{ Name, TaskID string }
		_ = json.Unmarshal(params, &named) // a malformed message has no name
		if name := named.Name + named.TaskID; name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	return h
}

// post sends a message.
func (p *httpClient) post(ctx context.Context, msg []byte) (*http.Response, error) {
	var m message
	_ = json.Unmarshal(msg, &m) // a malformed message, sent on purpose, has no method
	return post(ctx, p.http, p.base+"/mcp", msg, p.header(m.Method, m.Params))
}

// notify sends a message that is not answered.
func (p *httpClient) notify(ctx context.Context, msg []byte) error {
	response, err := p.post(ctx, msg)
	if err != nil {
		return err
	}
	return drain(response, http.StatusAccepted)
}

// read reads the answer to a request, to its end.
func (p *httpClient) read(ctx context.Context, response *http.Response) (*reply, error) {
	if isEvents(response) {
		return p.follow(ctx, newEvents(response.Body), &reply{})
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	r := &reply{}
	if err := json.Unmarshal(text, &r.message); err != nil {
		return nil, fmt.Errorf("%s with %s", response.Status, shorten(text))
	}
	if response.StatusCode != http.StatusOK && r.Error == nil {
		return nil, fmt.Errorf("%s with %s", response.Status, shorten(text))
	}
	return r, nil
}

func isEvents(response *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // none is another one
	return mediaType == "text/event-stream"
}

// follow reads the rest of a stream, whose beginning r has, and resumes it when the server ends it before the answer.
func (p *httpClient) follow(ctx context.Context, stream *events, r *reply) (*reply, error) {
	for {
		_, data, err := stream.next()
		if errors.Is(err, io.EOF) && p.rev == "2025-11-25" && stream.last != "" && r.ID == nil {
			if stream, err = p.resume(ctx, stream); err != nil {
				return nil, err
			}
			continue
		}
		if errors.Is(err, io.EOF) && r.ID != nil {
			return r, stream.body.Close()
		}
		if err != nil {
			return nil, errors.Join(err, stream.body.Close())
		}
		if r.ID != nil {
			return nil, fmt.Errorf("more after the answer: %s", shorten(data))
		}
		if err := p.handle(ctx, r, data); err != nil {
			return nil, err
		}
	}
}

// handle handles a message of a stream.
func (p *httpClient) handle(ctx context.Context, r *reply, data []byte) error {
	messages, err := parse(data)
	if err != nil {
		return err
	}
	for i := range messages {
		m := &messages[i]
		switch {
		case m.isResponse():
			r.message = *m
		case m.ID != nil:
			msg, err := respondTo(m)
			if err != nil {
				return err
			}
			if err := p.notify(ctx, msg); err != nil {
				return err
			}
		default:
			r.notes = append(r.notes, *m)
		}
	}
	return nil
}

// errLost means that there is no stream to resume any more, which is documented behavior.
var errLost = errors.New("not kept")

// mayBeLost returns err, as an errLost if a stream is gone of a session whose client has abandoned a large answer: that
// counts against what the server keeps, and of two large answers it keeps only the newer.
func (p *httpClient) mayBeLost(err error) error {
	if status, ok := errors.AsType[*statusError](err); ok && status.got == http.StatusBadRequest && p.abandonedLarge.Load() &&
		strings.Contains(status.text, "there is no such stream") {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

// resume resumes a stream.
func (p *httpClient) resume(ctx context.Context, stream *events) (*events, error) {
	_ = stream.body.Close() // it has ended
	h := p.header("", nil)
	h.Set("Last-Event-Id", stream.last)
	response, err := get(ctx, p.http, p.base+"/mcp", h) //nolint:bodyclose // the reader of the stream closes it
	if err != nil {
		return nil, p.mayBeLost(err)
	}
	rest := newEvents(response.Body)
	rest.last = stream.last
	return rest, nil
}

func (p *httpClient) revision() revision { return p.rev }

// request implements [client].
func (p *httpClient) request(ctx context.Context, method string, params object) (*reply, error) {
	id := p.last.Add(1)
	response, err := p.post(ctx, request(p.rev, id, method, params))
	if err != nil {
		return nil, err
	}
	r, err := p.read(ctx, response)
	if err == nil && string(r.ID) != fmt.Sprint(id) {
		err = fmt.Errorf("request %d has the answer to %s", id, r.ID)
	}
	return r, err
}

// batch implements [client].
func (p *httpClient) batch(ctx context.Context, requests []object) ([]message, error) {
	for _, r := range requests {
		r["id"] = p.last.Add(1)
	}
	response, err := p.post(ctx, encode(requests))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if isEvents(response) {
		_, text, err = newEvents(io.NopCloser(bytes.NewReader(text))).next()
		if err != nil {
			return nil, err
		}
	}
	return parse(text)
}

// watch implements [client].
func (p *httpClient) subscribe(ctx context.Context) (*subscription, error) {
	ctx, stop := context.WithCancel(ctx)
	response, err := p.listen(ctx) //nolint:bodyclose // it goes with its context
	if err != nil {
		stop()
		return nil, err
	}
	stream := newEvents(response.Body)
	if p.rev == modern {
		_, data, err := stream.next()
		if err == nil && !bytes.Contains(data, []byte("notifications/subscriptions/acknowledged")) {
			err = &unexpected{"the beginning of a subscription", shorten(data)}
		}
		if err != nil {
			stop()
			return nil, err
		}
	}
	changed := make(chan struct{}, 1)
	go func() {
		defer close(changed)
		for {
			_, data, err := stream.next()
			if err != nil {
				return
			}
			if bytes.Contains(data, []byte("notifications/tools/list_changed")) {
				note(changed)
			}
		}
	}()
	return &subscription{changed, func() error {
		stop() // which breaks the connection
		for range changed {
			continue // until the stream has ended
		}
		return nil
	}}, nil
}

// listen opens the stream of notifications.
func (p *httpClient) listen(ctx context.Context) (*http.Response, error) {
	if p.rev != modern {
		return get(ctx, p.http, p.base+"/mcp", p.header("", nil))
	}
	return p.post(ctx, request(p.rev, p.last.Add(1), "subscriptions/listen", object{"notifications": object{"toolsListChanged": true}}))
}

// close implements [client].
func (p *httpClient) close(ctx context.Context) error {
	if p.session == "" {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, p.base+"/mcp", nil)
	if err != nil {
		return err
	}
	r.Header = p.header("", nil)
	response, err := p.http.Do(r)
	if err != nil {
		return err
	}
	return drain(response, http.StatusNoContent)
}

// post sends one message by POST.
func post(ctx context.Context, c *http.Client, url string, msg []byte, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(msg))
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return c.Do(r)
}

// get opens an event stream.
// A status other than 200 is a [statusError].
func get(ctx context.Context, c *http.Client, url string, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	r.Header.Set("Accept", "text/event-stream")
	response, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, drain(response, http.StatusOK)
	}
	return response, nil
}

// drain reads a response to its end, so that its connection can be used again, and checks its status.
func drain(response *http.Response, status int) error {
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err == nil && response.StatusCode != status {
		err = &statusError{response.StatusCode, status, shorten(text)}
	}
	return err
}

// statusError is a response with another status than it should have.
type statusError struct {
	got, want int
	text      string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("got status %d, want %d: %s", e.got, e.want, e.text)
}
