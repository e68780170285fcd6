package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/process"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// idleConnections is the maximum number of idle connections, more than any caller has concurrent requests.
const idleConnections = 4096

// An httpConnection is a connection to a server at a URL.
type httpConnection struct {
	url    string
	name   string // the URL, for errors
	header http.Header
	client *http.Client
	in     *incoming

	mu       sync.Mutex
	era      Era
	revision string
	session  string // legacy session id; "" if there is none

	ctx  context.Context // ends with close
	stop context.CancelFunc
	work sync.WaitGroup
}

// openHTTP prepares a connection to a URL. It sends nothing.
func openHTTP(t Target, o Options, in *incoming) *httpConnection {
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: idleConnections,
			IdleConnTimeout:     4 * time.Second, // Node.js closes idle connections after 5 s, which fails a call sent then
			DisableCompression:  true,            // limits and measurements apply to the bytes on the wire
		}
	}
	w := &httpConnection{url: t.URL, name: t.String(), header: t.Header, in: in, client: &http.Client{
		Transport: transport,
		// Do not send the caller's headers, which may contain tokens, to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

func (w *httpConnection) agree(era Era, revision string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.era, w.revision = era, revision
}

func (w *httpConnection) isModern() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.era == Modern
}

// post sends one message. The caller closes the response body.
func (w *httpConnection) post(ctx context.Context, r *request) (*http.Response, error) {
	req, err := w.newRequest(ctx, http.MethodPost, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if r.method != "" && w.isModern() {
		req.Header.Set("Mcp-Method", r.method)
		if r.name != "" {
			req.Header.Set("Mcp-Name", HeaderText(r.name))
		}
		for _, f := range r.mirror {
			req.Header.Set(f.name, f.value)
		}
	}
	return w.do(req)
}

// newRequest returns a request with the common headers.
func (w *httpConnection) newRequest(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.url, body)
	if err != nil {
		return nil, err
	}
	for name, values := range w.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if host := w.header.Get("Host"); host != "" {
		req.Host = host
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.revision >= "2025-06-18" { // the first revision with this header
		req.Header.Set("Mcp-Protocol-Version", w.revision)
	}
	if w.session != "" && w.era != Modern {
		req.Header.Set("Mcp-Session-Id", w.session)
	}
	return req, nil
}

// do sends a request. The error is the cause of the context's end, or an *UnreachableError.
func (w *httpConnection) do(req *http.Request) (*http.Response, error) {
	resp, err := w.client.Do(req)
	if err == nil {
		return resp, nil
	}
	if ctx := req.Context(); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, w.unreachable(w.dialError(err), err)
}

func (w *httpConnection) exchange(ctx context.Context, r *request) ([]byte, error) {
	// The request outlives ctx while finish reads the rest of the response.
	sending, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	closed := func() { cancel(w.unreachable("the connection was closed", nil)) }
	defer context.AfterFunc(w.ctx, closed)() //nolint:contextcheck // the end of w, not of the request
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	answer, err := w.request(sending, r, func() { cancel(nil) })
	switch {
	case w.ctx.Err() != nil: // a response caused by the end of the session is not a result
		closed()
		return nil, context.Cause(sending)
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return answer, err
}

// request sends a request and returns the response. It calls done when the connection is no longer used.
func (w *httpConnection) request(ctx context.Context, r *request, done func()) ([]byte, error) {
	resp, err := w.post(ctx, r)
	if err != nil {
		done()
		return nil, err
	}
	answer, err := w.answer(ctx, r, resp)
	if err == nil && r.method == "initialize" {
		w.mu.Lock()
		w.session = resp.Header.Get("Mcp-Session-Id")
		w.mu.Unlock()
	}
	w.finish(resp, done)
	return answer, err
}

// maxDrain is how long a server may take to end a response after the answer.
const maxDrain = 50 * time.Millisecond

// finish closes a response and then calls done. The rest of an event stream is read in the background, so that the
// connection can be reused, while the caller already has the answer. Other bodies were read by answer.
func (w *httpConnection) finish(resp *http.Response, done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil || mediaType(resp) != "text/event-stream" {
		_ = resp.Body.Close()
		done()
		return
	}
	w.work.Go(func() {
		defer done()
		defer time.AfterFunc(maxDrain, done).Stop()
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
		_ = resp.Body.Close()
	})
}

// answer reads the response to a request.
func (w *httpConnection) answer(ctx context.Context, r *request, resp *http.Response) ([]byte, error) {
	kind := mediaType(resp)
	switch {
	case resp.StatusCode/100 == 2 && kind == "text/event-stream":
		return w.follow(ctx, r, resp)
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden,
		resp.StatusCode == http.StatusTooManyRequests && r.isFirst(),
		resp.StatusCode == http.StatusServiceUnavailable && (r.isFirst() || resp.Close): // the server refuses all requests, not this one
		text, _ := readAll(resp.Body) // the status is enough without a body
		return nil, w.responseError(resp, text)
	case resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent:
		return nil, w.unreachable(fmt.Sprintf("it accepted %s without an answer (%s)", r.method, resp.Status), nil)
	}
	body, err := readAll(resp.Body)
	if err != nil {
		return nil, w.bodyError(ctx, r.method, err)
	}
	if kind == "application/json" {
		switch m := w.in.read(body); {
		case m.kind != envelope.Response || m.id != r.id && r.id != anyID && resp.StatusCode < 400:
		case m.err != nil:
			return nil, w.bodyError(ctx, r.method, m.err)
		default:
			return m.text, nil
		}
	}
	return nil, w.responseError(resp, body)
}

// mediaType returns the media type of a body; "" if there is none.
func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" on error
	return kind
}

// readAll reads a body of at most maxMessage bytes.
func readAll(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, int64(maxMessage)+1))
	if err == nil && len(data) > maxMessage {
		return nil, bufio.ErrTooLong
	}
	return data, err
}

// bodyError explains why the response body for method could not be read.
func (w *httpConnection) bodyError(ctx context.Context, method string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, bufio.ErrTooLong):
		return w.unreachable(fmt.Sprintf("its answer to %s is larger than %d MiB", method, maxMessage>>20), err)
	case isUnreadable(err):
		return w.unreachable(unreadable(method, err), err)
	default:
		return w.unreachable(fmt.Sprintf("the connection broke before %s was answered: %v", method, err), err)
	}
}

func (w *httpConnection) send(ctx context.Context, method string, body []byte) error {
	if method == "notifications/cancelled" && w.isModern() {
		return nil // closing the connection has already cancelled the request
	}
	resp, err := w.post(ctx, &request{method: method, body: body})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // the body is not used
	if resp.StatusCode/100 == 2 {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be reused
		return nil
	}
	text, err := readAll(resp.Body)
	if err != nil {
		return w.bodyError(ctx, method, err)
	}
	return w.responseError(resp, text)
}

func (w *httpConnection) pid() int { return 0 }

func (w *httpConnection) unreachable(what string, err error) *UnreachableError {
	return &UnreachableError{What: w.name + ": " + what, Err: err}
}

// close ends the session and closes all connections.
func (w *httpConnection) close() error {
	w.mu.Lock()
	w.stop() // under the lock: from here on, finish starts nothing
	session := w.session
	w.mu.Unlock()
	if session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), process.Grace)
		defer cancel()
		if req, err := w.newRequest(ctx, http.MethodDelete, nil); err == nil {
			if resp, err := w.client.Do(req); err == nil {
				_ = resp.Body.Close() // a server may reject this; the session then expires
			}
		}
	}
	w.work.Wait()
	w.client.CloseIdleConnections()
	return nil
}

// reason returns the reason in the body of an error: the message of a JSON-RPC error, otherwise the first line.
func reason(body []byte) string {
	text := string(body)
	var answer struct{ Error RPCError }
	if json.Unmarshal(body, &answer) == nil && answer.Error.Message != "" {
		text = answer.Error.Message
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return terminal.Shorten(strings.TrimSpace(line), 200)
}
