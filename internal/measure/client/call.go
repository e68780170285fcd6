package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// maxRounds is the maximum number of times a server may ask for more input during one request.
const maxRounds = 100

// Call calls a tool; nil arguments mean {}. A tool that fails is not an error, see Result.IsError. Call runs a tool
// that requires task execution as a task, and waits for its result. The error is an *RPCError if the server rejects the
// call, an *UnreachableError, or ctx's.
func (c *Client) Call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	return bounded(ctx, c, "tools/call of "+name, func(ctx context.Context) (*Result, error) { return c.call(ctx, name, args, c.opts.Tasks) })
}

// CallTask is [Client.Call] as with [Options.Tasks]: the call runs as a task if the server and the tool support that.
func (c *Client) CallTask(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	return bounded(ctx, c, "tools/call of "+name, func(ctx context.Context) (*Result, error) { return c.call(ctx, name, args, true) })
}

func (c *Client) call(ctx context.Context, name string, args json.RawMessage, wantTask bool) (*Result, error) {
	if args == nil {
		args = json.RawMessage(`{}`)
	}
	if !json.Valid(args) {
		return nil, fmt.Errorf("the arguments of %s are not JSON", name)
	}
	params := map[string]any{"name": name, "arguments": args}
	asTask, err := c.asTask(ctx, name, wantTask)
	if err != nil {
		return nil, err
	}
	if asTask { // without a task, servers reject such a call in different ways
		params["task"] = struct{}{}
	}
	meta := c.meta()
	if wantTask && c.era == Modern {
		meta = c.modernMeta(true)
	}
	raw, err := c.rounds(ctx, "tools/call", name, params, c.callMeta(meta))
	if refused := asRefusal(err); refused != nil && c.era == Modern && refused.needsTask() {
		raw, err = c.rounds(ctx, "tools/call", name, params, c.callMeta(c.modernMeta(true)))
	}
	if err == nil {
		raw, err = c.afterTask(ctx, raw, asTask)
	}
	if err != nil {
		return nil, err
	}
	r := &Result{Raw: raw}
	if err := c.decode("tools/call", raw, r); err != nil {
		return nil, err
	}
	return r, nil
}

// callMeta returns the _meta members of a call: meta, those of every request, and [Options.CallMeta].
func (c *Client) callMeta(meta members) members {
	if len(c.opts.CallMeta) == 0 {
		return meta
	}
	all := maps.Clone(members(c.opts.CallMeta))
	maps.Copy(all, meta)
	return all
}

// afterTask returns the result of a call, or of the task if the call has created one. asTask means that the call
// asked for a task of the legacy era.
func (c *Client) afterTask(ctx context.Context, raw json.RawMessage, asTask bool) (json.RawMessage, error) {
	var kind struct {
		ResultType string          `json:"resultType"`
		Task       json.RawMessage `json:"task"`
	}
	if err := c.decode("tools/call", raw, &kind); err != nil {
		return nil, err
	}
	wait, state := c.legacyTask, kind.Task
	switch {
	case kind.ResultType == "task":
		wait, state = c.modernTask, raw
	case !asTask || state == nil || c.era == Modern:
		return raw, nil
	}
	t, err := c.decodeTask(ctx, "tools/call", state, "")
	if err != nil {
		return nil, err
	}
	return wait(ctx, t)
}

// visitURLs asks the user to visit the URLs that a legacy server requires before it accepts the call. It reports
// whether the user accepted all of them.
func (c *Client) visitURLs(ctx context.Context, refused *RPCError) bool {
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if strictjson.Decode(refused.Data, &data) != nil || len(data.Elicitations) == 0 {
		return false
	}
	for _, params := range data.Elicitations {
		raw, err := c.elicit(ctx, params)
		var answer ElicitResult
		if err != nil || strictjson.Decode(raw, &answer) != nil || answer.Action != "accept" {
			return false
		}
	}
	return true
}

// reports returns the _meta of a call that requests progress and log messages.
func (c *Client) reports() map[string]any {
	meta := map[string]any{"progressToken": c.lastID.Add(1)}
	if c.era == Modern {
		meta[metaPrefix+"logLevel"] = "info"
	}
	return meta
}

// inputRequired is a result of a modern server that requires more input.
type inputRequired struct {
	InputRequests map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	} `json:"inputRequests"`
	RequestState *string `json:"requestState"`
}

// respond answers the input requests of m, in key order.
func (c *Client) respond(ctx context.Context, m inputRequired) (map[string]json.RawMessage, error) {
	responses := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(m.InputRequests)) {
		r := m.InputRequests[key]
		response, err := c.serve(ctx, r.Method, r.Params)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("the server asks for %s, which this client has not declared: %w", r.Method, err)
		}
		responses[key] = response
	}
	return responses, nil
}
