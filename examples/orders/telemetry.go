package main

import (
	"context"
	"errors"
	"os"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// telemetry returns an observer that sends traces and metrics to OTEL_EXPORTER_OTLP_ENDPOINT, and a func that sends the
// rest. If the variable is not set, it returns no observer. The SDK reads other variables, such as OTEL_SERVICE_NAME.
func telemetry(ctx context.Context) (observer observe.Observer, flush func() error, err error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" {
		return nil, func() error { return nil }, nil
	}
	spans, spansErr := otlptracehttp.New(ctx)
	metrics, metricsErr := otlpmetrichttp.New(ctx)
	if err := errors.Join(spansErr, metricsErr); err != nil {
		return nil, nil, err
	}
	traces := trace.NewTracerProvider(trace.WithBatcher(spans))
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(metrics)))
	flush = func() error { // also after the end of ctx
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return errors.Join(traces.Shutdown(ending), meters.Shutdown(ending))
	}
	return otelmcp.New(otelmcp.Options{TracerProvider: traces, MeterProvider: meters}), flush, nil
}
