//go:build !race

package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// passing is middleware that calls next.
func passing(next mcptool.Handler) mcptool.Handler {
	return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) { return next(ctx, args) }
}

// BenchmarkCall measures the engine, from the bytes of a request to those of the response, with
// a small typed tool.
func BenchmarkCall(b *testing.B) {
	typed, params := quoteTool(b), quoteParams
	for _, test := range []struct {
		name, text string
		middleware []mcptool.Middleware
	}{
		{"legacy", legacy("1000", "tools/call", params), nil},
		{"modern", modern("1000", "tools/call", ","+params), nil},
		{"middleware", legacy("1000", "tools/call", params), []mcptool.Middleware{passing}},
		{"wrong", legacy("1000", "tools/call", strings.Replace(params, "lots", "lot", 1)), nil},
		{"ping", legacy("1000", "ping", ""), nil},
	} {
		b.Run(test.name, func(b *testing.B) {
			l := newLoop(test.text)
			srv := serve(b, typed)
			srv.Middleware = test.middleware
			session := l.start(b, srv)
			l.run(b, session, 10) // mark the tool as fast
			b.ReportAllocs()
			b.ResetTimer()
			l.run(b, session, b.N)
		})
	}
}
