package audit_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/stdio"
)

// Each call has a record in the audit log, also one that is refused. A record is written after the answer.
func Example() {
	add, err := mcptool.New(func(_ context.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil }, mcptool.Name("add"))
	if err != nil {
		fmt.Println(err)
		return
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" || a.Key == "duration" || a.Key == "bytes_out" {
			return slog.Attr{}
		}
		return a
	}}))
	srv := &runtime.Server{Name: "sums", Version: "1.0.0", Tools: &mcptool.Registry{}, Observer: audit.New(log)}
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
	// Unordered output:
	// level=INFO msg="tool called" principal="" client="" client_version="" protocol=2026-07-28 tool=add request_id=1 outcome=ok bytes_in=13
	// level=INFO msg="tool called" principal="" client="" client_version="" protocol=2026-07-28 tool=subtract request_id=2 outcome=refused bytes_in=2
}
