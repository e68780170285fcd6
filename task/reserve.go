package task

import "context"

// Reserver counts the memory that a [Store] takes for the request of a client. A server passes one to its store in the
// context, see [Reserve]. It is safe for concurrent use.
type Reserver interface {
	// Reserve reserves bytes, or gives them back if the number is negative. It may wait until enough memory is available
	// or the context ends.
	Reserve(bytes int) error
}

// ReserverKey is the key of the [Reserver] in a context. A context without it does not count anything.
type ReserverKey struct{}

// Reserve reserves memory for what a [Store] is about to read, in the context of its method, so that short requests for
// long records cannot use up the memory of the server. The server releases it when the request is answered; a negative
// number gives back before that what is not in use any more, such as the text of a record that has been decoded. If there
// is an error, the store must not read the record, and must return the error, possibly wrapped. Reserve may wait, so call
// it without holding locks or transactions.
func Reserve(ctx context.Context, bytes int) error {
	m, ok := ctx.Value(ReserverKey{}).(Reserver)
	if !ok || bytes == 0 {
		return nil
	}
	return m.Reserve(bytes)
}
