package otelmcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// legacySession is a session of revision 2025-11-25.
var legacySession = []string{
	legacy(`"init"`, "initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}`),
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	legacy("1", "tools/list", ""),
	legacy("2", "tools/call", `"name":"chart","arguments":{"of":"sales"},"_meta":{`+parent+`}`),
	legacy("3", "tools/call", `"name":"chart","arguments":{"of":"nothing"}`),
	legacy("4", "tools/call", `"name":"made up","arguments":{}`),
	legacy("5", "made/up", ""),
	legacy("6", "prompts/get", `"name":"greet"`),
	legacy(`"seven"`, "resources/read", `"uri":"orders://7"`),
}

// modernMessages are messages of revision 2026-07-28.
var modernMessages = []string{
	modern("1", "server/discover", ""),
	modern("2", "tools/call", `,"name":"chart","arguments":{"of":"sales"}`, parent),
	modern("3", "tools/call", `,"name":"chart","arguments":{"of":""}`),
	modern("4", "tools/call", `,"name":"made up","arguments":{}`),
	modern("5", "prompts/get", `,"name":"greet"`),
	modern("6", "resources/read", `,"uri":"orders://7"`),
	modern("7", "tools/call", `,"name":"asks"`),
	modern("8", "tools/call", `,"name":"long"`, parent),
}

// TestGolden compares the spans and metrics of sessions over both transports, in both eras: OTL-01 to OTL-04, OTL-06 and OTL-08.
func TestGolden(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/sessions.golden")
	for _, test := range []struct {
		name     string
		messages []string
		http     bool
	}{
		{"legacy over stdio", append(slices.Clone(legacySession), legacy("8", "tools/call", `"name":"asks"`), legacy("9", "tools/call", `"name":"long","task":{}`)), false},
		{"modern over stdio", modernMessages, false},
		{"legacy over HTTP", legacySession, true},
		{"modern over HTTP", modernMessages, true},
	} {
		out := newTelemetry()
		srv := out.server(t, out.options())
		if test.http {
			out.overHTTP(t, srv, test.messages)
		} else {
			overStdio(t, srv, test.messages)
		}
		if err := srv.Shutdown(context.Background()); err != nil { // waits for tasks
			t.Error(err)
		}
		file.Check(t, test.name, out.text(t))
	}
}

// spansOf returns the spans with a name.
func spansOf(spans tracetest.SpanStubs, name string) (found tracetest.SpanStubs) {
	for _, s := range spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// TestParent: which span is the parent, and which is a link (OTL-03), and that bad values are ignored (OTL-05).
func TestParent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, meta         string
		http               bool
		parent             string // "client", "http" or "" for a new trace
		linked, hasBaggage bool
	}{
		{"OTL-03 nothing", "", false, "", false, false},
		{"OTL-03 the span of HTTP", "", true, "http", false, false},
		{"OTL-03 the span of the client", parent, false, "client", false, false},
		{"OTL-03 both", parent, true, "client", true, false},
		{"OTL-03 baggage too", parent + `,"baggage":"tenant=a"`, true, "client", true, true},
		{"OTL-03 baggage alone", `"baggage":"tenant=a"`, true, "http", false, true},
		{"OTL-05 upper case", strings.ToUpper(parent), true, "http", false, false},
		{"OTL-05 no text", `"traceparent":7`, true, "http", false, false},
		{"OTL-05 zeros", strings.Replace(parent, sentTrace, strings.Repeat("0", 32), 1), false, "", false, false},
		{"OTL-05 a bad tracestate", parent + `,"tracestate":"="`, false, "client", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := newTelemetry()
			tenant := ""
			srv := out.server(t, out.options())
			srv.Observer = after{srv.Observer, func(ctx context.Context) { tenant = baggage.FromContext(ctx).Member("tenant").Value() }}
			call := []string{modern("1", "tools/call", `,"name":"chart","arguments":{"of":"x"}`, strings.Fields(test.meta)...)}
			if test.http {
				out.overHTTP(t, srv, call)
			} else {
				overStdio(t, srv, call)
			}
			spans := out.spans.GetSpans()
			server, author := spansOf(spans, "tools/call chart"), spansOf(spans, "author's span")
			if len(server) != 1 || len(author) != 1 || author[0].Parent.SpanID() != server[0].SpanContext.SpanID() {
				t.Fatalf("spans %v", spans)
			}
			var around trace.SpanID
			if outer := spansOf(spans, "POST"); len(outer) == 1 {
				around = outer[0].SpanContext.SpanID()
			}
			got := ""
			switch server[0].Parent.SpanID() {
			case trace.SpanID{}:
			case around:
				got = "http"
			default:
				if server[0].Parent.SpanID().String() == sentSpan && server[0].SpanContext.TraceID().String() == sentTrace {
					got = "client"
				}
			}
			if linked := len(server[0].Links) == 1 && server[0].Links[0].SpanContext.SpanID() == around; got != test.parent || linked != test.linked || len(server[0].Links) > 1 {
				t.Errorf("the parent is %q, linked to HTTP: %v; want %q, %v", got, linked, test.parent, test.linked)
			}
			if (tenant == "a") != test.hasBaggage {
				t.Errorf("the tool has the baggage %q", tenant)
			}
		})
	}
}

// after is an observer that shows the context of its observer.
type after struct {
	observe.Observer
	show func(context.Context)
}

func (o after) Begin(ctx context.Context, op *observe.Operation) context.Context {
	ctx = o.Observer.Begin(ctx, op)
	o.show(ctx)
	return ctx
}

// TestUnsampled: a client that does not sample, or a sampler that drops the span, is respected, and metrics are complete.
func TestUnsampled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meta    string
		sampler sdktrace.Sampler
	}{
		"the client":  {strings.Replace(parent, `-01"`, `-00"`, 1), sdktrace.ParentBased(sdktrace.AlwaysSample())},
		"the sampler": {parent, sdktrace.NeverSample()},
	} {
		out := newTelemetry(sdktrace.WithSampler(test.sampler))
		overStdio(t, out.server(t, out.options()), []string{modern("1", "tools/call", `,"name":"chart","arguments":{"of":"x"}`, test.meta)})
		if spans := out.spans.GetSpans(); len(spans) != 0 {
			t.Errorf("%s: %d spans", name, len(spans))
		}
		if text := out.metricText(t); !strings.Contains(text, "mcp.server.operation.duration s: 1: ") {
			t.Errorf("%s: metrics %s", name, text)
		}
	}
}

// TestSampler: a sampler sees the name, with the tool, and the kind.
func TestSampler(t *testing.T) {
	t.Parallel()
	var seen []string
	out := newTelemetry(sdktrace.WithSampler(sampler(func(p sdktrace.SamplingParameters) {
		if p.Kind == trace.SpanKindServer {
			seen = append(seen, p.Name)
		}
	})))
	overStdio(t, out.server(t, out.options()), modernMessages[1:2])
	if len(seen) != 1 || seen[0] != "tools/call chart" {
		t.Errorf("the sampler sees %q", seen)
	}
}

type sampler func(sdktrace.SamplingParameters)

func (s sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	s(p)
	return sdktrace.AlwaysSample().ShouldSample(p)
}

func (sampler) Description() string { return "test" }

// TestArguments checks that arguments are recorded only with the options of both the operator and the author.
func TestArguments(t *testing.T) {
	t.Parallel()
	messages := []string{modernMessages[1], modernMessages[5], modern("9", "tools/call", `,"name":"asks","arguments":{}`)}
	for _, allowed := range []bool{false, true} {
		out := newTelemetry()
		options := out.options()
		options.Arguments = allowed
		srv := out.server(t, options)
		srv.Redact = func(text string) string { return strings.ReplaceAll(text, "sales", "***") }
		overStdio(t, srv, messages)
		text := out.text(t)
		for _, part := range []string{`gen_ai.tool.call.arguments={"of":"***"}`, "mcp.resource.uri=orders://7"} {
			if strings.Contains(text, part) != allowed {
				t.Errorf("allowed: %v, want %s then only:\n%s", allowed, part, text)
			}
		}
		if strings.Contains(text, "sales") || strings.Count(text, "call.arguments") > 1 {
			t.Errorf("recorded:\n%s", text)
		}
	}
}

// TestTenant checks that the span of a request, but no metric, has the tenant of its caller.
func TestTenant(t *testing.T) {
	t.Parallel()
	for _, tenant := range []string{"", "acme"} {
		out := newTelemetry()
		observer := otelmcp.New(out.options())
		op := observe.Operation{Kind: observe.KindRequest, Method: "tools/call", Target: "chart", TargetKind: observe.TargetKindTool, Tenant: tenant, Principal: "ann"}
		observer.End(observer.Begin(t.Context(), &op), &op, observe.Result{Outcome: observe.OutcomeOK})
		spans := out.spans.GetSpans()
		if len(spans) != 1 {
			t.Fatalf("got %d spans, want 1", len(spans))
		}
		if got := slices.Contains(sorted(spans[0].Attributes), "mcptool.tenant="+tenant); got != (tenant != "") {
			t.Errorf("with tenant %q the attributes are %v", tenant, spans[0].Attributes)
		}
		if text := out.metricText(t); strings.Contains(text, "tenant") {
			t.Errorf("the metrics have the tenant: %s", text)
		}
	}
}

// TestCardinality: what clients make up, adds neither series nor names of spans (OTL-08).
func TestCardinality(t *testing.T) {
	t.Parallel()
	out := newTelemetry()
	var messages []string
	for _, made := range []string{"a", "b", "c"} {
		messages = append(messages, modern("1", "tools/call", `,"name":"`+made+`"`), modern("1", made+"/"+made, ""), modern("1", "resources/read", `,"uri":"x:`+made+`"`),
			`{"jsonrpc":"2.0","method":"`+made+`"}`, strings.Replace(modern("1", "tools/call", `,"name":"chart"`), "2026-07-28", made, 1))
	}
	overStdio(t, out.server(t, out.options()), messages)
	if text := out.metricText(t); strings.Count(text, "\n") != 4 {
		t.Errorf("want a series for each kind of mistake:\n%s", text)
	}
	for _, s := range out.spans.GetSpans() {
		if s.Name != "tools/call" && s.Name != "_OTHER" && s.Name != "resources/read" {
			t.Errorf("a span is called %q", s.Name)
		}
		if (s.Status.Code == codes.Error) != slices.ContainsFunc(sorted(s.Attributes), func(a string) bool { return strings.HasPrefix(a, "error.type=") }) {
			t.Errorf("OTL-04 %s has the status %v and %v", s.Name, s.Status, s.Attributes)
		}
	}
}

// TestGlobal: the providers of package otel are the default.
func TestGlobal(t *testing.T) {
	t.Parallel()
	if otelmcp.New(otelmcp.Options{}) == nil {
		t.Error("no observer")
	}
}
