package client

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

// A Reference is what an argument to complete belongs to: a prompt, or a resource template. One of the fields is set.
type Reference struct {
	Prompt      string // name
	URITemplate string
}

// A Completion is the values that a server suggests.
type Completion struct {
	Values  []string
	Total   *int // of all values that match; nil if it is not given
	HasMore bool // there are more than Values
}

// contextRevision is the first revision in which a completion can depend on other arguments.
const contextRevision = "2025-06-18"

// maxSuggested is how many values a completion may have, by the protocol; more are left out.
const maxSuggested = 100

// Complete requests the values of an argument of a prompt, or of a variable of a template, that begin with what was
// typed. others are the arguments that have values already. The result is empty if the server does not declare completion,
// and then it is not asked, and if it does not know the method. The error is an *RPCError if the server refuses, an
// *UnreachableError, or ctx's.
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
	raw, err := c.request(ctx, "completion/complete", text)
	if refused := asRefusal(err); refused != nil && refused.Code == codeMethodNotFound {
		return &Completion{}, nil
	}
	if err != nil {
		return nil, err
	}
	var result struct {
		Completion struct {
			Values  []string `json:"values"`
			Total   *int     `json:"total"`
			HasMore bool     `json:"hasMore"`
		} `json:"completion"`
	}
	if err := strictjson.Decode(raw, &result); err != nil {
		return nil, c.conn.unreachable("its answer to completion/complete is not one: "+err.Error(), err)
	}
	found := Completion(result.Completion)
	if len(found.Values) > maxSuggested {
		found.Values, found.HasMore = found.Values[:maxSuggested], true
	}
	return &found, nil
}
