package main

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A workload is one row of the tables: calls of one tool over one transport.
type workload struct {
	name     string // for -only
	title    string
	calls    func(context.Context) (*toolCalls, error)
	open     func(context.Context, server) (*connection, error)
	inFlight int
	servers  []string
}

// workloads returns the rows of all tables, in order.
func workloads() []workload {
	frameworks, safety := []string{ours, goSDK, mcpGo}, []string{ours, limited, audited}
	return []workload{
		{"stdio-1", "stdio, get_weather, one at a time", weatherCalls, openStdio, 1, frameworks},
		{"stdio-64", "stdio, get_weather, 64 in flight", weatherCalls, openStdio, 64, frameworks},
		{"orders-16", "stdio, search_orders (7 KB), 16 in flight", ordersCalls, openStdio, 16, frameworks},
		{"http-16", "HTTP, get_weather, 16 connections", weatherCalls, openHTTP, 16, frameworks},
		{"http-64", "HTTP, get_weather, 64 connections", weatherCalls, openHTTP, 64, frameworks},
		{"safe-64", "stdio, get_weather, 64 in flight", weatherCalls, openStdio, 64, safety},
	}
}

// toolCalls are calls of a tool with different arguments, made in turn to detect mixed-up responses.
type toolCalls struct {
	tool string
	all  []toolCall
}

// A toolCall is the arguments of a call, and the structured result to expect, in canonical form.
type toolCall struct {
	arguments json.RawMessage
	want      []byte
}

// of returns the call with a request id.
func (t *toolCalls) of(id int64) *toolCall { return &t.all[id%int64(len(t.all))] }

// prepare encodes the calls as a client sends them.
func (t *toolCalls) prepare(ctx context.Context, c *client.Client) ([]*client.Prepared, error) {
	prepared := make([]*client.Prepared, len(t.all))
	for i := range t.all {
		var err error
		if prepared[i], err = c.Prepare(ctx, t.tool, t.all[i].arguments); err != nil {
			return nil, err
		}
	}
	return prepared, nil
}

// callsOf returns calls of a tool. fn is the function of the tool, which returns the results to expect.
func callsOf[In, Out any](ctx context.Context, tool string, fn func(context.Context, In) (Out, error), inputs []In) (*toolCalls, error) {
	t := &toolCalls{tool: tool}
	for _, in := range inputs {
		arguments, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		want, err := canonical(text)
		if err != nil {
			return nil, err
		}
		t.all = append(t.all, toolCall{arguments, want})
	}
	return t, nil
}

func weatherCalls(ctx context.Context) (*toolCalls, error) {
	return callsOf(ctx, "get_weather", tools.GetWeather, tools.WeatherSamples())
}

func ordersCalls(ctx context.Context) (*toolCalls, error) {
	return callsOf(ctx, "search_orders", tools.SearchOrders, tools.OrdersSamples())
}
