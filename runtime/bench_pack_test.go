//go:build !race

package runtime_test

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// BenchmarkPack measures BenchmarkCall with each limit, and with all, without reaching them.
func BenchmarkPack(b *testing.B) {
	timeout := mcptool.Timeout(30 * time.Second)
	rate := mcptool.RateLimit(mcptool.Rate{Calls: 1 << 30})
	concurrent := mcptool.Concurrent(1000)
	for _, test := range []struct {
		name    string
		opts    []mcptool.ToolOption
		audited bool
	}{
		{"none", nil, false},
		{"timeout", []mcptool.ToolOption{timeout}, false},
		{"rate", []mcptool.ToolOption{rate}, false},
		{"concurrent", []mcptool.ToolOption{concurrent}, false},
		{"all", []mcptool.ToolOption{timeout, rate, concurrent}, false},
		{"audit", nil, true},
		{"middleware", []mcptool.ToolOption{mcptool.Use(func(next mcptool.Handler) mcptool.Handler { return next })}, false},
	} {
		b.Run(test.name, func(b *testing.B) {
			typed, err := mcptool.New(quoteOf, test.opts...)
			if err != nil {
				b.Fatal(err)
			}
			srv := serve(b, typed)
			srv.MaskErrors = true
			if test.audited {
				srv.Observer = audit.New(slog.New(slog.NewJSONHandler(io.Discard, nil))) //nolint:sloglint // the benchmark measures the cost of records
			}
			packed(b, srv)
		})
	}
}

func packed(b *testing.B, srv *runtime.Server) {
	b.Helper()
	l := newLoop(legacy("1000", "tools/call", `"name":"quote_of","arguments":{"symbol":"ACME","lots":3}`))
	session := l.start(b, srv)
	l.run(b, session, 10) // mark the tool as fast
	b.ReportAllocs()
	b.ResetTimer()
	l.run(b, session, b.N)
}
