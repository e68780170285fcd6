package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

// server holds the tools.
type server struct {
	tools []tool
	kept  []byte // cached result of tools/list, if enabled
}

var self = implementation{"bench", "1.0.0"}

func newServer(many int) *server {
	s := &server{}
	for i := range many {
		s.tools = append(s.tools, tool{fmt.Sprintf("tool_%05d", i), tools.ManyDescription, manyInput, manyOutput})
	}
	if many > 0 {
		return s
	}
	for _, t := range []tool{
		{Name: "big_rows", Description: tools.RowsDescription},
		{Name: "echo", Description: tools.EchoDescription},
		{Name: "get_weather", Description: tools.WeatherDescription},
		{Name: "search_orders", Description: tools.OrdersDescription},
	} {
		t.Input, t.Output = tools.Schemas(t.Name)
		s.tools = append(s.tools, t)
	}
	return s
}

// keepList caches the result of tools/list.
func (s *server) keepList() { s.kept, _ = json.Marshal(listResult{Tools: s.tools}) }

// handle returns the result of a request.
func (s *server) handle(ctx context.Context, req *request) (any, *rpcError) {
	var p params
	if req.Params != nil {
		if err := json.Unmarshal(req.Params, &p); err != nil {
			return nil, &rpcError{-32602, err.Error()}
		}
	}
	switch req.Method {
	case "initialize":
		return initializeResult{"2025-06-18", map[string]any{"tools": map[string]any{}}, self}, nil
	case "server/discover":
		return discoverResult{[]string{"2026-07-28"}, map[string]any{"tools": map[string]any{}}, modernOf(&p)}, nil
	case "ping":
		return modernOf(&p), nil
	case "tools/list":
		return listResult{s.tools, modernOf(&p)}, nil
	case "tools/call":
		return call(ctx, &p)
	default:
		return nil, &rpcError{-32601, "there is no method " + req.Method}
	}
}

func call(ctx context.Context, p *params) (any, *rpcError) {
	switch p.Name {
	case "get_weather":
		return run(ctx, p, tools.GetWeather)
	case "search_orders":
		return run(ctx, p, tools.SearchOrders)
	case "big_rows":
		return run(ctx, p, tools.BigRows)
	case "echo":
		return run(ctx, p, tools.Echo)
	default:
		return nil, &rpcError{-32602, "there is no tool " + p.Name}
	}
}

// run calls fn. It encodes the result once, and returns it both as structured
// content and as text.
func run[In, Out any](ctx context.Context, p *params, fn func(context.Context, In) (Out, error)) (any, *rpcError) {
	var in In
	if err := json.Unmarshal(p.Arguments, &in); err != nil {
		return nil, &rpcError{-32602, err.Error()}
	}
	out, err := fn(ctx, in)
	if err != nil {
		return callResult{Content: []textBlock{{"text", err.Error()}}, IsError: true, modern: modernOf(p)}, nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, &rpcError{-32603, err.Error()}
	}
	return callResult{Content: []textBlock{{"text", string(text)}}, Structured: text, modern: modernOf(p)}, nil
}

// modernOf returns the additional members of a result for the revision of the
// request.
func modernOf(p *params) modern {
	if p.Meta.Protocol == "" {
		return modern{}
	}
	return modern{"complete", &meta{self}}
}

// The schemas of each of many tools.
var (
	manyInput = json.RawMessage(`{"type":"object","properties":{` +
		`"location":{"type":"string","description":"City name, e.g. Lisbon"},` +
		`"unit":{"type":"string","description":"Unit of the temperatures"},` +
		`"days":{"type":"integer","description":"Days to look ahead"},` +
		`"tags":{"type":"array","items":{"type":"string"},"description":"What else to look for"}},` +
		`"required":["location","days"],"additionalProperties":false}`)
	manyOutput = json.RawMessage(`{"type":"object","properties":{` +
		`"location":{"type":"string","description":"The place found"},` +
		`"conditions":{"type":"string","description":"In a word"},` +
		`"humidity":{"type":"number","description":"From 0 to 1"},` +
		`"stale":{"type":"boolean","description":"Whether the source was silent"}},` +
		`"required":["location","conditions","humidity","stale"],"additionalProperties":false}`)
)
