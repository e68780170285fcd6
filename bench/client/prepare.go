package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// A Prepared is a request of which everything is encoded but the id, to be sent many times.
// It is of the client that has made it, and safe for concurrent use.
type Prepared struct {
	request        // without id and body
	tail    []byte // the message behind its id
}

// Prepare encodes a call as this session sends it; arguments are a JSON object. In the modern era, over
// HTTP, the tools are listed first if nobody has done it, since their schemas say what has to be in headers.
func (c *Client) Prepare(ctx context.Context, tool string, arguments json.RawMessage) (*Prepared, error) {
	params, err := json.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{tool, arguments})
	if err != nil {
		return nil, fmt.Errorf("the arguments of %s: %w", tool, err)
	}
	p, err := c.PrepareRequest("tools/call", params)
	if err != nil {
		return nil, fmt.Errorf("the arguments of %s: %w", tool, err)
	}
	p.body = p.Append(nil, 0)
	if err := c.mirror(ctx, &p.request); err != nil {
		return nil, err
	}
	p.body = nil
	if w, ok := c.conn.(*httpConnection); ok && w.pool != nil {
		if p.head, err = w.pool.head(ctx, &p.request); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// PrepareRequest encodes any other request as this session sends it; params are a JSON object, or nil.
func (c *Client) PrepareRequest(method string, params json.RawMessage) (*Prepared, error) {
	body, err := encode(0, method, params, c.meta())
	if err != nil {
		return nil, err
	}
	return &Prepared{request{method: method, name: subject(method, params)}, body[len(requestHead)+len("0"):]}, nil
}

// Append appends the call to dst, a whole JSON-RPC request without an end of line. The id is unique
// among all of the session; from 1<<30 on are also the client's own, in the order of its requests.
func (p *Prepared) Append(dst []byte, id int64) []byte {
	return append(strconv.AppendInt(append(dst, requestHead...), id, 10), p.tail...)
}

// RoundTrip sends the call and returns the answer as it came, a JSON-RPC response; whether it is a
// result or an error is for the caller to see. About the id see [Prepared.Append].
//
// The error is an *UnreachableError, or ctx's; the server has been told then that nobody
// waits any more.
func (c *Client) RoundTrip(ctx context.Context, p *Prepared, id int64) ([]byte, error) {
	r := p.request
	r.id, r.body = id, p.Append(nil, id)
	return c.exchange(ctx, &r)
}
