// Package streamhttp serves tools over Streamable HTTP, the protocol's own way to use it.
//
//	http.Handle("/mcp", streamhttp.NewHandler(nil))
//	server := &http.Server{Addr: "127.0.0.1:8080", ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute}
//	log.Fatal(server.ListenAndServe())
//
// [NewHandler] returns an [net/http.Handler]; everything else about the server is the
// program's own.
//
// # Modern requests
//
// From revision 2026-07-28 on every message is a POST that stands for itself, so any
// instance of a program serves any request. It is answered with JSON, or with an event stream if
// something comes before the response: progress, log records, what a subscription is
// told. Which of the two is decided by the first thing there is to send, so an
// error still has its HTTP status.
//
// The headers that repeat parts of the body (MCP-Protocol-Version, Mcp-Method,
// Mcp-Name, and Mcp-Param-* for arguments whose schema says x-mcp-header) must
// match it. They are for proxies; here only the body decides.
//
// A client that closes the connection cancels the call. So does one that reads nothing
// of a stream for 30 seconds.
//
// # Sessions
//
// Clients of revisions 2025-03-26 to 2025-11-25 are served at the same path. They begin with
// initialize and are given a session, whose id is the only thing that tells them from others:
// it is a secret, but not a proof of who they are. With access tokens a session is its principal's
// alone: to others it does not exist. A session lives in one process, so behind a
// load balancer all its requests must reach the same instance. [Sessions] and [SessionIdle]
// bound how many there are and for how long.
//
// Here a broken connection cancels nothing. What is sent on an event stream is kept for a while
// (see [Replay]), and a client that comes back with the id of the last event it has seen gets
// the rest; where nothing follows any more, as after a call it has cancelled, it gets status 204, by
// which clients know to stay away. A call that was to be answered with JSON has no stream to come back to: its answer
// is lost. With [Poll] it is the server that closes the streams of long calls, for their
// clients to come back. What belongs to no request, such as that the tools have changed, goes to one of the
// streams that the client has opened with GET, or waits for the next one.
//
// A client that has gone may leave a stream open behind it, in a proxy, and with that a session that is in use for ever. Pings
// ([runtime.Pings]) find that out; they go out on streams opened with GET alone, since a client without one has nothing
// to hear them with.
//
// # The transport of revision 2024-11-05
//
// Before there was Streamable HTTP there was "HTTP with SSE": a stream for all that the server says, and
// POSTs that it answers there. [NewSSEHandler] serves it to the clients that
// know nothing else, at a path of its own.
//
// # Who may send
//
// A page in a browser can send requests to servers on the user's machine. What
// such a server serves by default is requests that name it as localhost and that no page
// elsewhere has sent; see [AllowOrigins] and [AllowHosts]. Other programs on the machine
// can still send: a server for one person is better off with package stdio, which nobody else
// reaches, or with a listener that only that person's programs reach, as a Unix socket is.
//
// # Access tokens
//
// [Protect] has a handler serve only who shows an access token, as the protocol's
// authorization asks for: the program is a resource server of OAuth 2.1, and tokens come from an
// authorization server elsewhere.
//
//	guard, err := streamhttp.Protect(verify, streamhttp.ProtectedResource{
//		Resource:             "https://mcp.example.com/mcp",
//		AuthorizationServers: []string{"https://auth.example.com"},
//		Scopes:               []string{"notes:read"},
//	})
//	…
//	mux.Handle("/mcp", streamhttp.NewHandler(srv, guard))
//	mux.Handle(streamhttp.MetadataPath, guard.Metadata())
//	mux.Handle(streamhttp.MetadataPath+"/", guard.Metadata())
//
// Finding out what a token stands for is left to the program, a [TokenVerifier]. It is asked for each
// request, in a session or not, and its answer is held against the clock and against
// the resource: a token that was issued for another server is refused. What comes of it:
//
//	401  no token, or one that is no good: invalid_token
//	403  a good token that lacks scopes: insufficient_scope
//	400  an Authorization header that is not "Bearer" and a token: invalid_request
//	503  the verifier failed; the log knows why
//
// The first three have a WWW-Authenticate header that tells where the metadata is and which scopes to
// ask for. A token in the URL counts for nothing. The log never has one, and tools are given the
// principal ([mcptool.CallInfo]) and not the token, which is for this server and must not be
// passed on to another.
//
// A tool with scopes ([mcptool.Scopes]) is in the tools/list of those who hold all of them, and in no
// other. To call it without is not answered with "unknown tool" but with the 403 that
// names its scopes: the protocol lets clients come back with more ("step-up"), and a client
// that knows the name had it from a list it was once given, or from its user. So the scopes of
// a tool whose name is known are no secret to who has a valid token. Where no
// token could help, without Protect and inside of a batch, the tool is an unknown one.
//
// Programs that verify their callers in another way say so with [WithAccess]. What answers the CORS
// preflights of pages has to allow the header Authorization, and to expose WWW-Authenticate.
//
// # What bounds a request
//
// A message is no larger than the server's Limits.Message, and each header of the
// protocol has 8 KiB at most. All that messages hold together, from the first byte read to the end of their calls, is
// bounded by Limits.Memory: a body for which there is no memory is refused with status 503 and a Retry-After header,
// before it is read, or where its length is not declared, as soon as it has grown too much.
//
// No caller gets all of what the server has. The principal of the access token has a share of the memory and of the calls
// in flight (Limits.PerCaller), and of the sessions and streams ([SessionsPerCaller], [StreamsPerCaller]); without tokens
// the address has, an IPv6 network of 64 bits being one. Behind a proxy all clients have one address, so that the share
// is all there is: raise it, or supply Access.Address with [WithAccess] from what a proxy that you trust says.
//
// The rest is up to [net/http.Server]: set
// ReadHeaderTimeout and ReadTimeout against clients that send slowly, and
// MaxHeaderBytes (1 MiB by default) if that is too much; IdleTimeout against connections kept for
// nothing. None of these ends a call or a stream that has begun. WriteTimeout must stay zero: it counts from
// the request on, and would cost calls their answers and end streams. In its place each write to a client has 30 seconds.
package streamhttp
