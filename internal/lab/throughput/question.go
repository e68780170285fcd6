package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

// A revision is how a client speaks.
type revision string

// The handshake era is represented by the newest revision that all contenders answer alike.
const (
	handshake revision = "2025-06-18"
	modern    revision = "2026-07-28"
)

// meta is what every request of the modern era carries.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"throughput","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}`

// A question is a call in all but its id, and the answer it has to get.
type question struct {
	tail   []byte // what follows the id in the request
	answer []byte // the structured result, canonical
}

// questions are asked in turn, so that a server cannot mix answers up unnoticed.
type questions struct {
	tool string
	all  []question
}

// of returns the question that the request with this id asks.
func (q *questions) of(id int) *question { return &q.all[id%len(q.all)] }

// firstID is where ids begin: all of them have the same length.
const firstID = 1_000_000_000

// appendRequest appends the request with this id.
func (q *questions) appendRequest(dst []byte, id int) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, int64(id), 10)
	return append(dst, q.of(id).tail...)
}

// ask adds a question; fn is the function under the tool, and says what is expected.
func ask[In, Out any](ctx context.Context, q *questions, rev revision, fn func(context.Context, In) (Out, error), in In) error {
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
	one := question{tail: fmt.Appendf(nil, `,"method":"tools/call","params":{"name":%q,"arguments":%s`, q.tool, arguments)}
	if rev == modern {
		one.tail = append(one.tail, ","+meta...)
	}
	one.tail = append(one.tail, "}}"...)
	q.all = append(q.all, one)
	last := &q.all[len(q.all)-1]
	last.answer, err = canonical(text)
	return err
}

func weatherQuestions(ctx context.Context, rev revision) (*questions, error) {
	q := &questions{tool: "get_weather"}
	for _, in := range tools.WeatherSamples() {
		if err := ask(ctx, q, rev, tools.GetWeather, in); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func ordersQuestions(ctx context.Context, rev revision) (*questions, error) {
	q := &questions{tool: "search_orders"}
	for _, in := range tools.OrdersSamples() {
		if err := ask(ctx, q, rev, tools.SearchOrders, in); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func rowsQuestions(ctx context.Context, rev revision, rows int) (*questions, error) {
	q := &questions{tool: "big_rows"}
	return q, ask(ctx, q, rev, tools.BigRows, tools.RowsIn{Rows: rows})
}
