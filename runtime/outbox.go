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
