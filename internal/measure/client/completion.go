package client

import (
	"context"
	"encoding/json"
)

// A Reference is the owner of an argument to complete: a prompt or a resource template. One of the fields is set.
type Reference struct {
	Prompt      string // name
	URITemplate string
}

// A Completion holds the values that a server suggests.
type Completion struct {
	Values  []string `json:"values"`
	Total   *int     `json:"total"`   // number of matching values; nil if unknown
	HasMore bool     `json:"hasMore"` // there are more than Values
}

// contextRevision is the first revision with completions that depend on other arguments.
const contextRevision = "2025-06-18"

// maxSuggested is the maximum number of values in a completion by the protocol; Complete drops the rest.
const maxSuggested = 100

// Complete requests values for an argument of a prompt or a variable of a template that begin with the typed text.
// others are the arguments that already have values. The result is empty if the server does not declare completions, in
// which case no request is sent, or rejects the method as unknown. The error is an *RPCError if the server rejects the
// request, an *UnreachableError, or ctx's.
func (c *Client) Complete(ctx context.Context, of Reference, argument, typed string, others map[string]string) (*Completion, error) {
	if !c.Declares("completions") {
		return &Completion{}, nil
	}
	ref := map[string]string{"type": "ref/prompt", "name": of.Prompt}
	if of.URITemplate != "" {
		ref = map[string]string{"type": "ref/resource", "uri": of.URITemplate}
	}
	params := map[string]any{"ref": ref, "argument": map[string]string{"name": argument, "value": typed}}
	if len(others) > 0 && c.server.Revision >= contextRevision {
		params["context"] = map[string]any{"arguments": others}
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	raw, err := c.Request(ctx, "completion/complete", text)
	if refused := asRefusal(err); refused != nil && refused.Code == codeMethodNotFound {
		return &Completion{}, nil
	}
	if err != nil {
		return nil, err
	}
	var result struct {
		Completion Completion `json:"completion"`
	}
	if err := c.decode("completion/complete", raw, &result); err != nil {
		return nil, err
	}
	found := &result.Completion
	if len(found.Values) > maxSuggested {
		found.Values, found.HasMore = found.Values[:maxSuggested], true
	}
	return found, nil
}
