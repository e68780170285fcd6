//go:build unix

package otelmcp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// discards is an exporter that drops the spans.
type discards struct{}

func (discards) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discards) Shutdown(context.Context) error                             { return nil }

// calls is a stream of n calls.
type calls struct {
	line []byte
	left int
	rest []byte
}

func (c *calls) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(c.rest) == 0 {
			if c.left == 0 {
				break
			}
			c.left--
			c.rest = c.line
		}
		m := copy(p[n:], c.rest)
		n, c.rest = n+m, c.rest[m:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// cpu returns the processor time of the process.
func cpu() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// request returns the same request again and again.
func request(line string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "add",
	} {
		r.Header.Set(name, value)
	}
	r.ContentLength = int64(len(line))
	return r
}

// BenchmarkCall is the processor time of a call without an observer, and with spans that are exported in batches, or
// not sampled, both with metrics. Over HTTP that is the time in the handler, without net/http.
func BenchmarkCall(b *testing.B) {
	batching := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discards{}))
	unsampled := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	for _, meta := range []struct {
		name string
		meta []string
	}{{"", nil}, {"traceparent/", []string{parent}}} {
		for _, test := range []struct {
			name    string
			tracers trace.TracerProvider // nil: no observer
		}{{"none", nil}, {"batching", batching}, {"unsampled", unsampled}} {
			add, err := mcptool.New(func(_ context.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil }, mcptool.Name("add"))
			if err != nil {
				b.Fatal(err)
			}
			srv := &runtime.Server{Name: "bench", Version: "1", Tools: &mcptool.Registry{}}
			if err := srv.Tools.Add(add); err != nil {
				b.Fatal(err)
			}
			if test.tracers != nil {
				meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
				srv.Observer = otelmcp.New(otelmcp.Options{TracerProvider: test.tracers, MeterProvider: meters})
			}
			line := modern("1", "tools/call", `,"name":"add","arguments":{"A":1,"B":2}`, meta.meta...) + "\n"
			b.Run(meta.name+"stdio/"+test.name, func(b *testing.B) {
				b.ReportAllocs()
				before := cpu()
				if err := stdio.Serve(b.Context(), srv, stdio.In(&calls{line: []byte(line), left: b.N}), stdio.Out(io.Discard)); err != nil {
					b.Error(err)
				}
				b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
			})
			b.Run(meta.name+"http/"+test.name, func(b *testing.B) {
				b.ReportAllocs()
				handler, r := streamhttp.NewHandler(srv), request(line)
				before := cpu()
				for b.Loop() {
					r.Body = io.NopCloser(strings.NewReader(line))
					handler.ServeHTTP(httptest.NewRecorder(), r)
				}
				b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// BenchmarkSDK is the part of it that OpenTelemetry takes: a span with the attributes of a call, and a measurement.
func BenchmarkSDK(b *testing.B) {
	for name, provider := range map[string]trace.TracerProvider{
		"batching":  sdktrace.NewTracerProvider(sdktrace.WithBatcher(discards{})),
		"unsampled": sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())),
	} {
		b.Run(name, func(b *testing.B) {
			histogram, err := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())).Meter("sdk").Float64Histogram("h")
			if err != nil {
				b.Fatal(err)
			}
			tracer := provider.Tracer("sdk")
			var attributes []attribute.KeyValue
			for _, key := range []string{"mcp.method.name", "gen_ai.tool.name", "gen_ai.operation.name", "mcp.protocol.version", "network.transport", "jsonrpc.request.id"} {
				attributes = append(attributes, attribute.String(key, "a value"))
			}
			kind := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
			measured := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(attributes[:5]...))}
			b.ReportAllocs()
			before := cpu()
			for b.Loop() {
				ctx, span := tracer.Start(context.Background(), "tools/call add", kind...)
				if span.IsRecording() {
					span.SetAttributes(attributes...)
					span.End()
				}
				histogram.Record(ctx, 0.001, measured...)
			}
			b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}
