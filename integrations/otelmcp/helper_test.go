package otelmcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// The span of the client that is sent in _meta.
const (
	sentTrace = "0af7651916cd43dd8448eb211c80319c"
	sentSpan  = "b7ad6b7169203331"
	parent    = `"traceparent":"00-` + sentTrace + `-` + sentSpan + `-01"`
)

// telemetry collects the data that an observer reports.
type telemetry struct {
	spans   *tracetest.InMemoryExporter
	tracers *sdktrace.TracerProvider
	reader  *sdkmetric.ManualReader
	meters  *sdkmetric.MeterProvider
}

func newTelemetry(options ...sdktrace.TracerProviderOption) *telemetry {
	t := &telemetry{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	t.tracers = sdktrace.NewTracerProvider(append(options, sdktrace.WithSyncer(t.spans))...)
	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(t.reader))
	return t
}

// options returns the options of an observer.
func (t *telemetry) options() otelmcp.Options {
	return otelmcp.Options{TracerProvider: t.tracers, MeterProvider: t.meters}
}

// server returns a server with an observer, and tools of every kind.
func (t *telemetry) server(tb testing.TB, o otelmcp.Options) *runtime.Server {
	tb.Helper()
	tracer := t.tracers.Tracer("author")
	chart, err := mcptool.New(func(ctx context.Context, in struct {
		Of string `json:"of" jsonschema:"minLength=1"`
	},
	) (string, error) {
		_, span := tracer.Start(ctx, "author's span")
		defer span.End()
		if in.Of == "nothing" {
			return "", errors.New("nothing to show")
		}
		return "a chart of " + in.Of, nil
	}, mcptool.Name("chart"), mcptool.AuditArguments(true))
	asks, errAsks := mcptool.New(func(ctx context.Context, _ struct{}) (struct{}, error) {
		return struct{}{}, mcptool.Confirm(ctx, "Sure?")
	}, mcptool.Name("asks"))
	long, errLong := mcptool.New(func(ctx context.Context, _ struct{}) (struct{}, error) {
		_, span := tracer.Start(ctx, "author's span")
		span.End()
		return struct{}{}, nil
	}, mcptool.Name("long"), mcptool.Task(mcptool.TaskSupportRequired))
	greet, errGreet := mcptool.NewPrompt(func(context.Context, struct{}) (string, error) { return "Hello", nil }, mcptool.Name("greet"))
	orders, errOrders := mcptool.NewResource(func(context.Context, struct {
		ID string `json:"id"`
	},
	) (string, error) {
		return "an order", nil
	}, mcptool.Name("orders"), mcptool.URI("orders://{id}"), mcptool.AuditArguments(true))
	srv := &runtime.Server{Name: "test", Version: "1", Tools: &mcptool.Registry{}, Tasks: tasks.New(nil), Observer: otelmcp.New(o)}
	if err := errors.Join(err, errAsks, errLong, errGreet, errOrders); err != nil {
		tb.Fatal(err)
	}
	if err := srv.Tools.Add(chart, asks, long, greet, orders); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = srv.Shutdown(context.Background()) })
	return srv
}

// overStdio sends messages, each after the response to the one before, and returns the responses.
func overStdio(tb testing.TB, srv *runtime.Server, messages []string) (responses []string) {
	tb.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- stdio.Serve(context.Background(), srv, stdio.In(in), stdio.Out(out))
		_ = out.Close()
	}()
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(fromServer); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for _, msg := range messages {
		if _, err := io.WriteString(toServer, msg+"\n"); err != nil {
			tb.Fatal(err)
		}
		for isRequest(msg) {
			line, ok := <-lines
			if !ok {
				tb.Fatal("no response")
			}
			if strings.Contains(line, `"method":"elicitation/create"`) && !strings.Contains(line, `"result"`) {
				var asked struct{ ID json.RawMessage }
				_ = json.Unmarshal([]byte(line), &asked)
				_, _ = fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"confirm":true}}}`+"\n", asked.ID)
			} else if strings.Contains(line, `"result"`) || strings.Contains(line, `"error"`) {
				responses = append(responses, line)
				break
			}
		}
	}
	_ = toServer.Close()
	if err := <-served; err != nil {
		tb.Error(err)
	}
	return responses
}

func isRequest(msg string) bool { return strings.Contains(msg, `"id":`) }

// overHTTP is overStdio, over HTTP. The HTTP requests have spans, as otelhttp makes them.
func (t *telemetry) overHTTP(tb testing.TB, srv *runtime.Server, messages []string) (responses []string) {
	tb.Helper()
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		tb.Fatal(err)
	}
	tracer := t.tracers.Tracer("http")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, span := tracer.Start(r.Context(), "POST", trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		handler.ServeHTTP(w, r.WithContext(ctx))
	}))
	session := ""
	for _, msg := range messages {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL, strings.NewReader(msg))
		if err != nil {
			tb.Fatal(err)
		}
		var m struct {
			Method string
			Params struct{ Name, URI string }
		}
		_ = json.Unmarshal([]byte(msg), &m)
		header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session}
		if strings.Contains(msg, "2026-07-28") {
			header["MCP-Protocol-Version"], header["Mcp-Method"], header["Mcp-Name"] = "2026-07-28", m.Method, m.Params.Name+m.Params.URI
		}
		for name, value := range header {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		response, err := server.Client().Do(request)
		if err != nil {
			tb.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if isRequest(msg) {
			responses = append(responses, string(text))
		}
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
	server.Close()
	if err := handler.Shutdown(context.Background()); err != nil {
		tb.Error(err)
	}
	return responses
}

// text returns the spans, each with its children in the order in which they began, and the metrics.
func (t *telemetry) text(tb testing.TB) string {
	tb.Helper()
	spans := t.spans.GetSpans()
	slices.SortFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	children, names := map[trace.SpanID]tracetest.SpanStubs{}, map[trace.SpanID]string{}
	for i := range spans {
		s := &spans[i]
		names[s.SpanContext.SpanID()] = s.Name
		children[s.Parent.SpanID()] = append(children[s.Parent.SpanID()], *s)
		if s.InstrumentationScope.SchemaURL != "" {
			tb.Errorf("%s has the schema URL %s", s.Name, s.InstrumentationScope.SchemaURL)
		}
	}
	var b strings.Builder
	var write func(indent string, spans tracetest.SpanStubs)
	write = func(indent string, spans tracetest.SpanStubs) {
		for i := range spans {
			s := &spans[i]
			fmt.Fprintf(&b, "%s%s (%s)", indent, s.Name, s.SpanKind)
			for _, link := range s.Links {
				fmt.Fprintf(&b, " linked to %s", names[link.SpanContext.SpanID()])
			}
			if s.Status.Code != codes.Unset {
				fmt.Fprintf(&b, " %s: %q", s.Status.Code, s.Status.Description)
			}
			b.WriteString("\n")
			for _, line := range sorted(s.Attributes) {
				b.WriteString(indent + "  " + line + "\n")
			}
			write(indent+"    ", children[s.SpanContext.SpanID()])
		}
	}
	write("", children[trace.SpanID{}])
	client, _ := trace.SpanIDFromHex(sentSpan)
	b.WriteString("the client's span\n")
	write("    ", children[client])
	return b.String() + "\n" + t.metricText(tb)
}

// metricText returns the histograms.
func (t *telemetry) metricText(tb testing.TB) string {
	tb.Helper()
	var all metricdata.ResourceMetrics
	if err := t.reader.Collect(context.Background(), &all); err != nil {
		tb.Fatal(err)
	}
	var lines []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			histogram, ok := m.Data.(metricdata.Histogram[float64])
			if !ok {
				tb.Errorf("%s is no histogram", m.Name)
			}
			for i := range histogram.DataPoints {
				p := &histogram.DataPoints[i]
				lines = append(lines, fmt.Sprintf("%s %s: %d: %s", m.Name, m.Unit, p.Count, strings.Join(sorted(p.Attributes.ToSlice()), " ")))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sorted returns the attributes as text. Addresses differ between machines.
func sorted(attributes []attribute.KeyValue) (lines []string) {
	for _, a := range attributes {
		value := a.Value.String()
		if a.Key == "client.address" {
			value = "(address)"
		}
		lines = append(lines, string(a.Key)+"="+value)
	}
	slices.Sort(lines)
	return lines
}

// modern returns a request of revision 2026-07-28; params are members, comma first.
func modern(id, method, params string, meta ...string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}` + strings.Join(append([]string{""}, meta...), ",") + `}` + params + `}}`
}

// legacy returns a request without a revision.
func legacy(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}
