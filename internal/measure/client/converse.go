package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// converse sends a request, as often as the server asks for more input, decodes the final result into result, a pointer,
// and returns its JSON. what describes the request in errors.
func (c *Client) converse(ctx context.Context, method, what string, params map[string]any, result any) (json.RawMessage, error) {
	raw, err := bounded(ctx, c, method+" of "+what, func(ctx context.Context) (json.RawMessage, error) {
		return c.rounds(ctx, method, what, params, c.meta())
	})
	if err != nil {
		return nil, err
	}
	return raw, c.decode(method, raw, result)
}

// rounds returns the final result of a request. meta is for requestWith.
func (c *Client) rounds(ctx context.Context, method, what string, params map[string]any, meta members) (json.RawMessage, error) {
	for range maxRounds {
		if c.opts.Notify != nil {
			params["_meta"] = c.reports()
		}
		text, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		raw, err := c.requestWith(ctx, method, text, meta)
		if refused := asRefusal(err); refused != nil && refused.Code == codeURLFirst && c.opts.Elicit != nil && c.visitURLs(ctx, refused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var more struct {
			ResultType string `json:"resultType"`
			inputRequired
		}
		if err := c.decode(method, raw, &more); err != nil {
			return nil, err
		}
		if more.ResultType != "input_required" {
			return raw, nil
		}
		if err := c.addInput(ctx, params, more.inputRequired); err != nil {
			return nil, err
		}
	}
	return nil, c.conn.unreachable(fmt.Sprintf("%s has asked for more input %d times without coming to an end", what, maxRounds), nil)
}

// addInput adds the requested input to the params of a request.
func (c *Client) addInput(ctx context.Context, params map[string]any, m inputRequired) error {
	responses, err := c.respond(ctx, m)
	if err != nil {
		return err
	}
	delete(params, "requestState")
	delete(params, "inputResponses")
	if len(responses) > 0 {
		params["inputResponses"] = responses
	}
	if m.RequestState != nil {
		params["requestState"] = *m.RequestState
	}
	return nil
}
