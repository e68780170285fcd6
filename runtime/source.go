package runtime

// Source is a stream of messages, for [Session.ReceiveFrom]. Its methods are called by one
// goroutine at a time, not always the same.
type Source interface {
	// Next returns the next message, and waits for it. The message is valid until
	// the following call of Next, or for good if Detach came in between. The
	// error is what the source ended with, [io.EOF] if there is no more to say.
	Next() ([]byte, error)
	// Ready reports whether Next would return without waiting.
	Ready() bool
	// Detach leaves the message that Next returned last to those who still use it: from
	// here on the source reads into other memory.
	Detach()
}

// Batcher is an [Outbox] that can deliver several messages at once. A session that reads
// from a [Source] uses it when the answer to one request can wait for that to the next, which
// is there already.
type Batcher interface {
	Outbox
	// Post is as Send, but the message may be kept back until the next Send or Flush.
	Post(msg []byte) error
	// Flush delivers what was kept back.
	Flush() error
}
