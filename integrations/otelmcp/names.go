package otelmcp

import "go.opentelemetry.io/otel/attribute"

// Names of the semantic conventions, version 1.41. A test compares them with package
// go.opentelemetry.io/otel/semconv/v1.41.0; later versions of that package do not have them.
const (
	keyMethod          = attribute.Key("mcp.method.name")
	keyProtocol        = attribute.Key("mcp.protocol.version")
	keyResource        = attribute.Key("mcp.resource.uri")
	keyRequestID       = attribute.Key("jsonrpc.request.id")
	keyStatusCode      = attribute.Key("rpc.response.status_code")
	keyOperation       = attribute.Key("gen_ai.operation.name")
	keyTool            = attribute.Key("gen_ai.tool.name")
	keyArguments       = attribute.Key("gen_ai.tool.call.arguments")
	keyPrompt          = attribute.Key("gen_ai.prompt.name")
	keyErrorType       = attribute.Key("error.type")
	keyTransport       = attribute.Key("network.transport")
	keyNetwork         = attribute.Key("network.protocol.name")
	keyNetworkVersion  = attribute.Key("network.protocol.version")
	keyClientAddress   = attribute.Key("client.address")
	keyTenant          = attribute.Key("mcptool.tenant") // the conventions have none
	executeTool        = "execute_tool"                  // of keyOperation
	toolError          = "tool_error"                    // of keyErrorType
	other              = "_OTHER"                        // of keyMethod and keyErrorType
	transportPipe      = "pipe"
	transportTCP       = "tcp"
	transportQUIC      = "quic"
	networkHTTP        = "http"
	serverOperation    = "mcp.server.operation.duration"
	serverOperationUse = "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent."
	clientOperation    = "mcp.client.operation.duration"
	clientOperationUse = "The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received."
	serverSession      = "mcp.server.session.duration"
	serverSessionUse   = "The duration of the MCP session as observed on the MCP server."
	unitSeconds        = "s"
)

// buckets returns the bounds of the buckets of the histograms.
func buckets() []float64 {
	return []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
}
