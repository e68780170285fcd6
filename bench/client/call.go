package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// maxRounds is how often a server may ask for more input during one call.
const maxRounds = 100

// Call calls a tool; nil arguments mean {}. That the tool failed is no error, see
// Result.IsError. The error is an *RPCError of a server that refuses the call, an
// *UnreachableError, or ctx's.
func (c *Client) Call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	if args == nil {
		args = json.RawMessage(`{}`)
	}
	if !json.Valid(args) {
		return nil, fmt.Errorf("the arguments of %s are not JSON", name)
	}
	call := map[string]any{"name": name, "arguments": args}
	for range maxRounds {
		if c.opts.Notify != nil {
			call["_meta"] = c.reports()
		}
		params, err := json.Marshal(call)
		if err != nil {
			return nil, err
		}
		raw, err := c.request(ctx, "tools/call", name, params)
		if err != nil {
			return nil, err
		}
		var kind struct {
			ResultType string
			more
		}
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, c.link.trouble("its answer to tools/call is not one: "+err.Error(), err)
		}
		if kind.ResultType == "input_required" {
			if err := c.giveMore(ctx, call, kind.more); err != nil {
				return nil, err
			}
			continue
		}
		r := new(Result)
		if err := json.Unmarshal(raw, r); err != nil {
			return nil, c.link.trouble("its answer to tools/call is not one: "+err.Error(), err)
		}
		return r, nil
	}
	return nil, c.link.trouble(fmt.Sprintf("%s has asked for more input %d times without coming to an end", name, maxRounds), nil)
}

// reports returns the _meta of a call whose progress and messages we want to hear of.
func (c *Client) reports() map[string]any {
	meta := map[string]any{"progressToken": c.lastID.Add(1)}
	if c.era == Modern {
		meta[metaPrefix+"logLevel"] = "info"
	}
	return meta
}

// more is what a server of the modern era wants to know before it goes on.
type more struct {
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState *string
}

// giveMore adds to call what the server has asked for.
func (c *Client) giveMore(ctx context.Context, call map[string]any, m more) error {
	responses := map[string]json.RawMessage{}
	for key, r := range m.InputRequests {
		response, err := c.serve(ctx, r.Method, r.Params)
		if err != nil {
			return fmt.Errorf("the server asks for %s, which it was not told that we can do: %w", r.Method, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		responses[key] = response
	}
	delete(call, "requestState")
	delete(call, "inputResponses")
	if len(responses) > 0 {
		call["inputResponses"] = responses
	}
	if m.RequestState != nil {
		call["requestState"] = *m.RequestState
	}
	return nil
}
