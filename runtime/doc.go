// Package runtime implements JSON-RPC and the Model Context Protocol, in all five revisions from 2024-11-05 to 2026-07-28,
// for servers of tools, prompts and resources. It does not depend on a transport, and does not use reflection.
//
// A [Server] holds the registry of these and the configuration. Package stdio or streamhttp serves it:
//
//	srv := &runtime.Server{Name: "weather", Version: "1.0.0"}
//	err := stdio.Serve(ctx, srv)
//
// Revisions up to 2025-11-25, in which a connection begins with the request initialize, are called legacy here. Later ones,
// in which each request names its revision, are called modern.
//
// # Limits of a tool
//
// The limits of a tool, prompt or resource (toollimits.go, run.go) apply in this order:
//
//  1. A caller that lacks a scope of the tool is refused (request.go).
//  2. A call beyond the rate limit is refused, with the time after which to call again (dispatch.go).
//  3. The call waits in the queue of its session.
//  4. The call waits for the semaphore of its tool; another call of the session can run meanwhile.
//  5. The timeout starts. When it expires, the call is answered, although the func of the tool may ignore its context
//     (callcontext.go).
//  6. Middleware runs: the server's, and inside it the tool's (toolstate.go). Package mcptool explains why the
//     limits are not middleware.
//  7. The arguments are checked.
//
// # Files
//
// The files are in groups, each of which uses only its own names and those of the groups before: calls and requests
// (core); connections; lists; questions to the client (elicit); tasks; subscriptions; and the server, which puts them
// together. internal/lab/figures/runtime-order.txt has the groups, and the figures of the gate hold the order. Where a lower group
// needs a higher one, [newCore] gives it a func (stages, the rows of methodtable.go) or an interface ([peer], and Runner of
// internal/taskengine).
//
// docs/internals.md describes how a message passes through this package, and the decisions that the protocol leaves
// open.
package runtime
