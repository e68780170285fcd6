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
// it is a secret, but not a proof of who they are. A session lives in one process, so behind a
// load balancer all its requests must reach the same instance. [Sessions] and [SessionIdle]
// bound how many there are and for how long.
//
// Here a broken connection cancels nothing. What is sent on an event stream is kept for a while
// (see [Replay]), and a client that comes back with the id of the last event it has seen gets
// the rest. A call that was to be answered with JSON has no stream to come back to: its answer
// is lost. What belongs to no request, such as that the tools have changed, goes to one of the
// streams that the client has opened with GET, or waits for the next one.
//
// # Who may send
//
// A page in a browser can send requests to servers on the user's machine. What
// such a server serves by default is requests that name it as localhost and that no page
// elsewhere has sent; see [AllowOrigins] and [AllowHosts].
//
// # What bounds a request
//
// A message is no larger than the server's Limits.Message, and each header of the
// protocol has 8 KiB at most. The rest is up to [net/http.Server]: set
// ReadHeaderTimeout and ReadTimeout against clients that send slowly, and
// MaxHeaderBytes (1 MiB by default) if that is too much. WriteTimeout should stay zero, for it would
// end streams: each write to one has 30 seconds of its own.
package streamhttp
