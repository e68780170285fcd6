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
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/soak/server"
)

// httpFaults are the faults over Streamable HTTP.
func httpFaults() []action[*httpClient] {
	return []action[*httpClient]{
		{name: "disconnect in a call", weight: 8, do: disconnect},
		{name: "disconnect and resume", weight: 5, until: "2025-11-25", do: resume},
		{name: "half-closed connection", weight: 2, do: halfClose},
		{name: "half a request", weight: 2, do: halfRequest},
		{name: "hostile body", weight: 5, do: hostileBody},
		{name: "hostile header", weight: 4, do: hostileHeader},
		{name: "body that is too large", weight: 1, do: largeBody},
		{name: "client that reads slowly", weight: 1, do: slowReader},
		{name: "subscription that is dropped", weight: 2, do: dropSubscription},
	}
}

// disconnect breaks the connection of a call.
func disconnect(ctx context.Context, v *scenario, p *httpClient) error {
	steps := 50
	until := time.Now().Add(time.Duration(v.IntN(200)) * time.Millisecond)
	short, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	result, _, err := v.call(short, "report", object{"steps": steps, "ms": 5})
	switch {
	case err == nil:
		return result.is(p.rev, server.Reported{Steps: steps}) // this program was delayed
	case time.Now().Before(until):
		return err
	default:
		return ctx.Err()
	}
}

// resume breaks the connection of a call that reports progress, and resumes the stream.
func resume(ctx context.Context, v *scenario, p *httpClient) error {
	steps := 10 + v.IntN(20)
	id := p.last.Add(1)
	v.last = request(p.rev, id, "tools/call", object{"name": "report", "arguments": object{"steps": steps, "ms": 10}})
	response, err := p.post(ctx, v.last)
	if err != nil {
		return err
	}
	if !isEvents(response) {
		return errors.Join(&unexpected{"a call with progress", "not answered with a stream"}, response.Body.Close())
	}
	stream, r := newEvents(response.Body), &reply{}
	for range 1 + v.IntN(8) {
		_, data, err := stream.next()
		if errors.Is(err, io.EOF) {
			break // the server has ended the stream to have it resumed
		}
		if err == nil {
			err = p.handle(ctx, r, data)
		}
		if err != nil {
			return err
		}
	}
	if r.ID == nil {
		if stream, err = p.resume(ctx, stream); err != nil {
			return err
		}
	}
	if r, err = p.follow(ctx, stream, r); err != nil {
		return err
	}
	v.checked++
	if err := progressed(r.notes, steps); err != nil {
		return err
	}
	result, err := readResult(r)
	if err != nil {
		return err
	}
	return result.is(p.rev, server.Reported{Steps: steps})
}

// dial opens a connection for a raw request. It breaks when ctx ends.
func (p *httpClient) dial(ctx context.Context) (*net.TCPConn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	return conn.(*net.TCPConn), nil //nolint:errcheck // it is what "tcp" is
}

// raw returns a request of HTTP as text.
func (p *httpClient) raw(ctx context.Context, body []byte) ([]byte, error) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = p.header(m.Method, m.Params)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	var text bytes.Buffer
	err = r.Write(&text)
	return text.Bytes(), err
}

// halfClose closes the write side of the connection after a request. The server may take that for a client that has
// disconnected, and not answer; if it answers, the answer is right.
func halfClose(ctx context.Context, v *scenario, p *httpClient) (err error) {
	n := v.Int64()
	v.last = request(p.rev, p.last.Add(1), "tools/call", object{"name": "nap", "arguments": object{"n": n, "ms": v.IntN(20)}})
	text, err := p.raw(ctx, v.last)
	if err != nil {
		return err
	}
	conn, err := p.dial(ctx)
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
		return nil // there is no answer
	}
	r, err := p.read(ctx, response)
	if err != nil {
		return nil // the answer broke off
	}
	v.checked++
	result, err := readResult(r)
	if err != nil {
		return err
	}
	if result.IsError {
		return nil // cancelled
	}
	return result.is(p.rev, server.Number{N: n})
}

// halfRequest closes the connection in the middle of a request.
func halfRequest(ctx context.Context, v *scenario, p *httpClient) error {
	v.last = request(p.rev, p.last.Add(1), "tools/call", object{"name": "learn", "arguments": object{"name": halfATool}})
	text, err := p.raw(ctx, v.last)
	if err != nil {
		return err
	}
	conn, err := p.dial(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.Write(text[:v.IntN(len(text)-1)]); err != nil {
		return errors.Join(err, conn.Close())
	}
	if v.IntN(2) == 0 {
		_ = conn.SetLinger(0) // a reset in place of an orderly end
	}
	return conn.Close()
}

// hostileBody posts a malformed message.
func hostileBody(ctx context.Context, v *scenario, p *httpClient) error {
	bad := malformed[v.IntN(len(malformed))]
	v.last = []byte(bad.text)
	response, err := p.post(ctx, v.last)
	if err != nil {
		return err
	}
	return v.rejected(response, http.StatusBadRequest, bad.code)
}

// rejected checks that a message was refused, with a status and the code of an error; 0 for any.
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

// hostileHeader sends a good message with a bad header.
func hostileHeader(ctx context.Context, v *scenario, p *httpClient) error {
	v.last = request(p.rev, p.last.Add(1), "tools/call", object{"name": "add", "arguments": object{"a": 1, "b": 2}})
	h := p.header("tools/call", json.RawMessage(`{"name":"add"}`))
	status := 0
	switch v.IntN(4) {
	case 0:
		h.Set("Origin", "https://evil.example")
		status = http.StatusForbidden
	case 1:
		h.Set("Mcp-Protocol-Version", "1999-01-01")
		status = http.StatusBadRequest
	case 2:
		if p.rev == modern {
			h.Set("Mcp-Name", "digest")
			status = http.StatusBadRequest
		} else {
			h.Set("Mcp-Session-Id", "NOSUCHSESSION")
			status = http.StatusNotFound
		}
	case 3:
		if p.rev == modern {
			h.Del("Mcp-Method")
		} else {
			h.Del("Mcp-Session-Id")
			h.Del("Mcp-Protocol-Version")
		}
		status = http.StatusBadRequest
	}
	response, err := post(ctx, p.http, p.base+"/mcp", v.last, h)
	if err != nil {
		return err
	}
	return v.rejected(response, status, 0)
}

// largeBody posts a message above the size limit.
func largeBody(ctx context.Context, v *scenario, p *httpClient) error {
	response, err := p.post(ctx, large())
	if hungUp(ctx, err) {
		return nil // before all of it was written, as it may
	}
	if err != nil {
		return err
	}
	return v.rejected(response, http.StatusRequestEntityTooLarge, -32600)
}

// slowReader requests a large result and reads it slowly.
func slowReader(ctx context.Context, v *scenario, p *httpClient) (err error) {
	n, seed := 5000, v.Int64N(1e6)
	v.last = request(p.rev, p.last.Add(1), "tools/call", object{"name": "rows", "arguments": object{"n": n, "seed": seed}})
	text, err := p.raw(ctx, v.last)
	if err != nil {
		return err
	}
	conn, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetReadBuffer(32 << 10); err != nil {
		return err
	}
	if _, err := conn.Write(text); err != nil {
		return err
	}
	if v.IntN(3) == 0 { // and stops reading
		p.abandonedLarge.Store(true)
		time.Sleep(100 * time.Millisecond)
		return nil
	}
	response, err := http.ReadResponse(bufio.NewReader(&slow{conn, 20}), nil)
	if err != nil {
		return err
	}
	r, err := p.read(ctx, response)
	if err != nil {
		return err
	}
	v.checked++
	result, err := readResult(r)
	if err != nil {
		return err
	}
	return result.is(p.rev, rowsOf(n, seed))
}

// slow is a reader that pauses before each of so many reads.
type slow struct {
	io.Reader
	left int
}

// Read implements [io.Reader].
func (s *slow) Read(b []byte) (int, error) {
	if s.left > 0 {
		s.left--
		time.Sleep(20 * time.Millisecond)
	}
	return s.Reader.Read(b)
}

// dropSubscription opens a subscription and breaks its connection.
func dropSubscription(ctx context.Context, v *scenario, p *httpClient) error {
	w, err := p.subscribe(ctx)
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(v.IntN(300)) * time.Millisecond)
	return w.stop()
}
