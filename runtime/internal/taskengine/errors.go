package taskengine

import "errors"

// Causes that end the context of the call of a task. Package runtime exports them.
var (
	ErrCancelled = errors.New("the client cancelled the call")
	ErrShutdown  = errors.New("the server is shutting down")
	ErrExpired   = errors.New("the task exceeded its time limit")
	ErrLeaseLost = errors.New("another process runs the task")
)

// Errors of Create of [Engine].
var (
	ErrTooMany = errors.New("too many tasks are running")
	ErrClosed  = errors.New("the server is shutting down")
)

// ErrNotStored is wrapped by the error of Shutdown of [Engine] if the ends of some tasks could not be stored.
var ErrNotStored = errors.New("the ends of tasks could not be stored")
