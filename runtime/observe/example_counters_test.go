package observe_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/stdio"
)

// Counters can be published at /debug/vars with expvar.Publish, or used in a readiness probe.
func ExampleCounters() {
	add, err := mcptool.New(func(_ context.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil }, mcptool.Name("add"))
	if err != nil {
		fmt.Println(err)
		return
	}
	counters := new(observe.Counters)
	srv := &runtime.Server{Name: "sums", Version: "1.0.0", Tools: &mcptool.Registry{}, Observer: counters}
	if err := srv.Tools.Add(add); err != nil {
		fmt.Println(err)
		return
	}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"A":1,"B":2},` + meta + `}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"subtract","arguments":{},` + meta + `}}
`
	if err := stdio.Serve(context.Background(), srv, stdio.In(strings.NewReader(in)), stdio.Out(io.Discard)); err != nil {
		fmt.Println(err)
	}
	requests := counters.Counts()[observe.KindRequest]
	fmt.Println(requests.Ended, "requests,", requests.Failed, "failed")
	// Output: 2 requests, 1 failed
}
