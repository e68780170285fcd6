package runtime

// Outbox delivers the messages of a session to its client. The transport implements it.
//
// These methods are optional; a session uses those that its Outbox has:
//
//   - Post(msg []byte) error and Flush() error deliver several messages at once. Post is Send, except that the message
//     may be held back until the next Send or Flush; Flush delivers the messages that were held back. A session that reads
//     from a [Source] posts the answer to a request when the next one is already there.
//   - SendPieces(pieces ...[]byte) error is Send for a message in pieces, without the need to join them. A session uses it
//     for large answers that it keeps, such as a long list of tools.
//   - Backlog() int returns the number of messages that were handed over and are not written yet, including
//     those whose Send still blocks. It must not block, nor call the session. A session logs it when calls
//     cannot end because the client does not read.
//   - Probe(msg []byte) (reached func() bool) is for transports whose client may be temporarily unreachable. It delivers
//     msg, a ping, if the client is reachable at this moment; otherwise it returns nil and drops msg. It must not block, nor
//     keep msg, nor call the session, which holds a lock. The session calls reached later, under the same conditions: it
//     reports whether msg was written to a connection that is still the one for reaching the client. If it
//     was not, the missing answer does not count as a failure.
type Outbox interface {
	// Send delivers msg: one complete JSON-RPC message, without framing and
	// without a line break inside. It is called by several goroutines at once and must
	// not keep msg, nor change it, nor call the session, which may hold a lock. It may
	// block until the client reads.
	//
	// An error means that nothing can be delivered any more. The session then
	// cancels its calls. A transport whose client
	// may reconnect does not return an error.
	Send(msg []byte) error
}

// The optional methods of an [Outbox].
type (
	batcher interface {
		Post(msg []byte) error
		Flush() error
	}
	gatherer interface {
		SendPieces(pieces ...[]byte) error
	}
	backlogger interface{ Backlog() int }
	prober     interface {
		Probe(msg []byte) (reached func() bool)
	}
)
