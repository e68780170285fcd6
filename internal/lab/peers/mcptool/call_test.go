package main

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

var internals = mcptool.Internal(private.Key{})

// BenchmarkCall measures the part of a call that depends on the tool: decoding and validating
// the arguments, the func, encoding and validating the result, and repeating it as text. The
// server's overhead is measured by throughput.
func BenchmarkCall(b *testing.B) {
	for _, bench := range []struct {
		definition
		args any
	}{
		{defined(tools.GetWeather), tools.WeatherIn{Location: "Lisbon", Unit: "celsius", Days: 3}},
		{defined(tools.SearchOrders), tools.OrdersIn{
			Query:    "books and lamps",
			Customer: tools.Customer{ID: 517, Name: "Ana Sofia Marques", Email: "ana.marques@example.com"},
			Statuses: []string{"open", "paid", "shipped"}, From: "2026-01-01", Until: "2026-11-20",
			Sort:     []tools.Sort{{Field: "created", Descending: true}, {Field: "total"}},
			MinTotal: 9.99, Limit: 50, Tags: []string{"gift", "express", "insured"},
		}},
		{defined(tools.BigRows), tools.RowsIn{Rows: 10_000}},
	} {
		tool, err := bench.tool, bench.err
		if err != nil {
			b.Fatal(err)
		}
		args, err := json.Marshal(bench.args)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(tool.Name(), func(b *testing.B) { callRepeatedly(b, tool, args) })
	}
}

func callRepeatedly(b *testing.B, tool *mcptool.Tool, args []byte) {
	b.Helper()
	b.ReportAllocs()
	ctx := &callctx.Context{Context: b.Context(), Call: callctx.Call{Tool: tool}} // as the server's has it
	var buf []byte
	for b.Loop() {
		var err error
		if buf, _, err = internals.Call(ctx, tool, args, buf[:0]); err != nil {
			b.Fatal(err)
		}
		buf = rawjson.AppendQuoted(buf, buf)
	}
	b.SetBytes(int64(len(buf)))
}
