//go:build !race

package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// bytesIn is the size of the text to return, as an argument of a tool and the variable of a template.
type bytesIn struct {
	N int `json:"n"`
}

// bytesOut is a structured result.
type bytesOut struct {
	Text string `json:"text"`
}

// manyBytes is the source of the texts.
var manyBytes = strings.Repeat("Line 7 of a \"file\".\n", 1<<13)

func textOf(_ context.Context, in bytesIn) (mcptool.Text, error) {
	return mcptool.Text{Text: manyBytes[:in.N]}, nil
}
func stringOf(_ context.Context, in bytesIn) (string, error) { return manyBytes[:in.N], nil }
func jsonOf(_ context.Context, in bytesIn) (bytesOut, error) { return bytesOut{manyBytes[:in.N]}, nil }

// readPairs are a tool call and a resource read that return the same text.
var readPairs = []struct {
	name, call, read string
}{
	{"100 B", legacy("1000", "tools/call", `"name":"text","arguments":{"n":100}`), legacy("1000", "resources/read", `"uri":"text://100"`)},
	{"100 B, modern", modern("1000", "tools/call", `,"name":"text","arguments":{"n":100}`), modern("1000", "resources/read", `,"uri":"text://100"`)},
	{"10 KB", legacy("1000", "tools/call", `"name":"text","arguments":{"n":10000}`), legacy("1000", "resources/read", `"uri":"text://10000"`)},
	{"100 B of JSON", legacy("1000", "tools/call", `"name":"json","arguments":{"n":100}`), legacy("1000", "resources/read", `"uri":"json://100"`)},
	{"10 KB of JSON", legacy("1000", "tools/call", `"name":"json","arguments":{"n":10000}`), legacy("1000", "resources/read", `"uri":"json://10000"`)},
}

// readServer returns a server with the tools and resources of readPairs.
func readServer(tb testing.TB) *runtime.Server {
	tb.Helper()
	text, err := mcptool.New(textOf, mcptool.Name("text"))
	if err != nil {
		tb.Fatal(err)
	}
	object, err := mcptool.New(jsonOf, mcptool.Name("json"))
	if err != nil {
		tb.Fatal(err)
	}
	srv := serve(tb, text, object)
	addResource(tb, srv, "text://{n}", stringOf)
	addResource(tb, srv, "json://{n}", jsonOf)
	return srv
}

// TestReadAllocations checks the allocations of reading a resource by a template; see [TestCallAllocations].
func TestReadAllocations(t *testing.T) {
	for i, budget := range []float64{15, 16, 15, 5, 5} {
		pair := readPairs[i]
		t.Run(pair.name, func(t *testing.T) {
			const messages = 300
			l := newLoop(pair.read)
			session := l.start(t, readServer(t))
			if got := leastAllocs(func() { l.run(t, session, messages) }) / messages; got > budget+0.5 {
				t.Errorf("%.2f allocations, want %v", got, budget)
			}
		})
	}
}

// BenchmarkRead compares reading a resource with calling a tool that returns the same text.
func BenchmarkRead(b *testing.B) {
	for _, pair := range readPairs {
		for _, test := range []struct{ name, text string }{{"call", pair.call}, {"read", pair.read}} {
			b.Run(pair.name+"/"+test.name, func(b *testing.B) {
				l := newLoop(test.text)
				session := l.start(b, readServer(b))
				l.run(b, session, 10)
				b.ReportAllocs()
				b.ResetTimer()
				l.run(b, session, b.N)
			})
		}
	}
}
