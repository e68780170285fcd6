package task

import "context"

// Reserver limits the memory that a [Store] uses for the request of a client. A server passes one to its store in the
// context, see [Reserve]. It must be safe for concurrent use.
type Reserver interface {
	// Reserve reserves bytes, or releases them if the number is negative. It may wait until enough memory is available
	// or the context ends.
	Reserve(bytes int) error
}

// ReserverKey is the context key of the [Reserver]. Without one in the context, memory is not limited.
type ReserverKey struct{}

// Reserve reserves memory, in bytes, for data that a [Store] is about to read, so that many short requests for long
// records cannot use up the memory of the server. ctx is the context of the store's method. The server releases the
// memory when the request is answered. A store can call Reserve with a negative number to release memory earlier, for
// example when it has decoded a record and does not need the encoded one any more. If Reserve returns an error, the
// store must not read the record, and must return the error, possibly wrapped. Reserve may wait, so call it without
// holding locks or transactions.
func Reserve(ctx context.Context, bytes int) error {
	m, ok := ctx.Value(ReserverKey{}).(Reserver)
	if !ok || bytes == 0 {
		return nil
	}
	return m.Reserve(bytes)
}
