package runtime

// Source is a stream of messages, for [Session.ReceiveFrom]. Its methods are called by one
// goroutine at a time, not always the same.
type Source interface {
	// Next blocks until there is a message and returns it. The message is valid until
	// the next call of Next, or indefinitely if Detach is called before that. The
	// error is the reason why there are no more messages, [io.EOF] at the regular end.
	Next() ([]byte, error)
	// Ready reports whether Next would return without blocking.
	Ready() bool
	// Detach keeps the message that Next returned last valid: from
	// now on the source reads into other memory.
	Detach()
}
