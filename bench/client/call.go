package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
)

// maxRounds is the maximum number of times a server may ask for more input during one request.
const maxRounds = 100

// Call calls a tool; nil arguments mean {}. A tool that fails is not an error, see Result.IsError. Call runs a tool
// that requires task execution as a task, and waits for its result. The error is an *RPCError if the server rejects the
// call, an *UnreachableError, or ctx's.
func (c *Client) Call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	if !c.opts.Bounded {
		return c.call(ctx, name, args)
	}
	return limited(ctx, c, "tools/call of "+name, func(ctx context.Context) (*Result, error) { return c.call(ctx, name, args) })
}

func (c *Client) call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	if args == nil {
		args = json.RawMessage(`{}`)
	}
	if !json.Valid(args) {
		return nil, fmt.Errorf("the arguments of %s are not JSON", name)
	}
	a := &toolCall{c: c, params: map[string]any{"name": name, "arguments": args}}
	taskOnly, err := c.TaskOnly(ctx, name)
	if err != nil {
		return nil, err
	}
	if taskOnly { // without a task, servers reject such a call in different ways
		a.asTask, a.params["task"] = true, struct{}{}
	}
	for range maxRounds {
		raw, err := a.ask(ctx)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		r := new(Result)
		if err := strictjson.Decode(raw, r); err != nil {
			return nil, c.conn.unreachable("its answer to tools/call is not one: "+err.Error(), err)
		}
		return r, nil
	}
	return nil, c.asksWithoutEnd(name)
}

// A toolCall is one call of a tool, which may take several requests.
type toolCall struct {
	c      *Client
	params map[string]any
	asTask bool
}

// ask sends the call. It returns the result, or nil if the call must be sent again with the added input.
func (a *toolCall) ask(ctx context.Context) (json.RawMessage, error) {
	c := a.c
	if c.opts.Notify != nil {
		a.params["_meta"] = c.reports()
	}
	params, err := json.Marshal(a.params)
	if err != nil {
		return nil, err
	}
	meta := c.meta()
	if a.asTask && c.era == Modern {
		meta = c.modernMeta(true)
	}
	raw, err := c.requestWith(ctx, "tools/call", params, meta)
	if err != nil {
		return nil, a.refused(ctx, err)
	}
	var kind struct {
		ResultType string          `json:"resultType"`
		Task       json.RawMessage `json:"task"`
	}
	if err := strictjson.Decode(raw, &kind); err != nil {
		return nil, c.conn.unreachable("its answer to tools/call is not one: "+err.Error(), err)
	}
	state := raw
	switch {
	case kind.ResultType == "input_required", kind.ResultType == "task":
	case a.asTask && kind.Task != nil && c.era == Legacy:
		state = kind.Task
	default:
		return raw, nil
	}
	var t task
	if err := strictjson.Decode(state, &t); err != nil {
		return nil, c.conn.unreachable("its answer to tools/call is not one: "+err.Error(), err)
	}
	switch kind.ResultType {
	case "input_required":
		return nil, c.addInput(ctx, a.params, t.inputRequired)
	case "task":
		return c.modernTask(ctx, t)
	default:
		return c.legacyTask(ctx, t)
	}
}

// refused returns err, unless the call can be retried in another form.
func (a *toolCall) refused(ctx context.Context, err error) error {
	refused := asRefusal(err)
	if refused == nil {
		return err
	}
	if !a.asTask && a.c.era == Modern && refused.needsTask() {
		a.asTask = true
		return nil
	}
	if refused.Code == codeURLFirst && a.c.opts.Elicit != nil && a.c.visitURLs(ctx, refused) {
		return nil
	}
	return err
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
			return nil, fmt.Errorf("the server asks for %s, which it was not told that we can do: %w", r.Method, err)
		}
		responses[key] = response
	}
	return responses, nil
}
