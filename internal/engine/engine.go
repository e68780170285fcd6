package engine

import "context"

// Session is one client on one connection. A transport opens it, passes every received message to Receive, and calls
// Close when there are no more. All methods are safe for concurrent use, but messages whose order matters must be
// passed one after the other.
type Session interface {
	// Receive serves one message of the client: a JSON-RPC request, notification or response, or in revision 2025-03-26
	// a batch. It never fails: a message that cannot be served is answered with an error, or ignored if the protocol
	// requires it.
	//
	// Calls of tools and custom methods, and requests about tasks, run in their own goroutines. Subscriptions are
	// answered when they end. Everything else is done when Receive returns. Receive blocks while the [Conn] blocks,
	// and while runtime.Limits.MaxConcurrentCalls calls are running and the queue of waiting ones is full
	// (runtime.Limits.MaxQueuedCalls). It does not keep msg.
	Receive(msg []byte)
	// ReceiveFrom receives messages from src, like [Session.Receive], until src ends. It returns the error with which
	// src ended; nil for [io.EOF]. Calls may still be running then. A panic of src, or of the [Conn] while the session
	// reads, is returned as an error. Close does not end src, so ReceiveFrom may still run after it.
	//
	// Use it for a transport whose messages arrive one after the other, from one trusted client. It sets no field of
	// [Message]: if messages need an Access, a Memory or another field, parse each one (Read of package runtime) and pass
	// it to Serve.
	//
	// The goroutine that has read a call of a quick tool also runs it, so that no other goroutine must be woken up. If
	// such a call takes long, another goroutine continues to read within milliseconds. So a slow tool does not delay
	// other messages, and its next calls run in their own goroutines. Requests about tasks always do, because the task
	// store (runtime.Server.Tasks) may take long. Responses that are ready at the same time are marked with [End.More], so
	// that the Conn can send them together.
	ReceiveFrom(src Source) error
	// Reject answers a message that the transport has refused to read, for example because it is larger than
	// runtime.Limits.MaxMessageBytes, with error -32600 and the text of reason on one line. The session continues.
	// Start is the beginning of the message, as far as the transport has read it; it may be nil. If its first 1024
	// bytes contain the id, the answer has that id, and otherwise no id. Reject does not keep start. Next of a [Source] may
	// call it.
	Reject(reason error, start []byte)
	// Serve serves a message like [Session.Receive], and answers it through w. It may return before the message is
	// answered: the answer is complete when Respond of w is called. A nil w means the [Conn] of the session, where all
	// messages share one stream. Before it returns it may block as Receive does.
	Serve(m *Message, w Writer)
	// Close ends the session. It begins no more calls, and waits until the received ones have ended, and until the task
	// store has returned to requests about tasks, but not longer than until ctx or the connection has ended. Then it
	// cancels the remaining ones, with the cause runtime.ErrShutdown, and waits for runtime.Limits.CloseGrace; calls
	// that still have not ended are answered with an error. Requests to the client fail at once, because their answers
	// would not be received. Then Close ends the subscriptions as the protocol requires, and waits for at most
	// CloseGrace each until the [Conn] has accepted the answers of calls that have ended and the last messages. So
	// Close returns even if a tool ignores its context, or if a Conn blocks. Tasks continue: see
	// runtime.Server.Shutdown.
	//
	// The error is nil if all calls have ended by themselves. Otherwise it reports how many were cancelled, and wraps
	// the cause of ctx or of the session's context. A second Close waits like the first.
	//
	// Close may be called while Receive, ReceiveFrom and Serve run. Calls that they receive later are refused.
	//
	// Notify of the Conn may still be called after Close has returned: by tasks of the session, and for the last
	// messages if the Conn has blocked.
	Close(ctx context.Context) error
	// FailRequests ends the requests to the client without an answer, with an error, except requests of tasks. A transport calls
	// it when the client has had no stream for a while over which it could answer; the session continues.
	FailRequests()
	// Context returns a context that ends with the session: when the session was closed, when the context given to Open
	// of package runtime has ended, or when the client cannot be reached any more, because the [Conn] has returned an
	// error, or runtime.Pings got no answer. [context.Cause] then wraps runtime.ErrShutdown, the cause of that context,
	// or runtime.ErrDisconnected. When the context ends, the transport must close the session, and then the connection
	// if it is still open: the answers that Close delivers would be lost on a closed one.
	Context() context.Context
	// ProtocolVersion returns the revision that initialize has negotiated, such as "2025-11-25"; "" before that.
	ProtocolVersion() string
}

// Endpoint answers messages without a [Session], on a transport that has a stream for each message. It is safe for
// concurrent use.
type Endpoint interface {
	// Answer answers m through w, and returns when the answer is complete. It sets m.Stateless, unless m.Revision names
	// an earlier revision that the server supports. The goroutine of the caller runs the tool, unless the tool has a
	// timeout or the call may become a task.
	//
	// The end of ctx means that the client has disconnected: the call is cancelled, with the cause
	// runtime.ErrDisconnected. A call that has become a task continues.
	//
	// A subscription is refused, because it needs a Session.
	Answer(ctx context.Context, m *Message, w Writer)
}

// Source is a stream of messages, for ReceiveFrom of a [Session]. Its methods are called by one goroutine at a time, but
// not always by the same one. TestSource of package enginetest checks the rules.
type Source interface {
	// Next blocks until there is a message and returns it. The message is valid until the next call of Next, or
	// permanently if Detach is called before that. The error is the reason why there are no more messages; at the
	// regular end it is [io.EOF]. Next is not called again after an error.
	//
	// Next skips what is not a message, such as a blank line. It passes a message that it refuses to read to Reject of the
	// session, and returns the one after it.
	Next() ([]byte, error)
	// Ready reports whether Next would return or reject a message, or return an error, without blocking. It must not block.
	// While Ready returns true, the response to the message before may be held back, see [End.More]. So if Ready returns
	// true and Next blocks, for example because only a blank line follows, the client waits for a response that is not sent.
	// A Source may always return false: then each response is delivered when it is ready.
	Ready() bool
	// Detach keeps the last message of Next valid: from then on the source reads into other memory.
	Detach()
}
