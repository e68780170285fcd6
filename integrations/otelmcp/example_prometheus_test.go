package otelmcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	prom "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/mcptool-go/mcptool/integrations/otelmcp"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// Prometheus scrapes the histograms. Serve metrics at an address that is not public, since they name all tools.
func Example_prometheus() {
	registry := prom.NewRegistry()
	exporter, err := prometheus.New(prometheus.WithRegisterer(registry), prometheus.WithoutScopeInfo())
	if err != nil {
		fmt.Println(err)
		return
	}
	meters := metric.NewMeterProvider(metric.WithReader(exporter))
	srv := &runtime.Server{
		Name: "charts", Version: "1.0.0", Tools: &mcptool.Registry{},
		Observer: otelmcp.New(otelmcp.Options{MeterProvider: meters}),
	}
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	chart, err := mcptool.New(func(_ context.Context, in struct{ Of string }) (string, error) {
		if in.Of == "" {
			return "", mcptool.Errorf("choose what to draw")
		}
		return "a chart", nil
	}, mcptool.Name("chart"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := srv.Tools.Add(chart); err != nil {
		fmt.Println(err)
		return
	}
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"chart","arguments":{"Of":%q},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	calls := fmt.Sprintf(call, 1, "sales") + fmt.Sprintf(call, 2, "costs") + fmt.Sprintf(call, 3, "")
	if err := stdio.Serve(context.Background(), srv, stdio.In(strings.NewReader(calls)), stdio.Out(io.Discard)); err != nil {
		fmt.Println(err)
	}
	page := httptest.NewRecorder()
	metrics.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "mcp_server_operation_duration_seconds_count") {
			fmt.Print(line)
		}
	}
	// Unordered output:
	// mcp_server_operation_duration_seconds_count{gen_ai_operation_name="execute_tool",gen_ai_tool_name="chart",mcp_method_name="tools/call",mcp_protocol_version="2026-07-28",network_transport="pipe"} 2
	// mcp_server_operation_duration_seconds_count{error_type="tool_error",gen_ai_operation_name="execute_tool",gen_ai_tool_name="chart",mcp_method_name="tools/call",mcp_protocol_version="2026-07-28",network_transport="pipe"} 1
}
