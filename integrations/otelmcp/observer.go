package otelmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// Options configures [New]. The zero value uses the global providers.
type Options struct {
	// TracerProvider gets the spans. By default New uses the global provider of package otel.
	TracerProvider trace.TracerProvider
	// MeterProvider gets the metrics. By default New uses the global provider of package otel.
	MeterProvider metric.MeterProvider
	// Arguments records the arguments of tools, and the URIs of resources, in spans, if the tool or
	// resource has [mcptool.AuditArguments]. They are redacted, and cut, as for the audit log. By
	// default no arguments are recorded.
	Arguments bool
}

// scope is the name of the tracer and of the meter.
const scope = "github.com/mcptool-go/mcptool/integrations/otelmcp"

// New returns an observer that reports spans and metrics. It is for any number of servers. An error of
// the MeterProvider is passed to [otel.Handle].
func New(o Options) observe.Observer {
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	return &observer{
		tracer: o.TracerProvider.Tracer(scope), arguments: o.Arguments,
		series:     seriesCache{histograms: newHistograms(o.MeterProvider.Meter(scope))},
		propagator: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}),
	}
}

type observer struct {
	tracer     trace.Tracer
	series     seriesCache
	propagator propagation.TextMapPropagator // of _meta, whose formats MCP defines
	arguments  bool
}

// Begin implements [observe.Observer]. It begins the span.
func (o *observer) Begin(ctx context.Context, op *observe.Operation) context.Context {
	if op.Kind == observe.KindSession {
		return ctx // it would be the parent of all requests, for hours
	}
	s := o.series.of(op)
	options := s.start
	if op.Kind == observe.KindTask { // others begin now
		options = append(options[:len(options):len(options)], trace.WithTimestamp(op.Begun))
	}
	if sent := traceContext(op.Meta); sent != nil {
		if around := trace.SpanContextFromContext(ctx); op.Kind != observe.KindTask || !around.IsValid() {
			ctx = o.propagator.Extract(ctx, propagation.MapCarrier(sent))
			if around.IsValid() && sent["traceparent"] != "" && !around.Equal(trace.SpanContextFromContext(ctx)) {
				options = append(options[:len(options):len(options)], trace.WithLinks(trace.Link{SpanContext: around}))
			}
		}
	}
	ctx, span := o.tracer.Start(ctx, s.name, options...)
	if span.IsRecording() { // attributes at the start would take longer than the rest of a span that is not sampled
		if op.Address.IsValid() {
			span.SetAttributes(keyClientAddress.String(op.Address.String()))
		}
		if op.Tenant != "" {
			span.SetAttributes(keyTenant.String(op.Tenant))
		}
		if op.RequestID != "" && op.Kind == observe.KindRequest {
			span.SetAttributes(keyRequestID.String(requestID(op.RequestID)))
		}
		span.SetAttributes(s.spanAttributes...) // last: the SDK allocates memory for these and as many again
	}
	return ctx
}

// traceContext returns the trace context in a _meta; nil if there is none.
func traceContext(meta []byte) map[string]string {
	// Most have none. The ends of traceparent and baggage are found faster than these, which begin with common letters.
	if !bytes.Contains(meta, []byte(`parent"`)) && !bytes.Contains(meta, []byte(`gage"`)) {
		return nil
	}
	return mcptool.CallInfo{Meta: meta}.TraceContext()
}

// End implements [observe.Observer]. It ends the span, and records the duration.
func (o *observer) End(ctx context.Context, op *observe.Operation, result observe.Result) {
	failure := errorType(op, &result)
	if op.Kind != observe.KindSession {
		if span := trace.SpanFromContext(ctx); span.IsRecording() {
			o.describe(span, op, &result, failure)
			span.End()
		}
	}
	if s := o.series.of(op); s.histogram != nil {
		s.histogram.Record(ctx, result.Duration.Seconds(), s.recordOptions(&result, failure)...)
	}
}

// describe adds to the span what is known at its end.
func (o *observer) describe(span trace.Span, op *observe.Operation, result *observe.Result, failure string) {
	if o.arguments && op.Kind == observe.KindRequest {
		switch arguments := result.Arguments; {
		case arguments == "":
		case op.TargetKind == observe.TargetKindTool:
			span.SetAttributes(keyArguments.String(arguments))
		case op.TargetKind == observe.TargetKindResource:
			span.SetAttributes(keyResource.String(unquoted(arguments)))
		}
	}
	if failure == "" {
		return
	}
	span.SetAttributes(keyErrorType.String(failure))
	if result.ErrorCode != 0 {
		span.SetAttributes(keyStatusCode.String(strconv.Itoa(result.ErrorCode)))
	}
	span.SetStatus(codes.Error, result.ErrorMessage)
}

// errorType returns the class of the error with which an operation has ended; "" if there is none.
func errorType(op *observe.Operation, result *observe.Result) string {
	switch {
	case !result.Failed:
		return ""
	case op.Kind == observe.KindClientRequest && (result.ErrorCode < -32768 || result.ErrorCode > -32000):
		return other // no response, or a code that the client may have made up
	case result.ErrorCode != 0:
		return strconv.Itoa(result.ErrorCode)
	case result.Outcome == observe.OutcomeCancelled, result.Outcome == observe.OutcomeStopped:
		return result.Outcome.String()
	default:
		return toolError
	}
}

// requestID returns an id, given as JSON, as the conventions have it: a string without quotes.
func requestID(id string) string {
	if id[0] != '"' {
		return id
	}
	return unquoted(id)
}

// unquoted returns the string in a JSON text, or the text itself if it is none, such as one that was cut.
func unquoted(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) != nil {
		return text
	}
	return s
}
