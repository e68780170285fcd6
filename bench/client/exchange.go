package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

// Request sends any request as it is, and returns its result. params are a JSON object, or nil.
// Notifications that come meanwhile go to [Options.Notify]. The error is an *RPCError of a server that refuses the
// request, an *UnreachableError, or ctx's.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.request(ctx, method, params)
}

// request sends a request and returns its result.
func (c *Client) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.requestWith(ctx, method, params, c.meta())
}

// requestWith is request with a _meta of its own, as encode takes it.
func (c *Client) requestWith(ctx context.Context, method string, params, meta json.RawMessage) (json.RawMessage, error) {
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

// subjects are the members of params that name what requests of a method are about.
var subjects = map[string]string{
	"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// subject returns what a request is about, "" if its method has none.
func subject(method string, params json.RawMessage) string {
	member, ok := subjects[method]
	if !ok {
		return ""
	}
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members[member], &name) != nil {
		return "" // the server will refuse it
	}
	return name
}

// Send sends a notification. params are a JSON object, or nil. The error is an *UnreachableError, or ctx's; over stdio
// there is none, and the notification precedes whatever is sent later.
func (c *Client) Send(ctx context.Context, method string, params json.RawMessage) error {
	params, err := complete(params, nil)
	if err != nil {
		return fmt.Errorf("params of %s: %w", method, err)
	}
	ctx, release := c.timeouts.within(ctx)
	defer release()
	return c.conn.send(ctx, method, encodeNote(method, params))
}

// exchange sends a request and waits for its answer, until it times out.
func (c *Client) exchange(ctx context.Context, r *request) ([]byte, error) {
	waiting, release := c.timeouts.within(ctx)
	defer release()
	answer, err := c.conn.exchange(waiting, r)
	if err == nil || waiting.Err() == nil {
		return answer, err
	}
	c.abandon(r) //nolint:contextcheck // ctx has ended, and the server is to be told of it
	late := (*NoAnswerError)(nil)
	switch {
	case !errors.As(context.Cause(waiting), &late):
		return nil, ctx.Err()
	case late.Reporting && r.name != "":
		return nil, c.tooLong(r.method+" of "+r.name, late)
	case late.Reporting:
		return nil, c.tooLong(r.method, late)
	}
	doubt := ""
	if !c.connected.Load() {
		doubt = "is it an MCP server? "
	}
	return nil, c.conn.unreachable(fmt.Sprintf("it has not answered %s within %v; %s--timeout lets it take longer", r.method, late.After, doubt), late)
}

// abandon tells the server that nobody waits for an answer any more.
func (c *Client) abandon(r *request) {
	if r.method == "initialize" || r.method == "server/discover" {
		return // it must not be cancelled; or it did not understand it anyway
	}
	params := fmt.Appendf(nil, `{"requestId":%d,"reason":"nobody waits for it any more"}`, r.id)
	note := encodeNote("notifications/cancelled", params)
	ctx, release := c.timeouts.within(c.ctx)
	c.work.Go(func() {
		defer release()
		_ = c.conn.send(ctx, "notifications/cancelled", note) // it was given up already
	})
}

// result takes the result out of an answer.
func (c *Client) result(method string, answer []byte) (json.RawMessage, error) {
	response, twice, err := strictjson.Members(answer) // what is twice within the result is for its reader to judge
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
		return nil, c.conn.unreachable(fmt.Sprintf("its answer to %s is no JSON-RPC response: %v", method, err), err)
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
