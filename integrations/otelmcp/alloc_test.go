//go:build !race

// The race detector makes more allocations.

package otelmcp_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// TestAllocations: in addition to the SDK, the observer allocates only a list with the id of a request that is sampled.
func TestAllocations(t *testing.T) { //nolint:paralleltest // counts the allocations of the process
	for _, test := range []struct {
		name    string
		sampler sdktrace.Sampler
		most    float64
	}{
		{"not sampled", sdktrace.NeverSample(), 2}, // the span and its context
		{"sampled", sdktrace.AlwaysSample(), 5},    // and the list with the id, and the attributes of the span, twice because they grow
	} {
		meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
		observer := otelmcp.New(otelmcp.Options{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSampler(test.sampler)), MeterProvider: meters})
		op := &observe.Operation{
			Kind: observe.KindRequest, Method: "tools/call", Target: "chart", TargetKind: observe.TargetKindTool,
			ProtocolVersion: "2026-07-28", RequestID: "1", Transport: observe.TransportStdio, Begun: time.Now(),
			Meta: json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`),
		}
		got := testing.AllocsPerRun(100, func() {
			observer.End(observer.Begin(context.Background(), op), op, observe.Result{Outcome: observe.OutcomeOK, Duration: time.Millisecond})
		})
		if got > test.most {
			t.Errorf("%s: %v allocations, want at most %v", test.name, got, test.most)
		}
	}
}
