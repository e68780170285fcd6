// Package runtime implements JSON-RPC and the Model Context Protocol, in all five revisions from 2024-11-05 to 2026-07-28,
// for servers of tools, prompts and resources. It does not depend on a transport, and does not use reflection.
//
// A [Server] holds the registry of these and the configuration. A transport, such as package stdio or streamhttp, opens
// a [Session] for each connection, passes it each message that it receives, and implements the [Outbox] that the
// session sends messages to:
//
//	session := server.Open(ctx, outbox)
//	session.ReceiveFrom(source) // or, for each message, session.Receive(message)
//	session.Close(ctx)
//
// A transport that has a stream for each message, as HTTP does, parses the message with [Server.Read], chooses the session,
// and calls [Session.Serve], which answers to an [Exchange]. Messages of revision 2026-07-28 and later need no session: an
// [Endpoint] answers them. It also answers single messages of earlier revisions ([Message.Revision]).
//
// Revisions up to 2025-11-25, in which a connection begins with the request initialize, are called legacy here. Later ones,
// in which each request names its revision, are called modern.
//
// # The stages of a message
//
//	bytes ─Receive─▶ envelope ─▶ dispatch ─────────▶ chooseVersion   dispatch.go   the revision of the request
//	                 │                               chooseMethod    dispatch.go   its method; checks params in general
//	                 │ scanned once,                 lookUp          subject.go    the tool, prompt, resource or task that it names
//	                 │ nothing decoded               authorize       subject.go    whether the sender may use it
//	                 │                               answer          dispatch.go   answers it at once; but if it is a call:
//	                 └ not JSON, no request:         limit           limit.go      its rate limit
//	                   an error                      build           call.go       makes the call, a task, or a retry
//	                                                 schedule        dispatch.go   now, in another goroutine, or queued
//	                                                   run           run.go        what it names: arguments, result
//	                                                   answer, fail  run.go        ─▶ exchange ─▶ Outbox
//
// The function dispatch (dispatch.go) consists of these stages, in this order. A stage that ends the request early returns
// an error, made in wireerror.go, that answers it. Package internal/wire reads and writes the JSON. About each stage:
//
//   - The envelope (internal/envelope) is scanned once. The id, the arguments and _meta of a request stay raw bytes.
//   - chooseVersion: a request that names a revision in its _meta is modern, and does not depend on other messages. Any
//     other request has the revision that initialize has negotiated. One connection may carry both kinds. [Server.Revisions]
//     selects the revisions that are supported.
//   - chooseMethod: a method is a row of a table (methods.go): the revisions that have it, what its params name, and the
//     func that answers it. Custom methods ([Methods]) also have rows, and run like tools (methodcall.go). All methods
//     except calls, methods about tasks and subscriptions/listen are answered at once. In a session, a request about tasks
//     has its own goroutine (storerequest.go); a subscription is answered when the session ends (listen.go).
//   - schedule: over stdio, the goroutine that has read a call runs it if calls of the tool have been quick. If this one
//     takes long after all, another goroutine continues to read (reader.go). A call without a session runs in the
//     goroutine of its HTTP request (endpoint.go). All other calls run in their own goroutines, or wait for one
//     (queue.go).
//   - run: the tool decodes and checks the arguments. Prompts and resources run like tools, because package mcptool
//     creates a tool for each, its runner; only the lookup and the format of the result are different (prompts.go,
//     resources.go, completion.go).
//   - run, errors: an error is turned into an answer in errormap.go. Texts are sanitized and redacted.
//   - run, the result: result.go writes it as the revision requires. The tool writes the structured part directly into the
//     response (appendToolResult), and the same JSON follows as a block of text (appendRest). If the result is too large,
//     lists are truncated where the tool allows it; otherwise the model gets an error that asks for a smaller part.
//   - answer, fail: all messages of a call pass through its exchange (exchange.go), so that none follows the response, or
//     a cancellation (cancel.go).
//   - A call that sends requests to the client ([mcptool.Asker], ask.go) waits for the response in a legacy session, and
//     does not count as running meanwhile (ask.go). A modern call ends with the requests and an encrypted state, and
//     continues from them when the client calls again (askstate.go).
//   - When a connection ends, the messages that were received are still answered, for as long as the transport allows
//     (shutdown.go).
//
// # Revisions
//
// A table lists the features of each revision (internal/wire/version.go), and everything that is sent depends on it. A
// client never gets a member or a type of content that its revision does not define; content is then sent in another
// form, such as text. Lists are rendered once per revision and page (pages.go), and cached until their items change. A
// list of resources is rendered for each request if funcs list some of them (resourcelist.go).
//
// # Access
//
// The transport verifies the sender of a message and sets its [Access] in the [Message] (access.go). All methods hide
// tools, prompts and resources that need scopes which the sender lacks, or whose condition ([mcptool.VisibleIf]) does
// not hold. The list for such a sender is copied from the rendered pages of all items.
//
// # Shares
//
// A limit for all clients together is divided into shares ([CallerLimits], internal/admission), so that no [Caller] can use
// it up. This applies to the calls in flight (limit.go) and to the memory of messages (memory.go). Calls beyond the
// first limit are refused. Transports reserve memory before they read a message, and calls keep it until their tools
// have returned. The records of tasks that are read for a request count as well (storerequest.go). Where calls wait for
// the semaphore of an [Endpoint] or of a tool ([mcptool.Concurrent]), callers take turns.
//
// Processors are also shared (limit.go). Long work waits for a slot, of which there is one fewer than processors:
// parsing a long message ([Server.Slot]), checking and decoding arguments, by their length times what the schema makes
// of a byte, and encoding long results. Callers get slots in turn. A call keeps its slot until its answer is complete,
// so that calls that wait for one have not allocated memory for an answer yet. It gives the slot back before a tool
// runs, and before anything waits or is written.
//
// # Inactive clients
//
// A transport detects that its client has disconnected when the input ends, and closes the session, or when a message
// cannot be sent, and reports that as an error of its [Outbox]. With [Server.Pings] a session also pings inactive clients
// (keepalive.go); a ping fails only if it was written to a connection that is still open (see [Outbox]). A transport that
// doubts that its client is still running calls [Session.CheckClient]. After an error of the Outbox, too many failed pings,
// or a failed check, the context of the session ends with [ErrDisconnected], and the transport closes the connection and
// the session.
//
// # Limits of a tool
//
// The limits of a tool, prompt or resource (toollimits.go) apply in this order:
//
//  1. A caller that lacks a scope of the tool is refused (subject.go).
//  2. A call beyond the rate limit is refused, with the time after which to call again (limit.go).
//  3. The call waits in the queue of its session.
//  4. The call waits for the semaphore of its tool; another call of the session can run meanwhile.
//  5. The timeout starts. When it expires, the call is answered, although the func of the tool may ignore its context
//     (callcontext.go).
//  6. Middleware of tools runs, that of the server outside of that of the tool (toolstate.go). Package mcptool explains why the
//     limits are not middleware.
//  7. The arguments are checked.
//
// # Changes
//
// Package internal/notify passes announcements of the registry on, that a list has changed or a resource was updated: to
// the sessions here, and with a [Server.Bus] to other instances. Its documentation follows a notice from there to the
// clients. A session sends in a separate goroutine, so a client that does not read does not delay others. A legacy client
// is notified of the lists that were declared in the handshake (initialize.go), and a modern one of those that it has
// requested (listen.go, listenfilter.go). A client subscribes to resources with resources/subscribe (resourcesubscription.go), or as
// a part of subscriptions/listen. A notice about a task makes waiting requests look up its record earlier (internal/tasks);
// they do not depend on it.
//
// The resource must exist for the caller, who has its scopes and meets its condition ([mcptool.VisibleIf]), when it
// subscribes and before each notification (resourcesubscription.go); a resource below it must not be hidden either. The
// scopes of the subscribing request apply, so a transport must not send the messages of a session to a caller with
// fewer scopes. An acknowledgement omits resources that do not exist.
//
// # Extensions
//
// An [Extension] becomes a part of a server when the server is first used (extensions.go): its methods become rows like
// [Server.Methods], its middleware wraps all tools, and its resources are added to the registry. The server declares it
// in all revisions, together with the extension for tasks and the extensions of tools ([mcptool.Attach]). The
// extensions of a client are read from initialize, or from each request of a modern client. Notifications of clients
// are handled by the goroutine that reads them (extensions.go), and [Notify] sends notifications on the stream of a
// request. [Page] and [IsVisible] are for methods that list tools, prompts or resources.
//
// # Tasks
//
// A call of a tool with the option [mcptool.Task] may run as a task: it runs in its own goroutine (taskrun.go), and the
// answer to its request contains the id of the task. From then on the task exists as a record in a store, and does not
// depend on the connection (internal/tasks). The methods tasks/cancel and, in modern revisions, tasks/update change the
// record, and the task reacts to that, so clients may send them to another instance of the server; a legacy client
// answers the requests of a task in the session that began it. There are two kinds of tasks: in revision 2025-11-25 the
// client decides which calls are tasks, and with the extension io.modelcontextprotocol/tasks of modern revisions the
// server decides (tasks.go). Other clients call the tool and wait for the result.
//
// If callers are not authenticated, everyone who has the id of a task can use it. Ids have 130 random bits, and are not
// logged. A task of an authenticated caller is visible only to its principal, who can also list it.
//
// # Durable tasks
//
// The record of a durable task ([mcptool.Durable], durable.go) has the data to run it again, and a journal of the
// values of Once and the answers. The journal is stored before a value or an answer is returned to the tool (package
// internal/replay). The run has a lease, which it renews. When the lease has expired, another server claims the task: it
// rebuilds the call from the record (durable.go), without a client, and runs the tool from the top with the
// journal. Every write of a run has the number of the run, and writes of earlier runs are rejected. A server claims
// tasks while it has a session or an endpoint, until [Server.Shutdown], which releases the running ones.
//
// # Errors of the task store
//
// Each method of the store except Wait and Claim has a deadline of 10 s, but not Get for a request that waits for tasks,
// which may have to wait for memory. All methods are trusted to return when their
// context ends. A panic is an error, and records that are not valid are rejected. A client that requests a task
// meanwhile gets an error, and may try again.
//
// A slow store does not keep a connection from being read: in a session, requests that use it run in their own
// goroutines (storerequest.go). They count as calls in flight until the store has returned, the client can cancel them,
// and the end of the session ends their contexts.
//
// A temporary error of the store, such as a full disk, does not lose the end of a task (internal/tasks). The server tries
// for 10 s to store it. Then a durable task is left to another run, and any other task fails, and a small record without the result is stored. If that also fails,
// this process serves the record from memory until its TTL has passed, and tries to store it, at intervals of up to a
// minute; until then the task is still working for other instances. A task that another instance has cancelled
// meanwhile stays cancelled. The records in memory count towards [TaskLimits.MaxRunning], which bounds them.
// [Server.Shutdown] tries one last time, logs the records that are lost, and returns [ErrNotStored]. If the store is too
// full for a result ([task.ErrFull]), the server does not try again.
//
// # Audit
//
// [Server.Audit] gets one record for each call of a tool, each prompts/get and each resources/read (audit.go), when the
// call is answered, refused or cancelled; its documentation lists the fields. Records contain no values, except
// arguments with [mcptool.AuditArguments]. Without Audit, this costs nothing.
//
// # Decisions that the protocol leaves open
//
//   - The logging capability is declared to the clients that get records by [Server.ClientLog]: by default to all legacy
//     clients and no modern one.
//   - The tools capability is always declared, with listChanged, because tools may be added later, unless the transport
//     cannot send notifications that belong to no request ([Message.NoListening]).
//   - Prompts and resources are declared once any were added to the registry. Methods that belong to undeclared
//     capabilities are unknown. Lists are declared with listChanged under the same condition.
//   - Subjects that a client may not see, and a resource whose URI matches nothing, do not exist: -32602, or for a
//     resource -32002 in legacy revisions, with at most 4 KiB of the URI. Completion of an argument without suggestions
//     is an empty list.
//   - A list that was not declared to a legacy client is not announced to it, even if it is declared to later ones.
//   - A subscription to a resource that does not exist is refused; in a subscriptions/listen it is left out of the
//     acknowledgement. Ending a subscription that does not exist is not an error.
//   - A request whose id is in use by a request in flight is refused with -32600, because both answers would have the same
//     id. After the answer, the id may be used again.
//   - A second initialize in a session is refused with -32600.
//   - Before initialize, a request without a revision in _meta gets -32602; a ping is answered.
//   - Ids and progress tokens are strings, or integers without fraction and exponent, of at most 1024 bytes; answers
//     contain them byte for byte.
//   - A message that is too large, nested too deeply, or has a member of JSON-RPC twice is refused with -32600; one whose
//     params have a member of the protocol twice with -32602; one that is not JSON with -32700. The answer has the id if it
//     can be found: anywhere in the message, or in the first 1024 bytes of one that is too large. Over HTTP a body whose
//     declared length is too large is refused before it is read, so without an id.
//   - JSON null for an optional member, of any method and of a response, means that the member is absent.
//   - A requestState that is not valid for its request is refused, and the tool does not run. Without a requestState,
//     an inputResponse counts only for a request that has a key ([mcptool.Key]); other requests are sent again.
//   - A call of a tool that may run as a task becomes one after [TaskLimits.Delay]. A call of a tool that must run as a
//     task is a task at once, even if its arguments are invalid.
//   - For clients of revisions without tasks, a tool that must run as a task runs like any other. Clients of 2025-11-25
//     that do not request a task for it get -32601, and modern ones without the extension -32021.
//   - tasks/result of a cancelled task is error -32603.
//   - Unknown notifications, and responses to no request, are ignored.
package runtime
