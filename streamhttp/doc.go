// Package streamhttp serves tools over Streamable HTTP, the protocol's HTTP transport.
//
//	err := streamhttp.ListenAndServe(ctx, "127.0.0.1:8080", nil)
//
// [ListenAndServe] serves at /mcp, with health checks and a graceful shutdown. [NewHandler] returns an
// [net/http.Handler] for a server of the program.
//
// Middleware in front of the handler must pass it an [net/http.ResponseWriter] that can flush, or that has a method
// Unwrap which returns one. The ResponseWriter of [net/http.TimeoutHandler] has neither. Otherwise calls are answered in
// JSON, GET and subscriptions are refused, and one warning is logged.
//
// # Modern requests
//
// From revision 2026-07-28 on each message is a POST request that contains all that is needed to answer it, so any
// instance of a program can serve any request. The response is JSON, or an event stream if other messages precede the
// answer (progress, log records, or the notifications of a subscription), or if the call takes longer than [KeepAlive].
// The handler chooses between the two when it has something to send, so that errors have their HTTP status, except
// those that come later than that.
//
// The headers that repeat parts of the body (MCP-Protocol-Version, Mcp-Method, Mcp-Name, and Mcp-Param-* for arguments
// whose schema has x-mcp-header) are for proxies. They must match the body, which alone decides what the handler does.
//
// A call is cancelled if the client closes the connection, or reads nothing from its event stream for 30 seconds.
//
// # Sessions
//
// Clients of revisions up to 2025-11-25 are served at the same path. Their first request is initialize, which
// begins a session. Only the id of the session identifies the client: it is a secret, but no proof of identity. With
// access tokens, only the principal that began a session can use it. [Sessions] limits the number of sessions, and
// [SessionIdle] how long they are kept.
//
// The id contains what the client has sent with initialize, sealed with StateKeys of [runtime.Server]. A process that does
// not have the session, because it has ended there or was begun by another process with the same keys, resumes it from
// the id: the same revision, client, capabilities and principal. So a session survives a restart, and clients, of which
// many never begin another session, do not notice. The log level, subscriptions to resources, running calls, open
// questions of tools, and messages that the client has not read are lost; the client is notified that the lists have
// changed. A session can be resumed up to a week after its beginning. Otherwise, and after DELETE in the process that has
// served it, a request gets status 404. A client that describes itself with more than about 700 bytes gets a random id,
// from which nothing can be resumed.
//
// Behind a load balancer, any instance with the keys serves a request of a session, but answers to questions of tools,
// cancellations, and streams opened with GET must reach the instance that runs the call. So the requests of a session
// should reach the same instance while it runs.
//
// A request without a session id is answered on its own, as all are with [Sessions](0): in the revision that its header
// names, with progress, but without anything that needs a session. The call is cancelled if the client closes the
// connection. [RequireSessions] refuses such requests.
//
// In a session, a broken connection does not cancel calls. The session keeps the latest messages of its event streams
// (see [Replay]). A client that reconnects with the id of the last event it has received gets the messages after it. If
// none will follow, for example after a call that the client has cancelled, it gets status 204, and must not reconnect.
// A call that is answered with JSON has no stream to resume: if its connection breaks, the answer is lost. With [Poll]
// the server closes the streams of long calls, and the clients reconnect. Messages that belong to no request, such as
// the notification that the list of tools has changed, are sent on the stream that the client has opened with GET; a
// new one replaces the previous one. Without one the latest 16 messages wait.
//
// Without a session, the tool of a call runs in the goroutine of its request, unless it has a timeout or the call may
// become a task.
//
// A stream may stay open after its client has disappeared, for example because of a proxy, and would keep the session
// alive indefinitely. Pings ([runtime.Pings]) detect such sessions. They are sent only on streams opened with GET.
//
// # Origins and hosts
//
// A web page in a browser can send requests to servers on the user's machine. By default, requests over a loopback
// connection are refused if they come from pages of other hosts, or if their Host header is neither a loopback name nor
// the host of the resource of [Protect]; see [AllowOrigins] and [AllowHosts]. The log has refused values, at level info
// at most once a minute, otherwise at level debug. Other programs on the machine can still send requests: a server for
// one person should use package stdio instead, or a listener that only that person's programs can reach, such as a Unix
// socket.
//
// # Access tokens
//
// With [Protect] a handler serves only requests with an access token, as the protocol's authorization specification
// requires: the program is an OAuth 2.1 resource server, and a separate authorization server issues the tokens.
//
// The program provides a [TokenVerifier], which the handler calls for each request, also in a session. The handler
// checks the expiry and the audience of the verified token, and refuses a token that was issued for another server. The
// statuses are:
//
//	401  no token, or an invalid one: invalid_token
//	403  a valid token that lacks scopes: insufficient_scope
//	400  an Authorization header that is not "Bearer" and a token: invalid_request
//	503  the verifier failed; the reason is in the log, and a Retry-After header in the answer
//
// Answers with the first three have a WWW-Authenticate header with the location of the metadata and the scopes to
// request. A token in the URL is ignored. Tokens are never logged. Tools get the principal ([mcptool.CallInfo]) but not
// the token, because it was issued for this server and must not be passed on to another.
//
// A tool with scopes ([mcptool.Scopes]) is listed only for callers that hold all of them. A call without them is
// answered with status 403 and the scopes that are needed, not as a call of an unknown tool: the protocol lets clients
// request more scopes and retry ("step-up"), and a client that knows the name of the tool got it from an earlier list
// or from its user. So every caller with a valid token that knows the name of a tool can find out its scopes. Where a
// challenge is not possible, without Protect and inside a batch, the tool is answered as unknown.
//
// A GET request for a stream of a session, new or resumed, needs all scopes that the requests of the session have had,
// because the stream may contain messages that those requests have caused. Otherwise it is answered with status 403 and
// these scopes. When a request has more scopes than all before, the open streams end, and clients reconnect. With
// [NewSSEHandler] messages are served with the scopes that both their token and the token of the stream have.
//
// [StaticTokens] is for programs without an authorization server, [WithAccess] for those that
// authenticate callers in another way.
//
// # Limits
//
// A message is at most as large as the server's Limits.MaxMessageBytes, and each header of the protocol is at most 8
// KiB. Limits.MaxMemoryBytes limits the memory of all messages together, from the first byte read to the end of their
// calls. If it is used up, a request is refused with status 503 and a Retry-After header while its body is read.
//
// One caller cannot use up a limit. Each principal of an access token has a share of the memory and of the calls in
// flight (Limits.PerCaller), and a tenth of the sessions and streams ([Sessions], [Streams]). Without tokens each
// address has a share; an IPv6 network of 64 bits counts as one address, and all loopback addresses are one. Behind a
// proxy all clients have the same address and so one share: raise the limits, or use [WithAccess] to set Access.Address
// to the address that a trusted proxy reports.
//
// [Serve] sets timeouts of the [net/http.Server] that do not end calls or streams. WriteTimeout must
// stay zero: it counts from the start of the request, so it would end streams and lose answers.
// Instead, each write to a client has a deadline of 30 seconds. In another http.Server, answers of up to 2 KiB have no
// deadline.
package streamhttp
