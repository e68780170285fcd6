// Package mcpgo serves tools of this module through a server of [github.com/mark3labs/mcp-go]. A
// program that uses mcp-go gets typed tools by one line:
//
//	srv := server.NewMCPServer("library", "1.0.0")
//	err := mcpgo.AddTools(srv, findBooks, reserve) // made by mcptool.New
//	err = server.ServeStdio(srv)
//
// Calls of these tools are served by the same engine as in the servers of this module: the same
// schemas and lists for each revision and caller, validation, error texts, middleware, limits,
// redaction, audit, progress, log records and requests to the client. A test plays the same session
// against both servers in every revision, and has a list of the differences.
//
// [Mount] adds all tools, prompts and resources of a [runtime.Server], with its settings, and
// follows changes of its registry. [Handler] is the other direction: it makes a tool of this module
// from a handler that was written for mcp-go.
//
// # Settings
//
// These fields of a mounted [runtime.Server] have an effect: Tools, Select, Middleware, CallContext, Logger, Observer,
// Limits as far as they are about calls, ClientLog, Coerce, IgnoreUnknownArguments, OmitOutputSchemas, MaskErrors, Redact
// and StateKeys. The server of mcp-go has its own name, instructions, capabilities, transports and revisions.
// Revisions must not be set. Declare the capability for log records with [server.WithLogging], and
// notifications of changed lists with [server.WithPromptCapabilities] and
// [server.WithResourceCapabilities]; mcp-go itself declares notifications about tools.
//
// # Callers
//
// mcp-go does not authenticate. The clients of [server.StdioServer] and of
// [server.InProcessSession] are trusted and may use everything. All other callers, also without a
// session of mcp-go or with a type of session that the program has defined, are unauthenticated, and
// share the limits of one caller, unless the program names the caller with [WithAccess].
//
// Sessions over HTTP are not bound to a principal: any client that knows the ID of a session can
// receive its messages and answer its questions. So if you use WithAccess, let middleware
// authenticate requests of all HTTP methods, and reject those without a valid token. Keep the IDs of
// sessions out of logs.
//
// A tool, prompt or resource that does not exist for a caller is not listed. A request for such a
// tool or prompt is answered as if the server did not have it. For resources only the code of the
// error differs, because mcp-go has no filter for them. In conditions of [mcptool.VisibleIf], the
// CallInfo of tools and prompts has no Meta.
//
// # What mcp-go does
//
// Users of these tools notice this behavior of mcp-go. Tests pin most of it:
//
//   - It answers all errors of handlers with code -32603. Errors of the engine about calls, such as
//     a missing capability of the client, are therefore isError results; ProtocolArgumentErrors has
//     no effect. Errors about prompts and resources have the text of the engine.
//   - Tools with [mcptool.TaskSupportOptional] run without tasks, and tools that require tasks are
//     refused. Completion of arguments, resources of [mcptool.ListWith], and updates of resources
//     are not served.
//   - Resources cannot ask clients of revision 2026-07-28, and the server sends its own caching
//     hints for them.
//   - Its validation of arguments and results, if enabled, does not apply to these tools. They
//     validate by themselves.
//   - Over stdio it runs five calls at a time, including those that wait for a user: see
//     [server.WithWorkerPoolSize].
//   - Progress and log records may arrive after the response. Over HTTP, the last one before the
//     response may be lost.
//   - Over HTTP, clients of earlier revisions than 2026-07-28 get requests for sampling and roots
//     only if they have opened a stream for notifications. They cannot be asked anything over HTTP
//     with SSE.
//   - With [server.WithStateLess], all clients of earlier revisions than 2026-07-28 share one session.
//     One that listens to it could receive the messages for all others. Therefore these tools do not
//     ask such clients, send them no progress and no log records, and do not know their names. Tools
//     that are written for mcp-go are not protected. Use WithStateLess only if your clients
//     do not need these messages.
//   - With [server.WithPaginationLimit], pages of resources and templates are shorter if they have
//     entries that do not exist for the caller, and may be empty before the last page. Resources and
//     templates are listed in the order in which they were added to the server, not sorted by name.
//   - It answers calls that the client has cancelled. Their tools get the cause
//     [runtime.ErrDisconnected].
//   - Templates of resources cannot be removed. Those that were removed from the registry are not
//     listed or read.
package mcpgo
