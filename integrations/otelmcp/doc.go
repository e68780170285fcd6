// Package otelmcp has an [observe.Observer] that reports spans and metrics to OpenTelemetry, by the
// semantic conventions for MCP (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/):
//
//	srv := &runtime.Server{Observer: otelmcp.New(otelmcp.Options{})}
//
// # Spans
//
// Each request and notification of a client has a span of kind server. Its name is the method, and
// the name of the tool or prompt if there is one, such as "tools/call chart". The context of the
// function that runs has this span, so spans that the function begins are its children. The parent is
// the trace context that the client has sent in _meta; then a span of the HTTP request, as otelhttp
// begins one, is a link. Without a trace context in _meta, the span of the HTTP request is the parent.
//
// A request of a function to the client has a span of kind client. A run of a tool as a task has an
// internal span, such as "execute_tool chart".
//
// A span has the status error if the request has failed: error.type is the code of the JSON-RPC error,
// "tool_error" if the response is a result that is an error, or "cancelled" or "stopped" if there is
// no response.
//
// # Metrics
//
// The histograms, in seconds, are mcp.server.operation.duration, mcp.client.operation.duration for the
// requests to clients, and mcp.server.session.duration for the sessions of clients of revisions up to
// 2025-11-25. Their attributes are the method, the tool or prompt, the revision, the transport, and
// the error. Clients cannot make up values: a method that does not exist is "_OTHER", and a tool that
// does not exist is left out.
//
// # Privacy
//
// Arguments are recorded only with [Options.Arguments] and [mcptool.AuditArguments], and results
// never. Instead of the URI of a resource, mcp.resource.uri is its template, if it has one, without
// these options. The id of a session is not recorded, because it is a secret over HTTP.
//
// The conventions are in development. All names are in names.go, and may change with them; no schema
// URL is set.
package otelmcp
