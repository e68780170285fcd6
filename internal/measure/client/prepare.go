package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// A Prepared is an encoded request without an id, to be sent many times. It is valid only for the client that made it,
// and safe for concurrent use.
type Prepared struct {
	request        // without id and body
	tail    []byte // the message after the id
}

// Prepare encodes a call for this session. arguments is a JSON object. In the modern era over HTTP it lists the tools
// first unless they were listed before, since their schemas define required headers.
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
	return p, nil
}

// PrepareRequest encodes any other request for this session. params is a JSON object or nil.
func (c *Client) PrepareRequest(method string, params json.RawMessage) (*Prepared, error) {
	body, err := encode(0, method, params, c.meta())
	if err != nil {
		return nil, err
	}
	return &Prepared{request{method: method, name: subject(method, params)}, body[len(requestHead)+len("0"):]}, nil
}

// Append appends the call to dst, a JSON-RPC request without a line break. The id must be unique in the session. The
// client itself uses ids above 1<<30 in increasing order.
func (p *Prepared) Append(dst []byte, id int64) []byte {
	return append(strconv.AppendInt(append(dst, requestHead...), id, 10), p.tail...)
}

// RoundTrip sends the call and returns the raw JSON-RPC response, which may be a result or an error. For the id, see
// [Prepared.Append].
//
// The error is an *UnreachableError, or ctx's; in the latter case the server was sent a cancellation.
func (c *Client) RoundTrip(ctx context.Context, p *Prepared, id int64) ([]byte, error) {
	r := p.request
	r.id, r.body = id, p.Append(nil, id)
	return c.exchange(ctx, &r)
}
