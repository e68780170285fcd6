package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// Request sends a request unchanged and returns its result. params is a JSON object or nil. Notifications that arrive
// meanwhile go to [Options.Notify]. The error is an *RPCError if the server rejects the request, an *UnreachableError,
// or ctx's.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.requestWith(ctx, method, params, c.meta())
}

// requestWith is Request with an explicit _meta, in the form for encode.
func (c *Client) requestWith(ctx context.Context, method string, params json.RawMessage, meta members) (json.RawMessage, error) {
	id := c.lastID.Add(1)
	body, err := encode(id, method, params, meta)
	if err != nil {
		return nil, err
	}
	r := &request{id: id, method: method, name: subject(method, params), body: body}
	if err := c.mirror(ctx, r); err != nil {
		return nil, err
	}
	answer, err := c.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	return c.result(method, answer)
}

// subjects maps methods to the param that names the subject of a request.
var subjects = map[string]string{
	"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// subject returns the subject of a request; "" if its method has none.
func subject(method string, params json.RawMessage) string {
	member, ok := subjects[method]
	if !ok {
		return ""
	}
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members[member], &name) != nil {
		return "" // leave the error to the server
	}
	return name
}

// exchange sends a request and waits for the response or a timeout.
func (c *Client) exchange(ctx context.Context, r *request) ([]byte, error) {
	what := r.method
	if r.name != "" {
		what += " of " + r.name
	}
	return bounded(ctx, c, what, func(ctx context.Context) ([]byte, error) { return c.exchangeActive(ctx, r) })
}

// exchangeActive is exchange without a limit on the total time.
func (c *Client) exchangeActive(ctx context.Context, r *request) ([]byte, error) {
	waiting, release := c.timeouts.within(ctx)
	defer release()
	answer, err := c.transfer(waiting, r)
	if err == nil || waiting.Err() == nil {
		return answer, err
	}
	c.abandon(r, ctx.Err() != nil) //nolint:contextcheck // ctx has ended, and the server must be notified
	late := (*NoAnswerError)(nil)
	if ctx.Err() != nil || !errors.As(context.Cause(waiting), &late) {
		return nil, ctx.Err()
	}
	doubt := ""
	if !c.connected.Load() {
		doubt = "is it an MCP server? "
	}
	return nil, c.conn.unreachable(fmt.Sprintf("it has not answered %s within %v; %s--timeout lets it take longer", r.method, late.After, doubt), late)
}

// transfer sends a request and returns the response, both traced.
func (c *Client) transfer(ctx context.Context, r *request) ([]byte, error) {
	c.trace(ctx, true, r.body)
	answer, err := c.conn.exchange(ctx, r)
	if err == nil {
		c.trace(ctx, false, answer)
	}
	return answer, err
}

// send sends a message without a response, traced.
func (c *Client) send(ctx context.Context, method string, body []byte) error {
	c.trace(ctx, true, body)
	return c.conn.send(ctx, method, body)
}

// trace calls Options.Trace.
func (c *Client) trace(ctx context.Context, sent bool, message []byte) {
	if c.opts.Trace != nil {
		c.opts.Trace(ctx, sent, message)
	}
}

// abandon sends a cancellation for a request, with the reason: the caller has cancelled it, or it has timed out.
func (c *Client) abandon(r *request, byCaller bool) {
	if r.isFirst() {
		return // initialize must not be cancelled, and a server that ignores server/discover may not know it
	}
	reason := "the request timed out"
	if byCaller {
		reason = "the caller cancelled the request"
	}
	params := fmt.Appendf(nil, `{"requestId":%d,"reason":%q}`, r.id, reason)
	note := encodeNote("notifications/cancelled", params)
	ctx, release := c.timeouts.within(c.ctx)
	c.work.Go(func() {
		defer release()
		_ = c.send(ctx, "notifications/cancelled", note) // best effort
	})
}

// decode decodes the result of a request into v, a pointer. The error is an *UnreachableError.
func (c *Client) decode(method string, result json.RawMessage, v any) error {
	if err := strictjson.Decode(result, v); err != nil {
		return c.conn.unreachable(fmt.Sprintf("its answer to %s is not one: %v", method, err), err)
	}
	return nil
}

// result returns the result of a response.
func (c *Client) result(method string, answer []byte) (json.RawMessage, error) {
	response, twice, err := strictjson.Members(answer) // duplicates within the result are left to its decoder
	for _, name := range []string{"result", "error"} {
		if slices.Contains(twice, name) {
			err = fmt.Errorf("member %q occurs twice", name)
		}
	}
	var refused *RPCError
	if text, ok := response["error"]; err == nil && ok {
		err = strictjson.Decode(text, &refused)
	}
	if err != nil {
		return nil, c.conn.unreachable(fmt.Sprintf("its answer to %s is not a JSON-RPC response: %v", method, err), err)
	}
	if refused != nil {
		return nil, refused
	}
	result := response["result"]
	if len(result) == 0 || result[0] != '{' {
		return nil, c.conn.unreachable("its answer to "+method+" has neither a result nor an error", nil)
	}
	return result, nil
}
