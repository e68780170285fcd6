// Package gosdk serves tools of this module through a server of the official Go SDK. A program that uses the SDK gets
// typed tools by one line:
//
//	server := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1.0.0"}, nil)
//	err := gosdk.AddTools(server, findBooks, reserve) // made by mcptool.New
//	err = server.Run(ctx, &mcp.StdioTransport{})
//
// Calls of these tools are served by the same engine as in the servers of this module: the same schemas and lists for each
// revision and caller, validation, error texts, middleware, limits, redaction, audit, progress, log records and requests
// to the client. A test plays the same session against both servers in every revision, and has a list of the differences.
//
// There are smaller and larger steps: [InputSchema] and [OutputSchema] give a tool of the SDK the schemas of our tags.
// [Mount] adds all tools, prompts and resources of a [runtime.Server], with its settings, and follows changes of its
// registry. [Handler] is the other direction: it makes a tool of this module from a handler that was written for the SDK.
//
// # Settings
//
// These fields of a mounted [runtime.Server] have an effect: Tools, Select, Middleware, CallContext, Logger, Observer, Limits as far as
// they are about calls, ClientLog, ProtocolArgumentErrors, Coerce, IgnoreUnknownArguments, OmitOutputSchemas, MaskErrors, Redact
// and StateKeys. The SDK's server has its own name, instructions, capabilities, transports, keepalives and revisions. Revisions must not be set.
//
// # Callers
//
// The principal and the scopes of a caller are UserID and Scopes of the TokenInfo that the SDK's package auth has verified,
// with SSEHandler when the connection was opened. Over HTTP, a caller without a token is unauthenticated; all of them share
// the limits of one caller. Over other transports, such as stdio, the client is trusted and may use everything. A tool that
// does not exist for a caller is not listed, and calling it returns the same error as for an unknown tool.
//
// SSEHandler must be served by net/http, which sets [http.ServerContextKey] in the context of the connection. Without this
// value the client cannot be distinguished from one over stdio, and is trusted. If an adapter serves SSEHandler with another
// HTTP server, require tokens with auth.RequireBearerToken, or set that value in the context of each request. The same applies
// to transports of the program that receive requests from a network.
//
// # What the SDK does
//
// Tests pin the behavior of the SDK that users of these tools notice:
//
//   - It does not support tasks. Tools with [mcptool.TaskSupportOptional] run without, and tools that require tasks are
//     refused. Completion of arguments, resources of [mcptool.ListWith] and notifications of [runtime.Notify] are not served.
//   - For clients before 2026-07-28, it validates answers of users itself, with its own error texts.
//   - It runs its own handlers that return InputRequests twice for these clients, so they can ask once. Tools of this module
//     ask as often as they want, in one run.
//   - It sends no log records to clients before 2026-07-28 that have not set a level.
//   - Clients can subscribe to resources only if its ServerOptions have SubscribeHandler and UnsubscribeHandler.
//   - Its error for an unknown resource has the code -32602 in all revisions, also before 2026-07-28.
//   - It always sends readOnlyHint and idempotentHint, even if they are false.
//   - It serves revision 2026-07-28 over HTTP only with StreamableHTTPOptions.Stateless. Then a call continues when its
//     client disconnects: set CallTimeout of [runtime.Limits], or [mcptool.Timeout]. Clients of earlier revisions cannot be
//     asked over such a transport.
//   - It answers calls that the client has cancelled. Their tools get the cause [runtime.ErrDisconnected].
//   - The cursor of a page of a list has the name or URI of the last item of the page in readable form, even if this item does
//     not exist for the caller. To hide names, set PageSize of ServerOptions (default 1000) above the number of items.
//   - It sends no 403 with a challenge to a caller without the scopes of a tool.
//   - The SubscribeHandler of ServerOptions decides who may subscribe to a resource. [mcptool.Scopes], [mcptool.VisibleIf] and
//     [mcptool.MayRead] decide only who may read it; the SDK sends a notification of ResourceUpdated to every subscriber.
//   - Its callers have no tenant, so ResourceUpdatedFor and ResourceListChangedFor of [mcptool.Registry] have no effect.
//   - A panic in its own handlers ends the process. A panic in a tool of this module is an error of the call.
package gosdk
