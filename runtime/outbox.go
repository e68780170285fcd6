package runtime

// Outbox is how a session speaks to its client; the transport implements it.
type Outbox interface {
	// Send delivers msg: one complete JSON-RPC message, without framing and
	// without a line break inside. It is called from several goroutines and must
	// not keep msg, nor change it, nor call the session, which may hold a lock. It may
	// block until the client reads.
	//
	// An error says that nothing can be delivered any more. The session then
	// cancels its calls, for nobody can read their answers; a transport whose client
	// may come back does not return one.
	Send(msg []byte) error
}

// Gatherer is an [Outbox] that can deliver a message that lies in pieces, without putting
// them together. A session uses it for large answers that it keeps, such as a list of many tools.
type Gatherer interface {
	Outbox
	// SendPieces is as Send, of the message that the pieces are one after the other.
	SendPieces(pieces ...[]byte) error
}

// Backlogger is an [Outbox] that knows how many messages its client has not taken. When calls cannot end because the
// client does not read, the log has that number.
type Backlogger interface {
	Outbox
	// Backlog returns the number of messages that were handed over and are not written, with those whose Send
	// still waits. It must not wait, nor call the session.
	Backlog() int
}

// Prober is an [Outbox] that cannot reach its client at all times.
type Prober interface {
	Outbox
	// Probe delivers msg, a ping, if the client can be reached right now; if not it returns nil, and
	// msg is forgotten. It must not wait, nor keep msg, nor call the session, which holds a lock. What it
	// returns is called later, likewise, and reports whether msg was written to a connection that is still
	// the one to reach the client by: if not, the client is not blamed for its silence.
	Probe(msg []byte) (reached func() bool)
}
