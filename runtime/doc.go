// Package runtime is the engine: JSON-RPC and the Model Context Protocol, in
// all five of its revisions, over a connection that somebody else provides. It
// knows no transport and uses no reflection.
//
// A [Server] is a set of tools and how they are served. A transport opens a
// [Session] per connection, hands it each message that comes in, and gives it an
// [Outbox] for those that go out:
//
//	session := server.Open(ctx, outbox)
//	for each message { session.Receive(message) }
//	session.Close(ctx)
//
// A transport that has a stream for each message, as HTTP does, gives it to the
// session with the message: [Server.Read] takes the message apart, so that the transport can
// choose the session, and [Session.Serve] answers it through an [Exchange].
//
// # The life of a message
//
//	bytes ──Receive──▶ envelope ──▶ era ──▶ method ──▶ answer ──────────▶ Outbox
//	                   │            │       │                             ▲
//	                   │ one scan,  │       └▶ tools/call ─▶ queue ─▶ goroutine
//	                   │ nothing    │                                 │  the tool,
//	                   │ decoded    └ which revision                  │  progress,
//	                   │              the request speaks              │  log
//	                   └ not JSON, no request: an error               ▼
//	                                                            errormap, result
//
// Station by station:
//
//   - The envelope (internal/envelope) is scanned once. What a request is
//     about, its id, arguments and _meta stay raw bytes.
//   - The era (era.go). A request that names a revision in its _meta is modern and
//     stands for itself. Any other belongs to the handshake that initialize
//     opened. Both may share a connection.
//   - The method is a row of a table (dispatch.go): its name, the revisions that have
//     it, and the func that answers. All but two answer at once. A tools/call gets a
//     goroutine, or waits for one (queue.go); a subscriptions/listen is answered when
//     the session ends (listen.go).
//   - The tool does the rest with the arguments. What it returns is rendered for the
//     revision (result.go, content.go); an error is worded in one place (errormap.go).
//     Everything a call sends passes its exchange (exchange.go), so nothing follows the
//     response, nor a cancellation (cancel.go).
//   - At the end of the connection what was received is still answered, for as long as
//     the transport allows (shutdown.go).
//
// # Revisions
//
// What each revision has is a table, too (version.go). Rendering asks it, feature by
// feature, and gives older clients what they can read: never a member or a kind of
// content that their revision does not define. Lists of tools are rendered once per
// revision and page, and kept until the tools change.
//
// # Decisions where the protocol leaves room
//
//   - The logging capability is declared to whom [Server.ClientLog] sends records:
//     by default to all legacy clients and no modern one.
//   - The tools capability is always declared, with listChanged: tools may come later.
//   - A request whose id is still in flight is refused with -32600; both would be
//     answered with the same id. An id that was answered may be used again.
//   - A second initialize in a session is refused with -32600.
//   - Before initialize a request without modern _meta gets -32602, but ping works.
//   - Ids are strings, or integers without fraction and exponent, of at most 1024
//     bytes; they are echoed byte for byte. The same goes for progress tokens.
//   - What is too large, too deep or names a member twice is refused with -32600; what is
//     not JSON, with -32700. Where no id could be read, none is sent.
//   - JSON null for an optional member is the same as leaving it out.
//   - Notifications we do not know, and responses to nothing, are ignored.
package runtime
