package engine

import (
	"context"
	"errors"
)

// Session is one client on one connection. A transport opens it, passes every received message to Receive, and calls
// Close when there are no more. All methods are safe for concurrent use, but messages whose order matters must be
// passed one after the other.
type Session interface {
	// Receive serves one message of the client: a JSON-RPC request, notification or response, or in revision 2025-03-26
	// a batch. It never fails: a message that cannot be served is answered with an error, or ignored if the protocol
	// requires it.
	//
	// Calls of tools and custom methods, and requests about tasks, run in their own goroutines. Subscriptions are
	// answered when they end. Everything else is done when Receive returns. Receive blocks while the [Outbox] blocks,
	// and while runtime.Limits.MaxConcurrentCalls calls are running and the queue of waiting ones is full
	// (runtime.Limits.MaxQueuedCalls). It does not keep msg.
	Receive(msg []byte)
	// ReceiveFrom receives messages from src, like [Session.Receive], until src ends. It returns the error with which
	// src ended; nil for [io.EOF]. Calls may still be running then. Use it for transports whose messages arrive one
	// after the other. A panic of src, or of the [Outbox] while the session reads, is returned as an error.
	//
	// The goroutine that has read a call of a quick tool also runs it, so that no other goroutine must be woken up. If
	// such a call takes long, another goroutine continues to read within milliseconds. So a slow tool does not delay
	// other messages, and its next calls run in their own goroutines. Requests about tasks always do, because the task
	// store (runtime.Server.Tasks) may take long. Answers that are ready at the same time are sent together, if the
	// Outbox has the optional methods for it.
	ReceiveFrom(src Source) error
	// Reject answers a message that the transport has refused to read, for example because it is larger than
	// runtime.Limits.MaxMessageBytes, with error -32600 and the text of reason on one line. The session continues.
	// Start is the beginning of the message, as far as the transport has read it; it may be nil. If its first 1024
	// bytes contain the id, the answer has that id, and otherwise no id. Reject does not keep start.
	Reject(reason error, start []byte)
	// Serve serves a message like [Session.Receive], and answers it through x. It may return before the message is
	// answered: the answer is complete when [Exchange.End] is called. A nil x means the [Outbox] of the session, where
	// all messages share one stream. Before it returns it may block as Receive does.
	Serve(m *Message, x Exchange)
	// Close ends the session. It begins no more calls, and waits until the received ones have ended, and until the task
	// store has returned to requests about tasks, but not longer than until ctx or the connection has ended. Then it
	// cancels the remaining ones, with the cause runtime.ErrShutdown, and waits for runtime.Limits.CloseGrace; calls
	// that still have not ended are answered with an error. Requests to the client fail at once, because their answers
	// would not be received. Then Close ends the subscriptions as the protocol requires, and waits for at most
	// CloseGrace each until the Outbox has accepted the answers of calls that have ended and the last messages. So
	// Close returns even if a tool ignores its context, or if an [Outbox] blocks. Tasks continue: see
	// runtime.Server.Shutdown.
	//
	// The error is nil if all calls have ended by themselves. Otherwise it reports how many were cancelled, and wraps
	// the cause of ctx or of the session's context. A second Close waits like the first.
	//
	// Send of the Outbox may still be called after Close has returned: by tasks of the session, and for the last
	// messages if the Outbox has blocked.
	Close(ctx context.Context) error
	// FailRequests ends the requests to the client without an answer, with an error, except requests of tasks. A transport calls
	// it when the client has had no stream for a while over which it could answer; the session continues.
	FailRequests()
	// Context returns a context that ends with the session: when the session was closed, when the context given to Open
	// of package runtime has ended, or when the client cannot be reached any more, because the [Outbox] has returned an
	// error, or runtime.Pings got no answer. [context.Cause] then wraps runtime.ErrShutdown, the cause of that context,
	// or runtime.ErrDisconnected. When the context ends, the transport must close the session, and the connection if it
	// is still open.
	Context() context.Context
	// ProtocolVersion returns the revision that initialize has negotiated, such as "2025-11-25"; "" before that.
	ProtocolVersion() string
}

// Endpoint answers messages without a [Session], on a transport that has a stream for each message. It is safe for
// concurrent use.
type Endpoint interface {
	// Answer answers m through x, and returns when the answer is complete. It sets m.Stateless, unless m.Revision names
	// an earlier revision that the server supports. The goroutine of the caller runs the tool, unless the tool has a
	// timeout or the call may become a task.
	//
	// The end of ctx means that the client has disconnected: the call is cancelled, with the cause
	// runtime.ErrDisconnected. A call that has become a task continues.
	//
	// A subscription is refused, because it needs a Session.
	Answer(ctx context.Context, m *Message, x Exchange)
}

// Outbox delivers the messages of a session to its client. The transport implements it.
//
// These methods are optional; a session uses the ones that its Outbox has:
//
//   - Post(msg []byte) error and Flush() error deliver several messages at once. Post is like Send, but may hold the
//     message back until the next Send or Flush. Flush delivers the messages that were held back. A session that reads
//     from a [Source] posts its answers to quick requests, and calls Flush when no further message is ready.
//   - Probe(msg []byte) (reached func() bool) is for transports whose client may be temporarily unreachable. If the
//     client is reachable now, it delivers msg, a ping; otherwise it drops msg and returns nil. It must not block or
//     keep msg. Later the session calls reached, which must not block: it reports whether msg was written to the
//     connection over which the client can still be reached. If not, the missing answer does not count as a failure.
type Outbox interface {
	// Send delivers msg: one complete JSON-RPC message, without framing and without line breaks. It is called
	// concurrently. It must not keep or modify msg, and must not call the session, which may hold a lock. It may block
	// until the client reads.
	//
	// An error means that nothing can be delivered any more: the session ends with the cause runtime.ErrDisconnected,
	// which cancels its calls. A transport whose client may reconnect returns no error.
	Send(msg []byte) error
}

// Exchange receives the answer to one message, on a transport that has a stream for each message: it gets all messages
// that the message causes, and no others. The transport implements it and passes it to [Session.Serve] or to Answer of
// an [Endpoint].
//
// These methods are optional; they are used if the Exchange has them:
//
//   - Challenge(needed []string) bool is called before the End of a call that is refused because the sender lacks
//     scopes; needed are all scopes of the tool. It reports whether the transport sends the client the scopes to
//     request: then End gets [Forbidden]. Otherwise the tool is answered as unknown.
//   - Written() <-chan struct{} is for transports whose End may return before the response is written. It returns a
//     channel that is closed when the response has been written, or never will be. It is called before End, and only if
//     other messages must wait for the response: the requests of a task must not reach the client, on another stream,
//     before the response with the id of the task.
//   - Early() is called before the End of a call that a goroutine of the transport runs (Answer of an [Endpoint]) and
//     that is answered although its tool has not returned, because the call was cancelled or the tool has ended the
//     goroutine. That goroutine cannot serve anything else soon, and perhaps never.
//   - Ask(ctx context.Context, request []byte) (json.RawMessage, error) sends a request of a call to the client and waits
//     for its result. It is for the servers of other frameworks (see [Peer]): without it, clients of revisions before
//     2026-07-28 cannot be asked through an [Endpoint]. Request is an object with method and params. Ctx ends with the
//     call and with runtime.Limits.ClientRequestTimeout. The error is returned to the tool: one that package mcptool
//     documents for requests to the client.
type Exchange interface {
	// Send delivers a message that belongs to the exchange and precedes its end: progress, log records, the
	// notifications of a subscription, and requests to the client. Otherwise it is like [Outbox.Send]. If the error is
	// or wraps [ErrUndelivered], only this message is lost; any other error ends the session, or the call of an
	// [Endpoint], with the cause runtime.ErrDisconnected.
	Send(msg []byte) error
	// End is called once, as the last method. It delivers the response, which is an object, or an array for a batch. A
	// nil msg means no response, because the message is not a request or was cancelled. End must not keep or modify
	// msg.
	End(msg []byte, why Disposition)
}

// ErrUndelivered is returned, possibly wrapped, by [Exchange.Send] if this message can never reach the client but the
// session continues. If the message is a request to the client, the call does not wait for an answer.
var ErrUndelivered = errors.New("the message cannot be delivered")

// Disposition is the outcome of a message: whether it has reached its method, why it has not, or why it has no
// response. A transport that reports this to its client outside of the message, as HTTP does with its status, derives
// it from the Disposition. The zero value is [Served].
type Disposition uint8

// The values of [Disposition].
const (
	// Served means that the message has reached its method. The response may be an error.
	Served Disposition = iota
	// Malformed means that the message is not JSON-RPC, or that this session does not accept it.
	Malformed
	// Misaddressed means that a request of revision 2026-07-28 or later lacks a required member of _meta, names a
	// revision that is not supported, or does not match its headers.
	Misaddressed
	// UnknownMethod means that the revision of the request does not have its method, or that this server does not offer
	// it.
	UnknownMethod
	// MissingCapability means that the client of a request of revision 2026-07-28 or later has not declared a required
	// capability. The request may have reached a tool.
	MissingCapability
	// Forbidden means that the caller lacks scopes of the tool that it has called, and that the [Exchange] sends it the
	// scopes to request.
	Forbidden
	// Cancelled means that the client has cancelled the request, or at least one request of a batch without responses.
	// The message has no response.
	Cancelled
)

// Source is a stream of messages, for [Session]. Its methods are called by one goroutine at a time, but not
// always by the same one.
type Source interface {
	// Next blocks until there is a message and returns it. The message is valid until the next call of Next, or
	// permanently if Detach is called before that. The error is the reason why there are no more messages; at the
	// regular end it is [io.EOF].
	Next() ([]byte, error)
	// Ready reports whether Next would return without blocking.
	Ready() bool
	// Detach keeps the last message of Next valid: from then on the source reads into other memory.
	Detach()
}
