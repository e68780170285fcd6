package main

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

// A question has the arguments of a call with the expected result.
type question struct {
	arguments json.RawMessage
	answer    []byte // the structured result in canonical form
}

// questions are used in turn, to detect mixed-up responses.
type questions struct {
	tool    string
	all     []question
	invalid bool // the arguments are invalid, so the tool must not run
}

// of returns the question for a request id.
func (q *questions) of(id int64) *question { return &q.all[id%int64(len(q.all))] }

// prepare encodes the calls as a client sends them.
func (q *questions) prepare(ctx context.Context, c *client.Client) ([]*client.Prepared, error) {
	prepared := make([]*client.Prepared, len(q.all))
	for i := range q.all {
		var err error
		if prepared[i], err = c.Prepare(ctx, q.tool, q.all[i].arguments); err != nil {
			return nil, err
		}
	}
	return prepared, nil
}

// ask adds a question; fn is the function of the tool and returns the expected
// result.
func ask[In, Out any](ctx context.Context, q *questions, fn func(context.Context, In) (Out, error), in In) error {
	arguments, err := json.Marshal(in)
	if err != nil {
		return err
	}
	out, err := fn(ctx, in)
	if err != nil {
		return err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	answer, err := canonical(text)
	q.all = append(q.all, question{arguments, answer})
	return err
}

// askSamples returns the questions for one tool.
func askSamples[In, Out any](ctx context.Context, tool string, fn func(context.Context, In) (Out, error), samples []In) (*questions, error) {
	q := &questions{tool: tool}
	for _, in := range samples {
		if err := ask(ctx, q, fn, in); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func weatherQuestions(ctx context.Context) (*questions, error) {
	return askSamples(ctx, "get_weather", tools.GetWeather, tools.WeatherSamples())
}

// invalidQuestions returns questions with a wrong type in one member, which every
// contender rejects.
func invalidQuestions(context.Context) (*questions, error) {
	q := &questions{tool: "get_weather", invalid: true}
	for _, in := range tools.WeatherSamples() {
		arguments, err := json.Marshal(map[string]any{"location": in.Location, "unit": in.Unit, "days": "three"})
		if err != nil {
			return nil, err
		}
		q.all = append(q.all, question{arguments: arguments})
	}
	return q, nil
}

func ordersQuestions(ctx context.Context) (*questions, error) {
	return askSamples(ctx, "search_orders", tools.SearchOrders, tools.OrdersSamples())
}

func echoQuestions(ctx context.Context) (*questions, error) {
	return askSamples(ctx, "echo", tools.Echo, tools.EchoSamples())
}

func rowsQuestions(ctx context.Context, rows int) (*questions, error) {
	return askSamples(ctx, "big_rows", tools.BigRows, []tools.RowsIn{{Rows: rows}})
}
