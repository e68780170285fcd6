package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const version = "2026-07-28"

// client sends modern requests to the balancer, as far as this needs it: nothing has to be
// said before a request, and no two have anything to do with each other.
type client struct {
	http *http.Client
	addr string // of the balancer
	host string // that it goes by
}

func newClient(addr, host string, connections int) *client {
	return &client{
		http: &http.Client{Transport: &http.Transport{MaxConnsPerHost: connections + 2, MaxIdleConnsPerHost: connections + 2}},
		addr: addr,
		host: host,
	}
}

// message is one JSON-RPC message from the server.
type message struct {
	Method string
	Params json.RawMessage
	Result json.RawMessage // of a response; nil: it is no response
	Error  *struct {
		Code    int
		Message string
	}
}

// answer is what the server sends to one request: a response, and what comes before it.
type answer struct {
	instance string // address of the instance that serves it
	body     io.Closer
	lines    *bufio.Scanner
	isStream bool
}

// send sends a request. Its params lack _meta; name is the tool's, for a call.
func (c *client) send(ctx context.Context, method, name string, params map[string]any) (*answer, error) {
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    version,
		"io.modelcontextprotocol/clientCapabilities": struct{}{},
		"progressToken": "p",
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.addr+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Host = c.host
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", version)
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return nil, errors.Join(fmt.Errorf("%s: %s: %s", method, response.Status, said), response.Body.Close())
	}
	// Where one instance has failed, nginx names that and the next.
	tried := strings.Split(response.Header.Get("X-Instance"), ", ")
	return &answer{
		instance: tried[len(tried)-1],
		body:     response.Body,
		lines:    bufio.NewScanner(response.Body),
		isStream: response.Header.Get("Content-Type") == "text/event-stream",
	}, nil
}

// next returns the next message; after the response it is [io.EOF].
func (a *answer) next() (message, error) {
	for a.lines.Scan() {
		text, isData := strings.CutPrefix(a.lines.Text(), "data: ")
		if a.isStream != isData {
			continue
		}
		var m message
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return message{}, err
		}
		if m.Error != nil {
			return message{}, fmt.Errorf("error %d: %s", m.Error.Code, m.Error.Message)
		}
		return m, nil
	}
	if err := a.lines.Err(); err != nil {
		return message{}, err
	}
	return message{}, io.EOF
}

// served is how a call was served.
type served struct {
	instance string        // address of the instance
	messages int           // before the response
	spread   time.Duration // from the first message to the response
}

// call calls a tool and decodes its result into out.
func (c *client) call(ctx context.Context, tool string, arguments, out any) (served, error) {
	a, err := c.send(ctx, "tools/call", tool, map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return served{}, err
	}
	s, err := a.readCall(out)
	if err != nil {
		err = fmt.Errorf("%s at %s: %w", tool, a.instance, err)
	}
	return s, errors.Join(err, a.body.Close())
}

func (a *answer) readCall(out any) (served, error) {
	s := served{instance: a.instance}
	var first time.Time
	for {
		m, err := a.next()
		if err != nil {
			return s, err
		}
		if m.Result == nil {
			if s.messages == 0 {
				first = time.Now()
			}
			s.messages++
			continue
		}
		if s.messages > 0 {
			s.spread = time.Since(first)
		}
		result := struct {
			IsError           bool
			StructuredContent any
		}{StructuredContent: out}
		if err := json.Unmarshal(m.Result, &result); err != nil {
			return s, err
		}
		if result.IsError {
			return s, fmt.Errorf("failed: %s", m.Result)
		}
		if _, err := a.next(); !errors.Is(err, io.EOF) { // having read all, the connection serves again
			return s, fmt.Errorf("more after the response: %w", err)
		}
		return s, nil
	}
}
