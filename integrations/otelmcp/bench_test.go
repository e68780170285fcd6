//go:build unix

package otelmcp_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
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

// batching returns a provider that exports all spans. Without WithBlocking, it drops many, because the calls do nothing
// else.
func batching() trace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(discards{}, sdktrace.WithBlocking()))
}

// unsampled returns a provider that samples no span.
func unsampled() trace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
}

// firstID is the id of the first call.
const firstID = "10000000"

// calls is a stream of calls, each with its own id: a server refuses a second request with the id of one that it is
// still answering.
type calls struct {
	line []byte
	left int
	rest []byte
}

// increment increments the id.
func (c *calls) increment() {
	_, id, _ := bytes.Cut(c.line, []byte(`"id":`))
	for i := len(firstID) - 1; i >= 0; i-- {
		if id[i]++; id[i] <= '9' {
			return
		}
		id[i] = '0'
	}
}

func (c *calls) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(c.rest) == 0 {
			if c.left == 0 {
				break
			}
			c.left--
			c.increment()
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

// sum is in the result of each call.
var sum = []byte(`"structuredContent":3`)

// results counts the results that are written.
type results int

func (r *results) Write(p []byte) (int, error) {
	*r += results(bytes.Count(p, sum))
	return len(p), nil
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
	batching, unsampled := batching(), unsampled()
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
			line := modern(firstID, "tools/call", `,"name":"add","arguments":{"A":1,"B":2}`, meta.meta...) + "\n"
			b.Run(meta.name+"stdio/"+test.name, func(b *testing.B) {
				b.ReportAllocs()
				before := cpu()
				out := new(results)
				if err := stdio.Serve(b.Context(), srv, stdio.In(&calls{line: []byte(line), left: b.N}), stdio.Out(out)); err != nil || int(*out) != b.N {
					b.Errorf("%d results of %d calls, error %v", *out, b.N, err)
				}
				b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
			})
			b.Run(meta.name+"http/"+test.name, func(b *testing.B) {
				b.ReportAllocs()
				handler, err := streamhttp.NewHandler(srv)
				if err != nil {
					b.Fatal(err)
				}
				r := request(line)
				before := cpu()
				for b.Loop() {
					r.Body = io.NopCloser(strings.NewReader(line))
					w := httptest.NewRecorder()
					if handler.ServeHTTP(w, r); !bytes.Contains(w.Body.Bytes(), sum) {
						b.Fatalf("status %d: %s", w.Code, w.Body)
					}
				}
				b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// BenchmarkSDK is the part of it that OpenTelemetry takes: the spans and measurements of BenchmarkCall, with as many
// attributes, recorded by hand. The id and the address differ between requests, so they are set separately.
func BenchmarkSDK(b *testing.B) {
	common := []string{"mcp.method.name", "gen_ai.tool.name", "gen_ai.operation.name", "mcp.protocol.version", "network.transport"}
	for _, meta := range []struct {
		name    string
		carrier propagation.MapCarrier
	}{{"", nil}, {"traceparent/", propagation.MapCarrier{"traceparent": "00-" + sentTrace + "-" + sentSpan + "-01"}}} {
		for _, transport := range []struct {
			name      string
			keys, own []string
		}{
			{"stdio/", common, []string{"jsonrpc.request.id"}},
			{"http/", append(common, "network.protocol.name", "network.protocol.version"), []string{"jsonrpc.request.id", "client.address"}},
		} {
			for _, test := range []struct {
				name    string
				tracers trace.TracerProvider
			}{{"batching", batching()}, {"unsampled", unsampled()}} {
				b.Run(meta.name+transport.name+test.name, func(b *testing.B) {
					benchmarkSDK(b, test.tracers.Tracer("sdk"), meta.carrier, attributes(transport.keys), attributes(transport.own))
				})
			}
		}
	}
}

func attributes(keys []string) (all []attribute.KeyValue) {
	for _, key := range keys {
		all = append(all, attribute.String(key, "a value"))
	}
	return all
}

func benchmarkSDK(b *testing.B, tracer trace.Tracer, carrier propagation.MapCarrier, common, own []attribute.KeyValue) {
	b.Helper()
	histogram, err := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())).Meter("sdk").Float64Histogram("h")
	if err != nil {
		b.Fatal(err)
	}
	kind := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	measured := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(slices.Clone(common)...))}
	b.ReportAllocs()
	before := cpu()
	for b.Loop() {
		begun, ctx := time.Now(), context.Background()
		if carrier != nil {
			ctx = propagation.TraceContext{}.Extract(ctx, carrier)
		}
		ctx, span := tracer.Start(ctx, "tools/call add", kind...)
		if span.IsRecording() {
			span.SetAttributes(own...)
			span.SetAttributes(common...)
			span.End()
		}
		histogram.Record(ctx, time.Since(begun).Seconds(), measured...)
	}
	b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
}
