package otelmcp

import (
	"slices"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/mcpconv"
)

// TestNames compares the names with the semantic conventions.
func TestNames(t *testing.T) {
	t.Parallel()
	for got, want := range map[attribute.Key]attribute.Key{
		keyMethod: semconv.McpMethodNameKey, keyProtocol: semconv.McpProtocolVersionKey, keyResource: semconv.McpResourceURIKey,
		keyRequestID: semconv.JSONRPCRequestIDKey, keyStatusCode: semconv.RPCResponseStatusCodeKey,
		keyOperation: semconv.GenAIOperationNameKey, keyTool: semconv.GenAIToolNameKey, keyArguments: semconv.GenAIToolCallArgumentsKey,
		keyPrompt: semconv.GenAIPromptNameKey, keyErrorType: semconv.ErrorTypeKey, keyClientAddress: semconv.ClientAddressKey,
		keyTransport: semconv.NetworkTransportKey, keyNetwork: semconv.NetworkProtocolNameKey, keyNetworkVersion: semconv.NetworkProtocolVersionKey,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for got, want := range map[string]string{
		executeTool: semconv.GenAIOperationNameExecuteTool.Value.AsString(), other: string(mcpconv.ErrorTypeOther),
		transportPipe: string(mcpconv.NetworkTransportPipe), transportTCP: string(mcpconv.NetworkTransportTCP), transportQUIC: string(mcpconv.NetworkTransportQUIC),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// instrument is implemented by the metrics of mcpconv.
type instrument interface {
	Name() string
	Unit() string
	Description() string
}

// TestMetricNames compares the metrics with the semantic conventions.
func TestMetricNames(t *testing.T) {
	t.Parallel()
	meter := noop.Meter{}
	server, errServer := mcpconv.NewServerOperationDuration(meter)
	client, errClient := mcpconv.NewClientOperationDuration(meter)
	session, errSession := mcpconv.NewServerSessionDuration(meter)
	if errServer != nil || errClient != nil || errSession != nil {
		t.Fatal(errServer, errClient, errSession)
	}
	for _, test := range []struct {
		want      instrument
		name, use string
	}{{server, serverOperation, serverOperationUse}, {client, clientOperation, clientOperationUse}, {session, serverSession, serverSessionUse}} {
		if test.name != test.want.Name() || test.use != test.want.Description() || unitSeconds != test.want.Unit() {
			t.Errorf("got %s (%s, %s), want %s (%s, %s)", test.name, unitSeconds, test.use, test.want.Name(), test.want.Unit(), test.want.Description())
		}
	}
	if want := []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}; !slices.Equal(buckets(), want) {
		t.Errorf("the bounds are %v", buckets())
	}
}
