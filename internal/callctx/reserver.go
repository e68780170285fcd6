package callctx

// Reserver limits the memory that a task.Store uses for the request of a client. It must be safe for concurrent use.
type Reserver interface {
	// Reserve reserves bytes, or releases them if the number is negative. It may wait until enough memory is available
	// or the context ends.
	Reserve(bytes int) error
	// Release releases all bytes.
	Release()
}

// ReserverKey is the key of the [Reserver] in the context of a store's method. Without one, memory is not limited.
type ReserverKey struct{}
