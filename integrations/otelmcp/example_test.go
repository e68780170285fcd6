package otelmcp_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// Spans of a call are exported. Programs use the exporter of otlptracehttp in place of this one.
func Example() {
	ctx := context.Background()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))

	chart, err := mcptool.New(func(ctx context.Context, _ struct{ Of string }) (string, error) {
		_, span := provider.Tracer("charts").Start(ctx, "draw") // a child of the span of the call
		defer span.End()
		return "a chart", nil
	}, mcptool.Name("chart"))
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := &runtime.Server{
		Name: "charts", Version: "1.0.0", Tools: &mcptool.Registry{},
		Observer: otelmcp.New(otelmcp.Options{TracerProvider: provider}),
	}
	if err := srv.Tools.Add(chart); err != nil {
		fmt.Println(err)
		return
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chart","arguments":{"Of":"sales"},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}` + "\n"
	if err := stdio.Serve(ctx, srv, stdio.In(strings.NewReader(call)), stdio.Out(io.Discard)); err != nil {
		fmt.Println(err)
	}
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name, span.SpanKind == trace.SpanKindServer, span.SpanContext.TraceID(), span.Parent.SpanID() == trace.SpanID{0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31})
	}
	// Output:
	// draw false 0af7651916cd43dd8448eb211c80319c false
	// tools/call chart true 0af7651916cd43dd8448eb211c80319c true
}
