// Package streamhttp serves tools over Streamable HTTP, the protocol's HTTP transport.
//
//	http.Handle("/mcp", streamhttp.NewHandler(nil))
//	server := &http.Server{Addr: "127.0.0.1:8080", ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute}
//	log.Fatal(server.ListenAndServe())
//
// [NewHandler] returns an [net/http.Handler]; everything else about the server is up to the
// program.
//
// # Modern requests
//
// From revision 2026-07-28 on each message is a POST request that is complete in itself, so any
// instance of a program can serve any request. The response is JSON, or an event stream if
// anything precedes the answer: progress, log records, or the notifications of a subscription.
// The handler chooses when it has the first message to send, so an error still has its HTTP status.
//
// The headers that repeat parts of the body (MCP-Protocol-Version, Mcp-Method,
// Mcp-Name, and Mcp-Param-* for arguments whose schema has x-mcp-header) must
// match it. They are meant for proxies; the handler itself acts on the body only.
//
// A client that closes the connection cancels the call. So does one that reads nothing
// from a stream for 30 seconds.
//
// # Sessions
//
// Clients of revisions 2025-03-26 to 2025-11-25 are served at the same path. They begin with
// initialize and get a session. Its id is the only thing that identifies the client:
// it is a secret, but no proof of identity. With access tokens, a session can be used only by the principal that began
// it. A session lives in one process, so behind a
// load balancer all its requests must reach the same instance. [Sessions] and [SessionIdle]
// bound the number of sessions and how long they are kept.
//
// In a session, a broken connection cancels nothing. Messages sent on an event stream are kept for a while
// (see [Replay]). A client that reconnects with the id of the last event it has seen gets
// the rest; if nothing will follow, as after a call that it has cancelled, it gets status 204,
// after which clients do not reconnect. A call that is answered with JSON has no stream to resume: if its connection
// breaks, the answer is lost. With [Poll] the server closes the streams of long calls, and their
// clients reconnect. Messages that belong to no request, such as a change of the tool list, go to one of the
// streams that the client has opened with GET, or wait for the next one.
//
// A client that has disappeared may leave a stream open, in a proxy for example, keeping its session alive indefinitely.
// Pings ([runtime.Pings]) detect that. They are sent on streams opened with GET only, since a client without such a stream
// cannot receive them.
//
// # The transport of revision 2024-11-05
//
// The predecessor of Streamable HTTP is "HTTP with SSE": one event stream for everything that the server sends, and
// POST requests whose answers arrive on it. [NewSSEHandler] serves it, at a path of its own, to clients that
// support nothing else.
//
// # Origins and hosts
//
// A page in a browser can send requests to servers on the user's machine. By default, a server that listens on
// loopback serves requests that name it as localhost and come from no page
// elsewhere; see [AllowOrigins] and [AllowHosts]. Other programs on the machine
// can still send requests: a server for one person should use package stdio instead,
// or a listener that only that person's programs can reach, such as a Unix socket.
//
// # Access tokens
//
// With [Protect] a handler serves only requests with an access token, as the protocol's
// authorization specification requires: the program is a resource server of OAuth 2.1, and a separate
// authorization server issues the tokens.
//
//	protection, err := streamhttp.Protect(verify, streamhttp.ProtectedResource{
//		Resource:             "https://mcp.example.com/mcp",
//		AuthorizationServers: []string{"https://auth.example.com"},
//		Scopes:               []string{"notes:read"},
//	})
//	…
//	mux.Handle("/mcp", streamhttp.NewHandler(srv, protection))
//	mux.Handle(streamhttp.MetadataPath, protection.Metadata())
//	mux.Handle(streamhttp.MetadataPath+"/", protection.Metadata())
//
// The program verifies tokens, with a [TokenVerifier]. It is called for each
// request, in a session or not. The handler checks expiry and audience of the result:
// a token that was issued for another server is refused. The statuses are:
//
//	401  no token, or an invalid one: invalid_token
//	403  a valid token that lacks scopes: insufficient_scope
//	400  an Authorization header that is not "Bearer" and a token: invalid_request
//	503  the verifier failed; the log has the reason
//
// The first three have a WWW-Authenticate header with the location of the metadata and the scopes to
// request. A token in the URL is ignored. Tokens are never logged. Tools get the
// principal ([mcptool.CallInfo]) and not the token, which is for this server and must not be
// passed on to another.
//
// A tool with scopes ([mcptool.Scopes]) is in the tools/list of callers that hold all of them, and in no
// other. A call without them is answered not with "unknown tool" but with status 403 and the scopes that are
// needed: the protocol lets clients request more scopes and retry ("step-up"), and a client
// that knows the name got it from an earlier list, or from its user. So the scopes of
// a tool whose name is known are visible to every caller with a valid token. Where no
// token could help, without Protect and inside a batch, the tool is an unknown one.
//
// Programs that authenticate their callers in another way use [WithAccess]. A handler that answers the CORS
// preflights of pages has to allow the header Authorization, and to expose WWW-Authenticate.
//
// # Limits
//
// A message is no larger than the server's Limits.MaxMessageBytes, and each header of the
// protocol is at most 8 KiB. Limits.MaxMemoryBytes bounds the memory that all messages hold together, from the first byte read to
// the end of their calls: if it is used up, a request is refused with status 503 and a Retry-After header,
// before its body is read, or when a body of undeclared length has grown too large.
//
// One caller cannot use up a limit. The principal of the access token has a share of the memory and of the calls
// in flight (Limits.PerCaller), and of the sessions and streams ([SessionsPerCaller], [StreamsPerCaller]). Without tokens
// the shares apply to addresses; an IPv6 network of 64 bits counts as one address. Behind a proxy all clients have the
// same address and so share one: raise the limits per caller, or set Access.Address with [WithAccess] to the address that
// a trusted proxy reports.
//
// The rest is up to [net/http.Server]: set
// ReadHeaderTimeout and ReadTimeout against clients that send slowly,
// MaxHeaderBytes if its default of 1 MiB is too much, and IdleTimeout against idle
// connections. None of these ends a call or a stream that has begun. WriteTimeout must stay zero: it counts from
// the start of the request, and would end streams and lose the answers of calls. Instead, each write to a client has a
// deadline of 30 seconds.
package streamhttp
