// Package runtime is the engine: JSON-RPC and the Model Context Protocol, in
// all five of its revisions, over a connection that somebody else provides. It
// knows no transport and uses no reflection.
//
// A [Server] is a set of tools and how they are served. A transport opens a
// [Session] per connection, hands it each message that comes in, and gives it an
// [Outbox] for those that go out:
//
//	session := server.Open(ctx, outbox)
//	session.ReceiveFrom(source) // or, for each message, session.Receive(message)
//	session.Close(ctx)
//
// A transport that has a stream for each message, as HTTP does, gives it to the
// session with the message: [Server.Read] takes the message apart, so that the transport can
// choose the session, and [Session.Serve] answers it through an [Exchange]. Messages that stand
// for themselves need no session: an [Endpoint] answers them.
//
// # The life of a message
//
//	bytes ─Receive─▶ envelope ─▶ dispatch ─────────▶ chooseVersion   era.go        which revision the request speaks
//	                 │                               chooseMethod    methods.go    its row, and the params all methods have
//	                 │ scanned once,                 lookUp          lookup.go     the tool or task that it names
//	                 │ nothing decoded               authorize       authorize.go  whether the sender may use it
//	                 │                               answer          dispatch.go   of most methods, at once; or, of a call:
//	                 └ not JSON, no request:         limit           limit.go      how often the tool may be called
//	                   an error                      build           build.go      the call, perhaps a task or a retry
//	                                                 schedule        schedule.go   now, in another goroutine, or in the queue
//	                                                   run           run.go        the tool: arguments, result
//	                                                   answer, fail  reply.go      ─▶ exchange ─▶ Outbox
//
// The statements of dispatch (dispatch.go) are these stages, in this order. One that ends the request early returns what
// the request is answered with, which is made in wireerror.go. What is written and read is JSON of package internal/wire. What is worth knowing of each:
//
//   - The envelope (internal/envelope) is scanned once. What a request is
//     about, its id, arguments and _meta stay raw bytes.
//   - chooseVersion. A request that names a revision in its _meta is modern and
//     stands for itself. Any other belongs to the handshake that initialize
//     opened. Both may share a connection.
//   - chooseMethod. A method is a row of a table: the revisions that have it, what its params name, and the func that
//     answers. A method of the author's own ([Methods]) has a row, too, and is run like a tool (methodcall.go). All but
//     calls, tasks/result and subscriptions/listen answer at once; a subscription is answered when the session ends
//     (listen.go).
//   - schedule. A call is run by the goroutine that has read it, in its turn, when the tool is
//     known to be quick. If it is slow after all, another goroutine takes over the
//     reading (reader.go). Other calls get a goroutine of their own, or wait for one (queue.go).
//   - run. The tool does the rest with the arguments. What it returns is rendered for the
//     revision (result.go): its structured part is written where it stays, in the
//     buffer of the response, and copied from there as text; an error of the tool is worded in errormap.go.
//     Texts of the tool are sanitized and redacted on the way (redact.go). If the result is too large, the lists are
//     truncated that may be, or the model is told to ask for less (output.go).
//   - answer, fail. Everything a call sends passes its exchange (exchange.go), so nothing follows the
//     response, nor a cancellation (cancel.go).
//   - A call that asks the client ([mcptool.Asker], ask.go) either sends a request of its own
//     and waits beside the queue for the response (asknow.go), or ends with its questions and
//     a state that holds all that is needed when the client calls again (askstate.go).
//   - At the end of the connection what was received is still answered, for as long as
//     the transport allows (shutdown.go).
//
// # Revisions
//
// What each revision has is a table, too (internal/wire/version.go). Rendering asks it, feature by
// feature, and gives older clients what they can read: never a member or a kind of
// content that their revision does not define. Lists of tools are rendered once per
// revision and page, and kept until the tools change.
//
// # Access
//
// Who sent a message is the transport's to verify; it puts that into the [Message] (access.go). Tools
// that need scopes the sender lacks are hidden from all methods alike. Lists of
// what is left are put together from the pages of all tools.
//
// # Shares
//
// A limit that all clients share is divided into shares ([CallerLimits], internal/limit), so that no [Caller] can use it
// up: calls in flight (limit.go) and bytes of messages, which transports reserve before they read them (memory.go) and
// calls hold until their tools have returned. Calls that exceed the first are refused. Where calls wait for others to end,
// for the semaphore of an [Endpoint] or of a tool ([mcptool.Concurrent]), callers take turns.
//
// Processors are shared, too (processor.go, internal/processor). What takes longer than about a tenth of a millisecond waits
// for its caller's turn at one of all processors but one: to take a long message apart ([Server.Turn]), to check costly
// arguments, to decode long ones, to encode and repeat long results. One turn lasts until an answer is complete,
// so that those that wait have not taken memory yet. No turn is held while a tool runs, or while anything waits or is written.
//
// # Inactive clients
//
// A session learns from its transport that its client has disconnected: the input ends, or a message cannot be sent.
// With [Server].Pings it also pings inactive clients (keepalive.go); a ping fails only if it was written to a connection
// that is still open (see [Outbox]). Either way the session's context ends with [ErrDisconnected], which tells the transport
// to close the connection.
//
// # Limits of a tool
//
// The limits of a tool (toollimits.go) are applied in this order: a caller who lacks its scopes is refused, then one who
// exceeds its rate limit (limit.go), who is told when to call again. The call waits for its turn in the
// session, then for the semaphore of its tool, while another call runs in its place in the session.
// Its timeout starts there. When it expires a timer answers the call, not the goroutine of the tool, which may not have
// noticed (callcontext.go); the timer is never created for quick calls. Middleware, the server's around that of the
// tool (toolstate.go), comes next: package mcptool explains why the limits are not middleware. The arguments are checked last.
//
// # Tasks
//
// A call of a tool that says so ([mcptool.Task]) may run as a task: it gets a goroutine of its own
// (taskrun.go), its request is answered with the task, and from then on it is known by its record in
// a store alone, whatever becomes of the connection (tasks.go). The store is the only way by which
// a cancellation or an answer reaches it, so that may come to another instance. Two forms are
// served, and what a client sends of them is checked like all else: the tasks of revision
// 2025-11-25, where the client decides, and the extension io.modelcontextprotocol/tasks of later
// ones, where the server does (taskcall.go). Clients that have neither call the tool and wait.
// Other extensions are served by methods of the author's own.
//
// Tasks are found by their ids alone where callers are not verified; ids have 130 random bits, and are
// kept out of the log. Where callers are verified, a task is its principal's, and is listed.
//
// # Stores that fail
//
// A method of the store that panics, or takes longer than 10 s, fails (guardedstore.go); Wait may take any time, and has to
// heed its context. Of methods that ignore their context, 64 may hang at once; then the store is not called until one
// returns. A client that asks about a task meanwhile gets an error, and may ask again.
//
// The end of a task is not lost to an error of the store that passes, of a full disk say (taskrunend.go). It is tried again for
// 10 s. Then the task has failed: a small record without the result is stored. If that cannot be stored either, this process
// shows it from memory until its TTL is over (endstore.go), and tries once a minute to store it; other instances see the
// task as working until then. A task that was cancelled elsewhere meanwhile stays cancelled. What is shown from memory counts
// among [TaskLimits].MaxRunning, which bounds it. [Server.Shutdown] tries a last time, logs what is lost, and returns
// [ErrNotStored]. A result that the store has no room for ([task.ErrFull]) is not tried again.
//
// # Audit
//
// [Server].Audit is told of each call once (audit.go), when it is answered, refused or
// cancelled. The member documents the names of the fields. Values are not among them, but for the arguments of
// tools that say so. Without it there is no cost.
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
//     not JSON, with -32700. The answer has the id that stands anywhere in
//     the message, or in the first kilobyte of one that is too large, and none where no id can be read. Over
//     HTTP a body whose declared length is too large is refused unread, so without an id.
//   - JSON null for an optional member, of any method and of a response, is the same as leaving it out.
//   - A state that does not open is refused, not asked for again: who sends it means
//     something by it. An answer without a state counts for a question that the tool has
//     given a key, and is asked for again otherwise.
//   - A tool that may run as a task is waited for [TaskLimits.Delay] before its call becomes one; one
//     that must is a task at once, also for arguments that do not fit.
//   - A tool that must run as a task is called as any other by clients of revisions without
//     tasks; -32601 answers those of 2025-11-25 that do not ask for one, -32021 later
//     ones without the extension.
//   - tasks/result of a cancelled task is error -32603.
//   - Notifications we do not know, and responses to nothing, are ignored.
package runtime
