//go:build !race

package runtime_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// BenchmarkCall is the cost of the engine, from the bytes of a request to those of the response, and of
// a small typed tool.
func BenchmarkCall(b *testing.B) {
	typed, err := mcptool.New(quoteOf)
	if err != nil {
		b.Fatal(err)
	}
	params := `"name":"quote_of","arguments":{"symbol":"ACME","lots":3}`
	for _, test := range []struct{ name, text string }{
		{"legacy", legacy("1000", "tools/call", params)},
		{"modern", modern("1000", "tools/call", ","+params)},
		{"ping", legacy("1000", "ping", "")},
	} {
		b.Run(test.name, func(b *testing.B) {
			l := newLoop(test.text)
			session := l.start(b, serve(b, typed))
			l.run(b, session, 10) // the tool has shown that it is quick
			b.ReportAllocs()
			b.ResetTimer()
			l.run(b, session, b.N)
		})
	}
}
