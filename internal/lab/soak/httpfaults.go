package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// httpFaults are the faults over Streamable HTTP.
func httpFaults() []action {
	return []action{
		{name: "disconnect in a call", isFault: true, weight: 8, do: disconnect},
		{name: "disconnect and resume", isFault: true, weight: 5, until: "2025-11-25", do: resume},
		{name: "half-closed connection", isFault: true, weight: 2, do: halfClose},
		{name: "half a request", isFault: true, weight: 2, do: halfRequest},
		{name: "hostile body", isFault: true, weight: 5, do: hostileBody},
		{name: "hostile header", isFault: true, weight: 4, do: hostileHeader},
		{name: "body that is too large", isFault: true, weight: 1, do: largeBody},
		{name: "client that reads slowly", isFault: true, weight: 1, do: slowReader},
		{name: "subscription that is dropped", isFault: true, weight: 2, do: dropSubscription},
	}
}

// disconnect breaks the connection of a call.
func disconnect(ctx context.Context, v *scenario) error {
	steps := 50
	until := time.Now().Add(time.Duration(v.IntN(200)) * time.Millisecond)
	broken := context.WithValue(ctx, faultKey{}, &fault{until: until})
	result, _, err := v.call(broken, "report", object{"steps": steps, "ms": 5})
	switch {
	case errors.Is(err, errCut):
		return nil
	case err != nil:
		return err
	default:
		return result.is(v.rev, server.Reported{Steps: steps}) // this program was delayed
	}
}

// resume breaks the connection of a call with progress, so that the client resumes the stream.
func resume(ctx context.Context, v *scenario) error {
	steps := 10 + v.IntN(20)
	begun := make(chan string, 1)
	broken := context.WithValue(ctx, faultKey{}, &fault{after: 1 + v.IntN(8), begun: begun})
	result, r, err := v.call(broken, "report", object{"steps": steps, "ms": 10})
	if err != nil {
		return err
	}
	if kind := <-begun; kind != eventStream {
		return fmt.Errorf("call with progress: got content type %q, want a stream", kind)
	}
	if err := progressed(r.notes, steps); err != nil {
		return err
	}
	return result.is(v.rev, server.Reported{Steps: steps})
}

// rawCall returns a connection, and the text of an HTTP request for it that calls a tool.
func (v *scenario) rawCall(ctx context.Context, tool string, args object) (*net.TCPConn, []byte, error) {
	var err error
	if v.sent, err = v.rawRequest("tools/call", object{"name": tool, "arguments": args}); err != nil {
		return nil, nil, err
	}
	r, err := v.newPost(ctx, v.sent, v.header("tools/call", tool))
	if err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		return nil, nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", r.URL.Host)
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	return conn.(*net.TCPConn), text.Bytes(), nil //nolint:errcheck // guaranteed by "tcp"
}

// halfClose closes the write side of the connection after a request. The server may treat that as a disconnection and
// not respond; if it responds, the response must be correct.
func halfClose(ctx context.Context, v *scenario) (err error) {
	n := v.Int64()
	conn, text, err := v.rawCall(ctx, "nap", object{"n": n, "ms": v.IntN(20)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.Write(text); err != nil {
		return err
	}
	if err := conn.CloseWrite(); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil // no response
	}
	answers, err := readMessages(response)
	if err != nil || len(answers) == 0 || !answers[len(answers)-1].isResponse() {
		return nil // an incomplete response
	}
	v.checked++
	answer := answers[len(answers)-1]
	result, err := readResult(&reply{Result: answer.Result, Error: answer.Error})
	if err != nil {
		return err
	}
	if result.IsError {
		return nil // cancelled
	}
	return result.is(v.rev, server.Number{N: n})
}

// halfRequest closes the connection in the middle of a request.
func halfRequest(ctx context.Context, v *scenario) error {
	conn, text, err := v.rawCall(ctx, "learn", object{"name": halfATool})
	if err != nil {
		return err
	}
	if _, err := conn.Write(text[:v.IntN(len(text)-1)]); err != nil {
		return errors.Join(err, conn.Close())
	}
	if v.IntN(2) == 0 {
		_ = conn.SetLinger(0) // a reset instead of a regular close
	}
	return conn.Close()
}

// hostileBody posts a malformed message.
func hostileBody(ctx context.Context, v *scenario) error {
	bad := malformed[v.IntN(len(malformed))]
	v.sent = []byte(bad.text)
	response, err := v.post(ctx, v.sent, v.header("", ""))
	if err != nil {
		return err
	}
	return v.rejected(response, http.StatusBadRequest, bad.code)
}

// rejected checks that a message was rejected with a status and an error code; 0 accepts any.
func (v *scenario) rejected(response *http.Response, status, code int) error {
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	v.checked++
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%w in %s %s", err, response.Status, shorten(text))
	}
	if response.StatusCode != status || m.Error == nil || code != 0 && m.Error.Code != code {
		return fmt.Errorf("got %s %s, want status %d and error %d", response.Status, shorten(text), status, code)
	}
	return nil
}

// hostileHeader sends a valid message with an invalid header.
func hostileHeader(ctx context.Context, v *scenario) error {
	var err error
	if v.sent, err = v.rawRequest("tools/call", object{"name": "add", "arguments": object{"a": 1, "b": 2}}); err != nil {
		return err
	}
	h := v.header("tools/call", "add")
	status := 0
	switch v.IntN(4) {
	case 0:
		h.Set("Origin", "https://evil.example")
		status = http.StatusForbidden
	case 1:
		h.Set("Mcp-Protocol-Version", "1999-01-01")
		status = http.StatusBadRequest
	case 2:
		if v.rev == modern {
			h.Set("Mcp-Name", "digest")
			status = http.StatusBadRequest
		} else {
			h.Set("Mcp-Session-Id", "NOSUCHSESSION")
			status = http.StatusNotFound
		}
	case 3:
		if v.rev == modern {
			h.Del("Mcp-Method")
			status = http.StatusBadRequest
		} else {
			h.Set("Content-Type", "text/plain")
			status = http.StatusUnsupportedMediaType
		}
	}
	response, err := v.post(ctx, v.sent, h)
	if err != nil {
		return err
	}
	return v.rejected(response, status, 0)
}

// largeBody posts a message above the size limit.
func largeBody(ctx context.Context, v *scenario) error {
	response, err := v.post(ctx, large(), v.header("tools/call", "digest"))
	if hungUp(ctx, err) {
		return nil // the server may reject it before it has read everything
	}
	if err != nil {
		return err
	}
	return v.rejected(response, http.StatusRequestEntityTooLarge, -32600)
}

// slowReader requests a large result and reads it slowly, or not at all.
func slowReader(ctx context.Context, v *scenario) error {
	n, seed := 5000, v.Int64N(1e6)
	args := object{"n": n, "seed": seed}
	if v.IntN(3) > 0 {
		return v.gives(context.WithValue(ctx, faultKey{}, &fault{isSlow: true}), "rows", args, rowsOf(n, seed))
	}
	v.mu.Lock()
	v.abandonedLarge = true
	v.mu.Unlock()
	f := &fault{isSlow: true, isMute: true, until: time.Now().Add(100 * time.Millisecond)}
	_, _, err := v.call(context.WithValue(ctx, faultKey{}, f), "rows", args)
	if !errors.Is(err, errCut) {
		return fmt.Errorf("call whose response is not read: %w", err)
	}
	return nil
}

// dropSubscription opens a subscription and breaks its connection.
func dropSubscription(ctx context.Context, v *scenario) error {
	w, err := v.Subscribe(ctx, "")
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(v.IntN(300)) * time.Millisecond)
	if v.rev != modern { // in the modern era, Close breaks the connection
		err = v.wire.dropStream(ctx)
	}
	return errors.Join(err, w.Close())
}
