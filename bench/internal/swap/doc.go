// Package swap keeps the connections of MCP clients while the server behind
// them is replaced by a new build.
//
// A [Front] stands between clients and the current version of a server. Over
// stdio ([Front.ServeStdio]) there is one client, whose process serves stdin and
// stdout. Over Streamable HTTP ([Front.ServeHTTP]) all clients share one process,
// which listens on [Version.Addr]. The front does not translate between transports
// or protocol revisions. It forwards messages unchanged, except that it declares
// listChanged for the capabilities of the server, and that it has its own
// Mcp-Session-Id for each session.
//
// The owner of a front reports what happens to the source: [Front.Changed],
// [Front.Building], then [Front.Use] or [Front.Broken]. Use starts the new
// version, repeats there the state of each client (initialize, the log level,
// resource subscriptions, subscriptions/listen), sends list_changed to the
// clients, and lets the old process finish the requests that it has. A version
// that negotiates another revision than the session of a client has is an error.
//
// # Calls
//
// The requests tools/call, prompts/get, resources/read and completion/complete
// are calls. A call that arrives during a build waits for its end. After a
// failed build or start it gets the reason instead of an answer of the old
// version: tools/call a result with isError, the others a JSON-RPC error. Other
// requests do not wait for a build: the old version answers them, or the front
// with an empty list if there is none. If the only process is still starting,
// they wait for it. A handshake before the first build waits up to
// [Options.Start] for a version, since clients read the instructions and the
// capabilities only once; then the front answers with its own capabilities.
//
// # Ends
//
// If the process ends by itself, its unanswered requests get an error with its
// exit status and the end of its stderr, and the next request starts the same
// version again. A version that does not answer the handshake is not started
// again: calls get the reason until the next build.
//
// A replaced process has [Options.Grace] to answer its requests, including the
// elicitations and other requests that it has sent to its client, and in
// revision 2026-07-28 the requests with the answers. Then the unanswered ones get
// an error, and its process group is killed. Tasks of a replaced process are
// lost, as are calls whose stream it has closed to let clients poll.
package swap
